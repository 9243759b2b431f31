/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: the records of files, printed in one of the styles. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "report_jobs.h"

/* The only thing that a signal handler changes. */
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* One file on its way. */
struct reporting {
	struct app *app;
	const char *path;
	struct report_args *args;
	struct input in;
	struct report *report;
	struct progress progress;
	struct dkt_loss *loss; /* by CPU */
	bool closed; /* the reader of a pipe went away */
	bool lost;
};

/* ---- reading by one thread ---- */

static int look_around(void *data)
{
	struct reporting *r = data;
	uint64_t done, of;

	if (!dkt_source_bytes(r->in.source, &done, &of))
		progress_at(&r->progress, done);
	return dk_out_write_if_full(&r->report->out);
}

static int print_alone(struct reporting *r)
{
	struct report *report = r->report;
	int cpu, err = style_begin(report->out.style, report->out.buf);

	if (!err)
		err = report_run(report, look_around, r);
	if (!err)
		err = style_end(report->out.style, report->out.buf);
	if (!err)
		err = dk_out_write(&report->out);
	r->closed = report->out.closed;
	for (cpu = 0; cpu < dkt_source_info(r->in.source)->cpus; cpu++)
		dkt_source_loss(r->in.source, cpu, &r->loss[cpu]);
	return input_fail(r->app, &r->in, err);
}

/* ---- by several ---- */

/* What the kernel counted as lost in all the time may be more than what pages tell. */
static void add_count(struct reporting *r)
{
	struct dkt_loss one;
	int cpu;

	if (r->args->source.since || r->args->source.until)
		return;
	for (cpu = 0; cpu < dkt_source_info(r->in.source)->cpus; cpu++) {
		dkt_source_loss(r->in.source, cpu, &one);
		if (one.lost > r->loss[cpu].lost)
			r->loss[cpu].lost = one.lost;
	}
}

static int print_together(struct reporting *r)
{
	int err = report_jobs_run(r->app, r->path, r->args, &r->progress, r->loss,
				  dkt_source_info(r->in.source)->cpus, &r->closed);

	add_count(r);
	return err;
}

/* ---- what there is to say at the end ---- */

/* "dktrace: FILE: N records were lost (cpu 0: N, cpu 3: M) of K". */
static void tell_losses(struct reporting *r)
{
	uint64_t lost = 0, seen = 0;
	int cpu, told = 0;

	for (cpu = 0; cpu < dkt_source_info(r->in.source)->cpus; cpu++) {
		lost += r->loss[cpu].lost;
		seen += r->loss[cpu].seen;
	}
	r->lost = lost;
	if (!lost)
		return;
	fprintf(stderr, "dktrace: %s: %" PRIu64 " of %" PRIu64 " records were lost", r->path, lost,
		seen + lost);
	for (cpu = 0; cpu < dkt_source_info(r->in.source)->cpus; cpu++)
		if (r->loss[cpu].lost)
			fprintf(stderr, "%scpu %d: %" PRIu64, told++ ? ", " : " (", cpu,
				r->loss[cpu].lost);
	fprintf(stderr, ")\n");
}

/* What could not be read: 0 or -EBADMSG. */
static int tell_damage(struct reporting *r)
{
	const char *damage = dkt_source_info(r->in.source)->damage;
	uint64_t bad = 0;
	int cpu;

	for (cpu = 0; cpu < dkt_source_info(r->in.source)->cpus; cpu++)
		bad += r->loss[cpu].bad;
	if (damage && bad)
		return dkt_fail(r->app->ctx, -EBADMSG, "%s: %s; %" PRIu64 " places make no sense",
				r->path, damage, bad);
	if (damage)
		return dkt_fail(r->app->ctx, -EBADMSG, "%s: %s", r->path, damage);
	if (bad)
		return dkt_fail(r->app->ctx, -EBADMSG, "%s: %" PRIu64 " places make no sense",
				r->path, bad);
	return 0;
}

/* ---- the whole ---- */

static int report_open(struct reporting *r)
{
	const struct dkt_source_info *info;
	uint64_t done, of;
	int err = input_open(r->app, r->path, &r->args->source, &r->in);

	if (err)
		return err;
	info = dkt_source_info(r->in.source);
	r->loss = calloc((size_t)info->cpus + 1, sizeof(*r->loss));
	if (!r->loss)
		return dkt_fail(r->app->ctx, -ENOMEM, "out of memory");
	err = report_args_times(r->args, r->in.ctx, info);
	if (!err && (r->args->source.since || r->args->source.until))
		err = dkt_source_seek(r->in.source, r->args->source.since, r->args->source.until);
	/* What can only be read on is read by one. */
	if (!err && r->args->jobs > 1 && dkt_source_slice(r->in.source, 0, 1, &done))
		r->args->jobs = 1;
	if (!err && r->args->jobs < 2)
		err = report_new(r->in.ctx, r->in.source, &r->args->report, &r->report);
	if (!err && !dkt_source_bytes(r->in.source, &done, &of))
		progress_begin(&r->progress, of);
	return input_fail(r->app, &r->in, err);
}

static int report_file(struct reporting *r)
{
	int err = report_open(r);

	if (!err)
		err = r->args->jobs > 1 ? print_together(r) : print_alone(r);
	progress_end(&r->progress);
	if (!err) {
		tell_losses(r);
		err = tell_damage(r);
	}
	report_free(r->report);
	free(r->loss);
	input_close(&r->in);
	return err;
}

static int open_output(struct app *app, struct report_opts *opts)
{
	struct dkt_style_info style;

	opts->stop = &stop;
	opts->fd = STDOUT_FILENO;
	style_find(opts->style, &style);
	style_terminal(&style, app->output, &opts->escape, &opts->color);
	if (style.traits & DKT_STYLE_FILES) {
		opts->fd = -1;
		opts->dir = app->output;
	} else if (app->output) {
		opts->fd = open(app->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (opts->fd < 0)
			return dkt_fail(app->ctx, -errno, "open %s: %s", app->output,
					strerror(errno));
	}
	return 0;
}

int cmd_report(struct app *app, int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct report_args args;
	int i, err, rc = report_args_read(app, &args);
	bool lost = false, closed = false, opened;

	opened = !rc && !open_output(app, &args.report);
	if (!rc && !opened)
		rc = app_fail(app);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	for (i = 1; opened && !closed && i < argc; i++) {
		struct reporting r = { .app = app, .path = argv[i], .args = &args };

		err = report_file(&r);
		closed = r.closed;
		lost |= r.lost;
		if (err && !closed)
			rc = app_fail(app);
	}
	if (opened && args.report.fd > STDERR_FILENO && close(args.report.fd) && !rc) {
		dkt_fail(app->ctx, -errno, "write %s: %s", app->output, strerror(errno));
		rc = app_fail(app);
	}
	report_args_clear(&args);
	return rc || !lost ? rc : EXIT_LOST;
}
