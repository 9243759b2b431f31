/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a command: a file, a saved tree, or the live log. */
#include "ctl/input/input.h"

#include "compat/apply/apply.h"
#include "compat/log/directory.h"
#include "compat/lustre/log_source.h"
#include "compat/lustre/message/cdebug.h"
#include "ctl/app/groups.h"
#include "ctl/app/privileges.h"
#include "ctl/input/directory.h"
#include "ctl/input/stdin_file.h"
#include "ctl/input/unpack.h"
#include "lib/base/ticks.h"
#include "lib/inside.h"
#include "lib/inside/code.h"

/* Opens the log with the records up to now: later ones may be about this program. */
static int open_log(struct app *app, struct input *in)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP);
	int err = app_check_instance(app, in->ctx);
	uint64_t missed;

	if (!err)
		err = dkl_debuglog_open(in->ctx, app->instance, 0, &in->log);
	if (err)
		return err;
	/* The word means the same whatever is in the directory, but whoever has the file may mean it. */
	if (!access(INPUT_LOG, F_OK))
		app_say("'" INPUT_LOG "' is the log of the instance; write ./" INPUT_LOG
			" for the file of that name");
	if (!in->log->in)
		return dkt_fail(in->ctx, -ENOENT, APP_NO_LOG);
	err = dkl_log_dir_create(in->log);
	if (err)
		return err;
	if (dkt_instance_get_now(in->log->in, &opts.until))
		opts.until = 0;
	missed = dkl_cdebug_missed(in->ctx);
	err = dkt_source_live(in->log->in, &opts, &in->source);
	return err || !missed ?
		       err :
		       dkt__source_add_missed(in->source, CDEBUG_GROUP ":" CDEBUG_NAME, missed);
}

bool input_is_on(const struct input *in)
{
	bool on;

	return in->log && !dkt__instance_get_on(in->log->in, &on) && on;
}

/* Lustre's messages in a dump are on another clock, and are printed only when they are asked for. */
static void tell_messages(const struct input *in, const char *path,
			  const struct dkt_source_opts *opts)
{
	/* A thread that reads a part of the file repeats nothing. */
	if (!opts->buffer && !(opts->flags & DKT_SOURCE_PART) &&
	    !strcmp(dkt_source_info(in->source)->kind, "vmcore") && dkl_dump_log_exists(path, opts))
		app_say("%s: Lustre's messages are there, too; --instance " LOG_SOURCE_DUMP
			" prints them",
			in->path);
}

/* Copies the words of the input's context, if it has some, and closes the input. */
static int fail(struct app *app, int err, struct input *in)
{
	if (*dkt_error(in->ctx))
		err = dkt_fail(app->ctx, err, "%s", dkt_error(in->ctx));
	else if (!*dkt_error(app->ctx))
		err = dkt_fail(app->ctx, err, "%s", strerror(-err));
	input_close(in);
	return err;
}

/* ---- directories of segments ---- */

static int open_next(struct app *app, const struct dkt_source_opts *opts, struct input *in)
{
	int err;

	dkt_source_close(in->source);
	dkt_ctx_free(in->ctx);
	in->source = NULL;
	in->ctx = NULL;
	err = app_new_ctx(app, NULL, &in->ctx);
	if (err)
		return dkt_fail(app->ctx, err, "out of memory");
	err = directory_open(in->ctx, in->path, opts, in->dir, &in->source);
	return err ? fail(app, err, in) : 0;
}

/* False: the records of the open segments are all before the window. */
static bool has_records(const struct input *in)
{
	const struct dkt_source_info *info = dkt_source_info(in->source);
	struct dkt_record record;
	int64_t since;

	if (!info->has_wall)
		return true;
	since = in->dir->since - info->wall;
	return since <= 0 || dkt_source_seek(in->source, (uint64_t)since, 0) ||
	       dkt_source_next(in->source, &record) != DKT_NEXT_END;
}

/* Opens the next segments of one boot that may have records of the window. */
static int open_segments(struct app *app, const struct record_args *args, unsigned int flags,
			 struct input *in)
{
	struct dkt_source_opts opts = args->source;
	int err;

	opts.flags |= flags;
	err = open_next(app, &opts, in);
	while (!err && directory_has_more(in->dir)) {
		if (directory_is_needed(in->dir) && in->dir->since == INT64_MIN)
			return 0;
		if (directory_is_needed(in->dir) && has_records(in)) {
			/* From the beginning. */
			in->dir->next = in->dir->opened;
			return open_next(app, &opts, in);
		}
		err = open_next(app, &opts, in);
	}
	return err;
}

static int open_directory(struct app *app, const char *path, const struct record_args *args,
			  unsigned int flags, struct input *in)
{
	int err;

	*in = (struct input){ .path = path, .dir = calloc(1, sizeof(*in->dir)) };
	if (!in->dir)
		return dkt_fail(app->ctx, -ENOMEM, "out of memory");
	err = directory_read(app, path, &args->selection, in->dir);
	if (!err)
		return open_segments(app, args, flags, in);
	input_close(in);
	return err;
}

int input_open_again(struct app *app, const struct input *of, const struct record_args *args,
		     unsigned int flags, struct input *in)
{
	int err;

	if (!of->dir)
		return input_open(app, of->path, args, flags, in);
	*in = (struct input){ .path = of->path, .dir = calloc(1, sizeof(*in->dir)) };
	err = in->dir ? directory_copy(of->dir, in->dir) : -ENOMEM;
	if (!err) {
		in->dir->next = 0;
		err = open_segments(app, args, flags, in);
		/* The files may have changed since: all threads must read the same ones. */
		if (!err && (in->dir->opened || in->dir->next < in->dir->segments.n))
			err = dkt_fail(app->ctx, -EAGAIN, "the segments have changed");
		return err;
	}
	input_close(in);
	return dkt_fail(app->ctx, err, "out of memory");
}

bool input_has_more(const struct input *in)
{
	return in->dir && directory_has_more(in->dir);
}

int input_open_more(struct app *app, struct input *before, const struct record_args *args,
		    struct input *in)
{
	struct directory *rest = before->dir;

	*in = (struct input){ .path = before->path, .dir = rest, .after = true };
	before->dir = calloc(1, sizeof(*before->dir));
	if (!before->dir || directory_copy(rest, before->dir))
		return dkt_fail(app->ctx, -ENOMEM, "out of memory");
	return open_segments(app, args, 0, in);
}

int64_t input_time(const struct input *in)
{
	return directory_time(in->dir);
}

bool input_report_gaps(const struct input *in)
{
	return in->dir && directory_report_gaps(in->dir, in->path);
}

int input_refuse_more(struct app *app, const struct input *in)
{
	return directory_refuse_more(app->ctx, in->path, in->dir);
}

int input_check_output(const struct input *in, const struct outfile *file)
{
	return directory_is(in->path) ? directory_check_output(file, in->path) :
					dkl_outfile_check_input(file, in->path);
}

/* ---- all kinds ---- */

/* The descriptor stays in the options, because the file may not be opened a second time. */
static int open_file(struct app *app, struct dkt_source_opts *opts, const struct log_wants *wants,
		     struct input *in)
{
	int err;

	opts->fd = privileges_file(app, in->path);
	err = opts->fd ? stdin_copy_pipe(app, opts->fd - 1, in->path) : 0;
	if (!err && opts->fd)
		err = unpack_file(app, opts->fd - 1, in->path, in->path);
	return err ? err : dkl_log_source_open_wanted(in->ctx, in->path, opts, wants, &in->source);
}

static int open_stdin(struct app *app, const struct dkt_source_opts *opts, bool once,
		      struct input *in)
{
	struct dkt_source_opts mine = *opts;
	int err = once ? stdin_recording(app, in->ctx, &mine, &in->source) : 1;

	if (err != 1)
		return err;
	err = stdin_file(app);
	mine.fd = err + 1;
	return err < 0 ? err : dkl_log_source_open(in->ctx, in->path, &mine, &in->source);
}

/* Without a calibration, nobody can say how long a tick is. */
static int check_clock(struct app *app, const struct input *in)
{
	const char *clock = dkt_source_info(in->source)->clock;

	if (!dkt__clock_ticks(clock))
		return 0;
	if (app->command->flags & CMD_MEASURES)
		return dkt_fail(
			in->ctx, -EINVAL,
			"%s: its clock %s does not count nanoseconds, so no time in it can be"
			" measured; 'dktrace report' prints its records",
			in->path, clock);
	app_say("%s: its times are numbers of the clock %s, which does not count nanoseconds",
		in->path, clock);
	return 0;
}

int input_open(struct app *app, const char *path, const struct record_args *args,
	       unsigned int flags, struct input *in)
{
	struct dkt_source_opts mine = args->source;
	bool live = !strcmp(path, INPUT_LOG), piped = !strcmp(path, INPUT_STDIN);
	int err;

	if (!live && !piped && directory_is(path))
		return open_directory(app, path, args, flags, in);
	*in = (struct input){ .path = path };
	mine.flags |= flags;
	mine.formats = app->root;
	mine.vmlinux = OPT(app, input)->vmlinux;
	if (piped)
		in->path = mine.name = STDIN_NAME;
	err = app_new_ctx(app, live ? app->root : NULL, &in->ctx);
	if (err)
		return dkt_fail(app->ctx, err, "out of memory");
	if (OPT(app, input)->symbols)
		err = dkt__symbols_dir(in->ctx, OPT(app, input)->symbols);
	if (err)
		return fail(app, err, in);
	if (live)
		err = open_log(app, in);
	else if (piped)
		err = open_stdin(app, &mine, args->once, in);
	else
		err = open_file(app, &mine, &args->wants, in);
	if (!err)
		err = check_clock(app, in);
	if (err)
		return fail(app, err, in);
	tell_messages(in, path, &mine);
	return 0;
}

void input_close(struct input *in)
{
	dkt_source_close(in->source);
	dkl_debuglog_close(in->log);
	dkt_ctx_free(in->ctx);
	if (in->dir)
		directory_clear(in->dir);
	free(in->dir);
	*in = (struct input){ 0 };
}
