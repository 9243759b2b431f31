/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The context: the state of one user of the library, with its last error message and the log
 * callback.
 */
#include <sys/capability.h>
#include <sys/utsname.h>

#include "lib/ctx.h"

/* Needs no memory, so that it can be the error message when memory is out. */
#define NO_MEMORY "out of memory"

int dkt_version(const char **text)
{
	if (text)
		*text = DKT_VERSION;
	return DKT_VERSION_NUMBER;
}

int dkt_ctx_new(const struct dkt_ctx_opts *opts, struct dkt_ctx **out)
{
	struct dkt_ctx_opts all;
	struct utsname name;
	struct dkt_ctx *ctx;
	int err;

	dkt__needs(NULL, dkt__clear(out));
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ctx->dirfd = -1;
	ctx->long_size = sizeof(long);
	ctx->big_endian = DKT__BIG_ENDIAN;
	err = dkt__opts_take(ctx, dkt_ctx_opts, &all, opts);
	if (!err && all.root) {
		ctx->root = strdup(all.root);
		err = ctx->root ? 0 : -ENOMEM;
	}
	if (err) {
		dkt_ctx_free(ctx);
		return err;
	}
	ctx->log = all.log;
	ctx->log_data = all.log_data;
	ctx->progress = all.progress;
	ctx->progress_data = all.progress_data;
	if (!all.machine)
		all.machine = uname(&name) ? "" : name.machine;
	err = dkt__ctx_machine(ctx, all.machine);
	if (err)
		dkt_ctx_free(ctx);
	else
		*out = ctx;
	return err;
}

/* ---- checks of arguments ---- */

int dkt__flags_check(struct dkt_ctx *ctx, const char *what, unsigned int flags, unsigned int known)
{
	if (!(flags & ~known))
		return 0;
	return dkt_fail(ctx, -EINVAL, "%s: 0x%x is not a known flag", what, flags & ~known);
}

/* ---- objects that live as long as the context ---- */

struct dkt__end {
	struct dkt__end *next;
	void (*fn)(void *data);
	void *data;
};

void *dkt__ctx_keep(struct dkt_ctx *ctx, size_t n)
{
	return dkt__arena_alloc(&ctx->memory, n);
}

char *dkt__ctx_strndup(struct dkt_ctx *ctx, const char *text, size_t len)
{
	return dkt__arena_strndup(&ctx->memory, text, len);
}

int dkt__ctx_machine(struct dkt_ctx *ctx, const char *machine)
{
	ctx->machine = dkt__ctx_strndup(ctx, machine, strlen(machine));
	ctx->syscalls = NULL;
	return ctx->machine ? 0 : dkt__no_memory(ctx);
}

int dkt__starve(struct dkt_ctx *ctx, int err)
{
	ctx->starved |= err == -ENOMEM;
	return err;
}

int dkt__ctx_at_end(struct dkt_ctx *ctx, void (*fn)(void *data), void *data)
{
	struct dkt__end *end;

	for (end = ctx->ends; end; end = end->next)
		if (end->fn == fn && end->data == data)
			return 0;
	end = dkt__ctx_keep(ctx, sizeof(*end));
	if (!end)
		return dkt__no_memory(ctx);
	*end = (struct dkt__end){ .next = ctx->ends, .fn = fn, .data = data };
	ctx->ends = end;
	return 0;
}

/* ---- the context ---- */

void dkt_ctx_free(struct dkt_ctx *ctx)
{
	if (!ctx)
		return;
	for (; ctx->ends; ctx->ends = ctx->ends->next)
		ctx->ends->fn(ctx->ends->data);
	dkt__arena_free(&ctx->memory);
	if (ctx->dirfd >= 0)
		close(ctx->dirfd);
	cap_free(ctx->lowered);
	free(ctx->root);
	free(ctx->dir);
	free(ctx->error);
	free(ctx);
}

const char *dkt_error(const struct dkt_ctx *ctx)
{
	if (!ctx)
		return "";
	return ctx->error ? ctx->error : ctx->no_memory ? NO_MEMORY : "";
}

char *dkt__error_take(struct dkt_ctx *ctx)
{
	char *words;

	if (!ctx)
		return NULL;
	words = !ctx->error && ctx->no_memory ? strdup(NO_MEMORY) : ctx->error;
	ctx->error = NULL;
	ctx->no_memory = false;
	return words;
}

int dkt__error_give(struct dkt_ctx *ctx, int err, char *words)
{
	if (!ctx) {
		free(words);
		return err;
	}
	free(ctx->error);
	ctx->error = words;
	ctx->no_memory = err == -ENOMEM;
	return err;
}

void dkt__damage(char **damage, const char *fmt, va_list ap)
{
	char *words __cleanup(free) = dkt__words(fmt, ap);
	char *all = NULL;

	if (words)
		all = dkt__format("%s%s%s", *damage ? *damage : "", *damage ? "; " : "", words);
	if (!all)
		return;
	free(*damage);
	*damage = all;
}

int dkt__null(struct dkt_ctx *ctx, const char *call)
{
	return dkt_fail(ctx, -EINVAL, "%s: an argument is NULL that is needed", call);
}

int dkt_fail(struct dkt_ctx *ctx, int err, const char *fmt, ...)
{
	char *text;
	va_list ap;

	if (!ctx)
		return err;
	va_start(ap, fmt);
	text = dkt__words(fmt, ap);
	va_end(ap);
	dkt__error_give(ctx, text ? err : -ENOMEM, text);
	return err;
}

int dkt__fail_in(struct dkt_ctx *ctx, int err, const char *fmt, ...)
{
	char *inner __cleanup(free) = dkt__error_take(ctx);
	char *outer __cleanup(free) = NULL;
	char *all = NULL;
	va_list ap;

	if (!ctx)
		return err;
	va_start(ap, fmt);
	outer = dkt__words(fmt, ap);
	va_end(ap);
	/* Both texts are escaped already, and their newlines must stay. */
	if (outer)
		all = dkt__format("%s: %s", outer, inner ? inner : strerror(-err));
	dkt__error_give(ctx, all ? err : -ENOMEM, all);
	return err;
}

void dkt__log(struct dkt_ctx *ctx, enum dkt_log_level level, const char *fmt, ...)
{
	char *text __cleanup(free) = NULL;
	int saved = errno;
	va_list ap;

	if (!ctx || !ctx->log)
		return;
	va_start(ap, fmt);
	text = dkt__words(fmt, ap);
	va_end(ap);
	if (text)
		ctx->log(ctx->log_data, level, text);
	errno = saved;
}

void dkt__progress(struct dkt_ctx *ctx, const char *what, size_t done, size_t of)
{
	int saved = errno;

	if (ctx && ctx->progress && what)
		ctx->progress(ctx->progress_data, what, done, of);
	errno = saved;
}
