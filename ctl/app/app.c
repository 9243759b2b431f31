/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts and messages of the tool: only this file prints errors, each once. */
#include "ctl/app/app.h"
#include "compat/log/debuglog.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

const char app_instance[] = DEBUGLOG_DEFAULT;

void app_vsay(const char *fmt, va_list ap)
{
	char *words __cleanup(free) = dkt__words(fmt, ap);

	fflush(stdout);
	fprintf(stderr, "dktrace: %s\n", words ? words : strerror(ENOMEM));
}

void app_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	app_vsay(fmt, ap);
	va_end(ap);
}

int app_fail(const struct app *app)
{
	const char *words = dkt_error(app->ctx);

	/* Only the tool's own code without memory leaves no message. */
	app_say("%s", *words ? words : strerror(ENOMEM));
	return app->wrong ? EXIT_USAGE : EXIT_FAILED;
}

int app_find_row(const struct app *app, const char *word, const void *rows, size_t n, size_t size)
{
	const char *row = rows, *name;
	struct dkt__guess guess;
	char names[128] = "";
	size_t len = 0;

	dkt__guess_start(&guess, word, strlen(word));
	for (size_t i = 0; i < n; i++, row += size) {
		memcpy(&name, row, sizeof(name));
		if (!strcmp(name, word))
			return (int)i;
		dkt__guess_try(&guess, name);
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
					name);
	}
	app_say("%s: '%s' is not one of %s%s", app->command->name, word, names,
		dkt__guess_words(&guess));
	return -1;
}

int app_worse(int a, int b)
{
	return !a || (a == EXIT_LOST && b) ? b : a;
}

static void log_line(void *data, enum dkt_log_level level, const char *text)
{
	const enum dkt_log_level *most = data;

	if (level <= *most)
		app_say("%s", text);
}

bool app_has_instance(const struct app *app)
{
	return app->instance != app_instance && app->instance != getenv("DKTRACE_INSTANCE");
}

int app_check_instance(struct app *app, struct dkt_ctx *ctx)
{
	int err = dkt__instance_check_name(ctx, app->instance);

	app->wrong = err == -EINVAL;
	return err;
}

int app_new_ctx(struct app *app, const char *root, struct dkt_ctx **ctx)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = root, .log = log_line, .log_data = &app->level,
		 .progress = progress_change, .progress_data = &app->change_progress);

	return dkt_ctx_new(&opts, ctx);
}
