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

int input_open_picked(struct app *app, const char *path, const struct report_args *args,
		      struct input *in)
{
	const struct report_opts *report = &args->report;
	bool picks = report->filter || report->n_events || report->n_pids;
	struct dkt_source_opts *opts;
	int err = input_open(app, path, &args->source, in);

	if (err)
		return err;
	in->args = *args;
	opts = &in->args.source;
	err = report_args_times(&in->args, in->ctx, dkt_source_info(in->source));
	if (!err && (opts->since || opts->until))
		err = dkt_source_seek(in->source, opts->since, opts->until);
	if (err == -EOPNOTSUPP)
		err = dkt_fail(in->ctx, err, "%s can only be read from its begin to its end", path);
	if (!err && picks && !args->several)
		err = report_check_events(in->ctx, &args->report);
	if (!err && picks)
		err = report_new(in->ctx, in->source, &in->args.report, &in->pick);
	if (err) {
		input_fail(app, in, err);
		input_close(in);
	}
	return err;
}

int input_tell(const struct input *in, bool gaps)
{
	const struct dkt_source_info *info = dkt_source_info(in->source);
	uint64_t lost = 0, bad = 0;
	char *by_cpu = NULL;
	size_t len;
	FILE *f = open_memstream(&by_cpu, &len);
	int cpu;

	for (cpu = 0; f && cpu < info->cpus; cpu++) {
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

void input_close(struct input *in)
{
	report_free(in->pick);
	dkt_source_close(in->source);
	debuglog_close(in->log);
	dkt_ctx_free(in->ctx);
	*in = (struct input){ 0 };
}
