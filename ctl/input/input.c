/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command reads records from: a file, a saved tree, or the live log. */
#include "input/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/rights.h"
#include "apply/apply.h"
#include "input/stdin_file.h"
#include "lustre/log_source.h"

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
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_KEEP);
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
	return dkt_source_live(in->log->in, &opts, &in->source);
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
	err = piped ? stdin_file(app) : 0;
	if (err < 0)
		return err;
	if (piped)
		in->path = mine.name = STDIN_NAME;
	mine.fd = piped ? err + 1 : rights_file(app, path);
	err = app_new_ctx(app, live ? app->root : NULL, &in->ctx);
	if (err)
		return dkt_fail(app->ctx, err, "out of memory");
	if (live)
		err = open_log(app, in);
	else
		err = log_source_open(in->ctx, path, &mine, &in->source);
	if (err) {
		input_fail(app, in, err);
		input_close(in);
	}
	return err;
}

/* The source itself leaves out records outside of the window. */
static int set_window(struct input *in, const struct report_args *args)
{
	uint64_t since, until;
	int err = selection_window(&args->selection, in->ctx, dkt_source_info(in->source), &since,
				   &until);

	if (err || (!since && !until))
		return err;
	err = dkt_source_seek(in->source, since, until);
	if (err == -EOPNOTSUPP)
		err = dkt_fail(in->ctx, err, "%s can only be read from its begin to its end",
			       in->path);
	return err;
}

int input_open_picked(struct app *app, const char *path, struct report_args *args, struct input *in)
{
	int err = input_open(app, path, &args->source, in);

	if (err)
		return err;
	if (!args->several)
		err = set_window(in, args);
	if (!err && !args->several)
		err = chooser_check_events(in->ctx, &args->selection);
	if (!err && !selection_is_all(&args->selection))
		err = chooser_open(in->ctx, in->source, &args->selection, NULL, &in->chooser);
	if (err) {
		input_fail(app, in, err);
		input_close(in);
	}
	return err;
}

int input_each(struct app *app, struct input *in,
	       int (*fn)(void *data, const struct dkt_record *record), void *data)
{
	struct progress progress;
	struct dkt_record record;
	int err, stop = 0;

	progress_source(&progress, in->source);
	while (!stop && !(err = progress_next(&progress, in->source, &record)))
		if (input_wants(in, in->source, &record))
			stop = fn(data, &record);
	progress_end(&progress);
	if (stop)
		return stop;
	return err < 0 ? input_fail(app, in, err) : 0;
}

int input_tell(const struct input *in, bool gaps)
{
	const struct dkt_source_info *info = dkt_source_info(in->source);
	uint64_t lost = 0, bad = 0;
	char *by_cpu = NULL;
	size_t len;
	FILE *f = open_memstream(&by_cpu, &len);

	for (int cpu = 0; f && cpu < info->cpus; cpu++) {
		struct dkt_loss loss;

		if (dkt_source_loss(in->source, cpu, &loss))
			continue;
		if (loss.lost)
			fprintf(f, "%scpu %d: %" PRIu64, lost ? ", " : "", cpu, loss.lost);
		lost += loss.lost;
		bad += loss.bad;
	}
	if (f)
		fclose(f);
	if (lost)
		app_say("%s: %" PRIu64 " records were lost (%s)", in->path, lost, by_cpu);
	else if (gaps)
		app_say("%s: records were lost, it is not known how many", in->path);
	if (bad)
		app_say("%s: %" PRIu64 " places made no sense", in->path, bad);
	if (info->damage)
		app_say("%s: %s", in->path, info->damage);
	free(by_cpu);
	if (bad || info->damage)
		return EXIT_FAILED;
	return lost || gaps ? EXIT_LOST : 0;
}

bool input_misses(const struct input *in, uint64_t lost)
{
	if (lost)
		app_say("%" PRIu64 " records are missing in %s", lost, in->path);
	return lost;
}

void input_close(struct input *in)
{
	chooser_free(in->chooser);
	dkt_source_close(in->source);
	debuglog_close(in->log);
	dkt_ctx_free(in->ctx);
	*in = (struct input){ 0 };
}
