/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The context: what everything hangs off, with the words of the last failure and the log. */
#include "internal.h"

#include "banned.h"

int dkt_ctx_new(const struct dkt_ctx_opts *opts, struct dkt_ctx **out)
{
	struct dkt_ctx *ctx;

	*out = NULL;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ctx->dirfd = -1;
	if (opts && opts->root) {
		ctx->root = strdup(opts->root);
		if (!ctx->root) {
			dkt_ctx_free(ctx);
			return -ENOMEM;
		}
	}
	if (opts) {
		ctx->log = opts->log;
		ctx->log_data = opts->log_data;
	}
	*out = ctx;
	return 0;
}

void dkt_ctx_free(struct dkt_ctx *ctx)
{
	if (!ctx)
		return;
	dkt__events_free(ctx->events);
	dkt__defined_free(ctx->defined);
	dkt__symbols_free(ctx->symbols);
	if (ctx->tep)
		tep_free(ctx->tep);
	if (ctx->dirfd >= 0)
		close(ctx->dirfd);
	free(ctx->root);
	free(ctx->dir);
	free(ctx->error);
	free(ctx);
}

const char *dkt_error(const struct dkt_ctx *ctx)
{
	return ctx && ctx->error ? ctx->error : "";
}

int dkt_fail(struct dkt_ctx *ctx, int err, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	free(ctx->error);
	ctx->error = text;
	return err;
}

int dkt_fail_in(struct dkt_ctx *ctx, int err, const char *fmt, ...)
{
	char *inner __cleanup(free) = ctx->error;
	char *outer __cleanup(free) = NULL;
	va_list ap;

	ctx->error = NULL;
	va_start(ap, fmt);
	if (vasprintf(&outer, fmt, ap) < 0)
		outer = NULL;
	va_end(ap);
	if (!outer)
		return err;
	return dkt_fail(ctx, err, "%s: %s", outer, inner ? inner : strerror(-err));
}

void dkt__log(struct dkt_ctx *ctx, enum dkt_log_level level, const char *fmt, ...)
{
	char *text __cleanup(free) = NULL;
	int saved = errno;
	va_list ap;

	if (!ctx->log)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		ctx->log(ctx->log_data, level, text);
	errno = saved;
}
