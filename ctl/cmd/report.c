/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: the records of files, printed in one of the styles. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "input/report_jobs.h"
#include "io/output.h"

/* Files on their way, whose times can be compared. */
struct reporting {
	struct app *app;
	struct report_args *args;
	struct report_files files;
	struct progress progress;
	struct report_met *met; /* by file */
	bool closed; /* the reader of a pipe went away */
	bool lost;
};

static struct dkt_source *source_of(const struct reporting *r, size_t i)
{
	return r->files.in.files[i].in.source;
}

static int cpus_of(const struct reporting *r, size_t i)
{
	return dkt_source_info(source_of(r, i))->cpus;
}

/* ---- reading by one thread ---- */

static int look_around(void *data)
{
	struct reporting *r = data;
	uint64_t done, of;

	if (!dkt_source_bytes(r->files.source, &done, &of))
		progress_at(&r->progress, done);
	return dk_out_write_if_full(&r->files.report->out);
}

static int print_alone(struct reporting *r)
{
	struct dk_out *out = &r->files.report->out;
	int err = style_begin(out->style, out->buf);

	if (!err)
		err = report_run(r->files.report, look_around, r);
	if (!err)
		err = style_end(out->style, out->buf);
	if (!err)
		err = dk_out_write(out);
	r->closed = out->closed;
	for (size_t i = 0; i < r->files.in.n; i++)
		for (int cpu = 0; cpu < cpus_of(r, i); cpu++)
			dkt_source_loss(source_of(r, i), cpu, &r->met[i].loss[cpu]);
	return inputs_fail(&r->files.in, err);
}

/* ---- by several ---- */

/* What the kernel counted as lost in all the time may be more than what pages tell. */
static void add_counts(struct reporting *r)
{
	struct dkt_loss one;

	/* This thread went through some of their slices last. */
	if (r->args->source.since || r->args->source.until ||
	    dkt_source_seek(r->files.source, 0, 0))
		return;
	for (size_t i = 0; i < r->files.in.n; i++)
		for (int cpu = 0; cpu < cpus_of(r, i); cpu++) {
			dkt_source_loss(source_of(r, i), cpu, &one);
			if (one.lost > r->met[i].loss[cpu].lost)
				r->met[i].loss[cpu].lost = one.lost;
		}
}

static int print_together(struct reporting *r)
{
	int err = report_jobs_run(&r->files, r->args, &r->progress, r->met, &r->closed);

	add_counts(r);
	return err;
}

/* ---- what there is to say at the end ---- */

/* "dktrace: FILE: N records were lost (cpu 0: N, cpu 3: M) of K". */
static void tell_losses(struct reporting *r, size_t i)
{
	const struct dkt_loss *loss = r->met[i].loss;
	char *by_cpu __cleanup(free) = NULL;
	uint64_t lost = 0, seen = 0;
	int told = 0;
	size_t len;
	FILE *f;

	for (int cpu = 0; cpu < cpus_of(r, i); cpu++) {
		lost += loss[cpu].lost;
		seen += loss[cpu].seen;
	}
	r->lost |= lost != 0;
	if (!lost)
		return;
	f = open_memstream(&by_cpu, &len);
	for (int cpu = 0; f && cpu < cpus_of(r, i); cpu++)
		if (loss[cpu].lost)
			fprintf(f, "%scpu %d: %" PRIu64, told++ ? ", " : "", cpu, loss[cpu].lost);
	if (f && !fclose(f))
		app_say("%s: %" PRIu64 " of %" PRIu64 " records were lost (%s)",
			r->files.in.files[i].in.path, lost, seen + lost, by_cpu);
}

/* What could not be read: 0 or -EBADMSG. */
static int tell_damage(struct reporting *r, size_t i)
{
	const char *damage = r->met[i].damage ? r->met[i].damage :
						dkt_source_info(source_of(r, i))->damage;
	const char *path = r->files.in.files[i].in.path;
	uint64_t bad = 0;

	for (int cpu = 0; cpu < cpus_of(r, i); cpu++)
		bad += r->met[i].loss[cpu].bad;
	if (damage && bad)
		dkt_fail(r->app->ctx, -EBADMSG, "%s: %s; %" PRIu64 " places make no sense", path,
			 damage, bad);
	else if (damage)
		dkt_fail(r->app->ctx, -EBADMSG, "%s: %s", path, damage);
	else if (bad)
		dkt_fail(r->app->ctx, -EBADMSG, "%s: %" PRIu64 " places make no sense", path, bad);
	return damage || bad ? -EBADMSG : 0;
}

/* Says all of that; returns the exit status. */
static int tell_end(struct reporting *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->files.in.n; i++) {
		tell_losses(r, i);
		if (tell_damage(r, i))
			rc = app_fail(r->app);
	}
	return rc;
}

/* ---- files that are printed in one order ---- */

static int make_met(struct reporting *r)
{
	size_t i;

	r->met = calloc(r->files.in.n, sizeof(*r->met));
	for (i = 0; r->met && i < r->files.in.n; i++) {
		r->met[i].loss = calloc((size_t)cpus_of(r, i) + 1, sizeof(*r->met[i].loss));
		if (!r->met[i].loss)
			break;
	}
	return r->met && i == r->files.in.n ? 0 : dkt_fail(r->app->ctx, -ENOMEM, "out of memory");
}

static void free_met(struct reporting *r)
{
	for (size_t i = 0; r->met && i < r->files.in.n; i++) {
		free(r->met[i].loss);
		free(r->met[i].damage);
	}
	free(r->met);
}

static int begin(struct reporting *r, bool named)
{
	uint64_t done, of;
	int err = report_files_open(&r->files, r->args, named, 0);

	if (!err)
		err = make_met(r);
	if (!err)
		err = report_args_window(r->args, r->app->ctx, dkt_source_info(r->files.source));
	/* What can only be read on is read by one. */
	if (!err && r->args->jobs > 1 && dkt_source_slice(r->files.source, 0, 1, &done))
		r->args->jobs = 1;
	if (!err)
		err = report_files_style(&r->files, r->args);
	if (!err && !dkt_source_bytes(r->files.source, &done, &of))
		progress_begin(&r->progress, of, PROGRESS_BYTES, !r->app->output);
	return err;
}

/* The exit status. */
static int print_files(struct reporting *r, bool named)
{
	int jobs = r->args->jobs, err = begin(r, named), rc = 0;

	if (!err)
		err = r->args->jobs > 1 ? print_together(r) : print_alone(r);
	r->args->jobs = jobs;
	progress_end(&r->progress);
	if (!err)
		rc = tell_end(r);
	else
		rc = r->closed ? EXIT_PIPE : app_fail(r->app);
	free_met(r);
	report_files_close(&r->files);
	return rc;
}

/* ---- the whole ---- */

/* Those that cannot be opened are told, and left out. */
static int open_all(struct inputs *in, struct report_args *args)
{
	int rc = 0;

	for (size_t i = 0; i < in->n; i++)
		if (input_open(in->app, in->files[i].path, &args->source, &in->files[i].in))
			rc = app_fail(in->app);
	if (inputs_check_events(in, &args->selection))
		rc = app_fail(in->app);
	return inputs_name(in) ? app_fail(in->app) : rc;
}

/* The files whose times can be compared with those of file first, into list. */
static size_t find_group(struct inputs *in, size_t first, size_t *list)
{
	size_t n = 0;

	list[n++] = first;
	for (size_t i = first + 1; i < in->n; i++) {
		if (!in->files[i].in.source)
			continue;
		if (!inputs_relate(in, i, first)) {
			if (in->files[i].known != INPUTS_ONE_CLOCK)
				inputs_tell_offset(in, i, first);
			list[n++] = i;
		} else {
			app_say("%s; the records of %s follow", dkt_error(in->app->ctx),
				in->files[i].in.path);
		}
	}
	return n;
}

static int print_all(struct inputs *in, struct report_args *args)
{
	size_t *list __cleanup(free) = calloc(in->n, sizeof(*list));
	bool closed = false, lost = false;
	int one, rc = 0;

	if (!list)
		return app_usage("out of memory");
	for (size_t i = 0; !closed && i < in->n; i++) {
		struct reporting r = { .app = in->app, .args = args };
		size_t n;

		if (!in->files[i].in.source)
			continue;
		n = find_group(in, i, list);
		if (inputs_take(in, list, n, &r.files.in))
			return app_fail(in->app);
		one = print_files(&r, in->n > 1);
		rc = one ? one : rc;
		closed = r.closed;
		lost |= r.lost;
	}
	return rc || !lost ? rc : EXIT_LOST;
}

static int open_output(struct app *app, struct report_opts *opts)
{
	struct dkt_style_info style;
	int err = 0;

	opts->fd = STDOUT_FILENO;
	style_find(opts->style, &style);
	opts->color = style_colored(&style, app->output);
	opts->raw_text = app->raw_text;
	if (style.traits & DKT_STYLE_FILES) {
		opts->fd = -1;
		opts->dir = app->output;
		err = app->output ? output_check(app->ctx, app->output) : 0;
	} else if (app->output) {
		opts->fd = output_open(app->ctx, app->output, OUTPUT_EMPTY);
		err = opts->fd < 0 ? opts->fd : 0;
	}
	return err ? dkt_fail_in(app->ctx, err, "open %s", app->output) : 0;
}

/* True if a file has the field, or may have it: the events of a saved log come with its records. */
static bool has_field(const struct inputs *in, const char *name, struct dkt__guess *guess)
{
	struct dkt__guess_votes votes = { .guess = guess };
	struct dkt_event *const *events;
	const struct dkt_field *fields;
	size_t n, n_fields;
	const char *other;
	bool any = false;

	dkt__guess_start(guess, name, strlen(name));
	for (size_t i = 0; (other = dkt_style_field(i)); i++) {
		if (!strcmp(other, name))
			return true;
		dkt__guess_try(guess, other);
	}
	for (size_t i = 0; i < in->n; i++) {
		if (!in->files[i].in.source || dkt_events(in->files[i].in.ctx, &events, &n))
			continue;
		if (!n)
			return true;
		any = true;
		for (size_t j = 0; j < n; j++) {
			if (dkt_event_field(events[j], name))
				return true;
			if (dkt_event_fields(events[j], &fields, &n_fields))
				continue;
			while (n_fields-- > 0)
				dkt__guess_vote(&votes, fields[n_fields].name);
		}
	}
	dkt__guess_elect(&votes);
	return !any;
}

/* A field that no event has is misspelt. */
static int check_fields(const struct inputs *in, struct report_args *args)
{
	struct dkt__guess guess;

	for (size_t i = 0; i < args->fields.n; i++)
		if (!has_field(in, args->fields.list[i], &guess))
			return app_usage("--fields: no event here has a field '%s'%s",
					 args->fields.list[i], dkt__guess_words(&guess));
	return 0;
}

int cmd_report(struct app *app, int argc, char **argv)
{
	struct inputs in = { 0 };
	struct report_args args;
	int bad, rc = report_args_read(app, &args);

	if (!rc)
		rc = inputs_new(app, argv + 1, (size_t)argc - 1, &in);
	if (!rc && open_output(app, &args.report))
		rc = app_fail(app);
	dkt__stop_on_end();
	if (!rc) {
		bad = open_all(&in, &args);
		rc = check_fields(&in, &args);
	}
	if (!rc) {
		rc = print_all(&in, &args);
		rc = bad ? bad : rc;
	}
	if (args.report.fd > STDERR_FILENO && close(args.report.fd) && !rc) {
		dkt_fail(app->ctx, -errno, "write %s: %s", app->output, strerror(errno));
		rc = app_fail(app);
	}
	inputs_clear(&in);
	report_args_clear(&args);
	return rc;
}
