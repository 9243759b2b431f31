/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command reads records from: a file, a saved tree, or the live log. */
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debuglog.h"

int input_fail(struct app *app, const struct input *in, int err)
{
	if (err < 0 && in->ctx)
		dkt_fail(app->ctx, err, "%s",
			 *dkt_error(in->ctx) ? dkt_error(in->ctx) : strerror(-err));
	return err;
}

/* What happens from now on, this program's own doing too, does not belong to it. */
static int open_log(struct app *app, struct input *in)
{
	DKT_OPTS(dkt_capture_opts, opts, .flags = DKT_CAPTURE_KEEP);
	char *spool __cleanup(free) = NULL;
	int err = debuglog_open(in->ctx, app->instance, 0, &in->log);

	if (err)
		return err;
	if (!in->log->in)
		return dkt_fail(
			in->ctx, -ENOENT,
			"nothing is recorded yet: start with 'dktrace set_param debug=...'");
	err = debuglog_spool(in->log, &spool);
	if (err)
		return err;
	opts.spool = spool;
	if (dkt_instance_now(in->log->in, &opts.until))
		opts.until = 0;
	err = dkt_capture_open(in->log->in, &opts, &in->capture);
	return err ? err : dkt_capture_source(in->capture, &in->source);
}

int input_open(struct app *app, const char *path, const struct dkt_source_opts *opts,
	       struct input *in)
{
	bool live = !strcmp(path, INPUT_LOG);
	int err;

	*in = (struct input){ .path = path };
	err = app_new_ctx(app, live ? app->root : NULL, &in->ctx);
	if (err)
		return dkt_fail(app->ctx, err, "out of memory");
	err = live ? open_log(app, in) : dkt_source_open(in->ctx, path, opts, &in->source);
	if (err) {
		input_fail(app, in, err);
		input_close(in);
	}
	return err;
}

void input_close(struct input *in)
{
	dkt_source_close(in->source);
	dkt_capture_close(in->capture);
	debuglog_close(in->log);
	dkt_ctx_free(in->ctx);
	*in = (struct input){ 0 };
}
