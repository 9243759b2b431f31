/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a command: a file, a saved tree, or the live log. */
#include "input/input.h"

#include "app/privileges.h"
#include "apply/apply.h"
#include "input/stdin_file.h"
#include "log/directory.h"
#include "lustre/dump_log.h"
#include "lustre/log_source.h"

/* Opens the log with the records up to now: later ones may be about this program. */
static int open_log(struct app *app, struct input *in)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP);
	int err = debuglog_open(in->ctx, app->instance, 0, &in->log);

	if (err)
		return err;
	if (!in->log->in)
		return dkt_fail(in->ctx, -ENOENT, APP_NO_LOG);
	err = log_dir_create(in->log);
	if (err)
		return err;
	if (dkt_instance_now(in->log->in, &opts.until))
		opts.until = 0;
	return dkt_source_live(in->log->in, &opts, &in->source);
}

/* Lustre's messages in a dump are on another clock, and are printed only when they are asked for. */
static void tell_messages(const struct input *in, const char *path,
			  const struct dkt_source_opts *opts)
{
	/* A thread that reads a part of the file repeats nothing. */
	if (!opts->buffer && !(opts->flags & DKT_SOURCE_PART) &&
	    !strcmp(dkt_source_info(in->source)->kind, "vmcore") && dump_log_exists(path, opts))
		app_say("%s: Lustre's messages are there, too; --instance " LOG_SOURCE_DUMP
			" prints them",
			in->path);
}

int input_open(struct app *app, const char *path, const struct dkt_source_opts *opts,
	       struct input *in)
{
	DKT_OPTS(dkt_source_opts, mine, .flags = DKT_SOURCE_ALL);
	bool live = !strcmp(path, INPUT_LOG), piped = !strcmp(path, INPUT_STDIN);
	int err;

	*in = (struct input){ .path = path };
	if (opts)
		mine = *opts;
	mine.formats = app->root;
	mine.vmlinux = app->vmlinux;
	err = piped ? stdin_file(app) : 0;
	if (err < 0)
		return err;
	if (piped)
		in->path = mine.name = STDIN_NAME;
	mine.fd = piped ? err + 1 : privileges_file(app, path);
	err = app_new_ctx(app, live ? app->root : NULL, &in->ctx);
	if (err)
		return dkt_fail(app->ctx, err, "out of memory");
	if (live)
		err = open_log(app, in);
	else
		err = log_source_open(in->ctx, path, &mine, &in->source);
	if (err) {
		dkt_fail(app->ctx, err, "%s",
			 *dkt_error(in->ctx) ? dkt_error(in->ctx) : strerror(-err));
		input_close(in);
	} else {
		tell_messages(in, path, &mine);
	}
	return err;
}

void input_close(struct input *in)
{
	dkt_source_close(in->source);
	debuglog_close(in->log);
	dkt_ctx_free(in->ctx);
	*in = (struct input){ 0 };
}
