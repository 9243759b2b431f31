/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report: prints the records of files in one of the styles. */
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/input/args.h"
#include "ctl/input/causes.h"
#include "lib/base/buf.h"
#include "lib/base/every_field.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"
#include "lib/inside.h"

OPT_TABLE(report,
	{ "clock-error", 0, NULL, AT(sink, clock_error), "show how far the time of each record can be off, and whether its order is certain" },
	{ "fields", 0, "NAMES", AT(sink, fields), "print these fields in raw, json and csv" },
	{ "jobs", 'j', "N", AT(sink, jobs), "read and print with N threads" },
	{ "output", 'o', "FILE", AT_APP(output), "write to FILE" },
	{ "style", 'S', "STYLE", AT(sink, style), "print as trace (default), legacy, raw, json, csv, folded, ctf, ctf2, ctf-lttng, perfetto: dktrace-styles(7)", .offers = OFFER_STYLES },
);

struct reporting {
	struct app *app;
	struct inputs in; /* all files */
	struct record_args args;
	struct outfile file;
	bool boots; /* the files are the boots of one directory, printed one after the other */
	bool closed; /* the reader of the output closed the pipe */
};

/* ---- boots ---- */

/* Writes a line before the records of another boot, whose clock begins anew. */
static int put_boot(const struct reporting *r, const struct input *in, struct sink *sink)
{
	const char *kernel = dkt_source_info(in->source)->kernel, *style = r->args.sink.style.name;
	int64_t time = input_time(in);
	char when[DKT__WHEN_SIZE];

	if (!dkt__format_when(time, when))
		return 0;
	if (!strcmp(style, "json")) {
		dkt_buf_str(sink->out.buf, "{\"boot\":");
		dkt__buf_u64(sink->out.buf, (uint64_t)time, 0, ' ');
		dkt_buf_str(sink->out.buf, "}\n");
	} else if (!strcmp(style, "trace")) {
		dkt_buf_str(sink->out.buf, "# another boot, from ");
		dkt_buf_str(sink->out.buf, when);
		dkt_buf_str(sink->out.buf, " on; kernel ");
		dkt_buf_text(sink->out.buf, kernel ?: "unknown", strlen(kernel ?: "unknown"));
		dkt_buf_str(sink->out.buf, "\n");
	}
	return dkl_text_out_write(&sink->out);
}

/* ---- files that are printed in one order ---- */

static int print_records(struct reporting *r, struct inputs *in, struct sink *sink)
{
	struct dkt_source *source = in->pipeline.source;
	uint64_t to;
	int counted, err = dkl_sink_open(sink, &r->args.sink, &in->pipeline, &r->file);

	if (!err && r->boots && in->files[0].in.after)
		err = put_boot(r, &in->files[0].in, sink);
	if (err)
		return err;
	progress_source(&in->progress, source, !r->app->output);
	/* A source that cannot seek is read by one thread. */
	if (r->args.jobs > 1 && !dkt__source_slice(source, 0, 1, &to)) {
		err = jobs_run(in, sink, &r->args, r->args.jobs, &r->file);
	} else {
		err = dkl_pipeline_print(&in->pipeline, sink);
		counted = dkl_pipeline_count(&in->pipeline);
		err = err ? err : counted;
	}
	progress_end(&in->progress);
	return err || !r->args.sink.whole ? err : dkl_outfile_commit(&r->file);
}

/* Returns the exit status. */
static int print_group(struct reporting *r, struct inputs *in)
{
	struct sink sink = { 0 };
	int rc, err = inputs_start(in, &r->args, r->in.n > 1 && !r->boots);

	if (!err)
		err = print_records(r, in, &sink);
	r->closed = sink.out.closed;
	if (err)
		rc = r->closed ? EXIT_PIPE : app_fail(r->app);
	else
		rc = inputs_report_losses(in);
	dkl_sink_close(&sink);
	return rc;
}

/* ---- the whole ---- */

/* Reports and skips files that cannot be opened. Returns the exit status. */
static int open_all(struct reporting *r)
{
	struct inputs *in = &r->in;
	int rc = 0;

	for (size_t i = 0; i < in->n;)
		if (inputs_open_file(in, &i, &r->args))
			rc = app_fail(r->app);
	if (inputs_check_events(in, &r->args.selection))
		rc = app_fail(r->app);
	return inputs_name(in) ? app_fail(r->app) : rc;
}

/* Puts into list the files whose times can be compared with those of file first. */
static int find_group(struct reporting *r, size_t first, size_t *list, size_t *n)
{
	struct inputs *in = &r->in;
	int err;

	list[(*n)++] = first;
	for (size_t i = first + 1; !r->boots && i < in->n; i++) {
		if (!in->files[i].in.source)
			continue;
		err = inputs_relate(in, i, first);
		if (!err) {
			list[(*n)++] = i;
		} else if (r->args.sink.whole) {
			return err;
		} else {
			app_say("%s; the records of %s follow", dkt_error(r->app->ctx),
				in->files[i].in.path);
		}
	}
	return 0;
}

/* Returns the exit status. */
static int report_group(struct reporting *r, struct inputs *in)
{
	if (causes_narrow(in, &r->args))
		return app_fail(r->app);
	for (size_t i = 1; i < in->n; i++)
		if (in->files[i].known != INPUTS_ONE_CLOCK)
			inputs_report_offset(in, i, 0);
	return print_group(r, in);
}

static int print_all(struct reporting *r)
{
	size_t *list __cleanup(free) = calloc(r->in.n, sizeof(*list));
	int rc = 0;

	if (!list)
		return app_usage("out of memory");
	for (size_t i = 0; !r->closed && i < r->in.n; i++) {
		struct inputs group = { 0 };
		size_t n = 0;

		if (!r->in.files[i].in.source)
			continue;
		if (find_group(r, i, list, &n) || inputs_take(&r->in, list, n, &group))
			return app_fail(r->app);
		rc = app_worse(report_group(r, &group), rc);
		inputs_clear(&group);
	}
	return rc;
}

/* True if a file has the field, or may have it: the events of a saved log come with its records. */
static bool has_field(const struct inputs *in, const char *name, struct dkt__guess *guess)
{
	struct dkt__guess_votes votes = { .guess = guess };
	struct dkt_event *const *events;
	const struct dkt_field *const *fields;
	size_t n, n_fields;
	const char *other;
	bool any = false;

	if (dkt__every_field(name, strlen(name)))
		return true;
	dkt__guess_start(guess, name, strlen(name));
	for (size_t i = 0; (other = dkt__style_field(i)); i++) {
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
				dkt__guess_vote(&votes, fields[n_fields]->name);
		}
	}
	dkt__guess_elect(&votes);
	return !any;
}

static int check_fields(const struct inputs *in, struct record_args *args)
{
	struct dkt__guess guess;

	for (size_t i = 0; i < args->fields.n; i++)
		if (!has_field(in, args->fields.list[i], &guess))
			return app_usage("--fields: no event in the files has a field '%s'%s",
					 args->fields.list[i], dkt__guess_words(&guess));
	return 0;
}

int cmd_report(struct app *app, int argc, char **argv)
{
	struct reporting r = { .app = app, .file = OUTFILE_INIT };
	int bad = 0, rc = record_args_sink(app, app->output, "trace", &r.args);

	if (!rc)
		rc = inputs_new(app, argv + 1, (size_t)argc - 1, &r.in);
	if (!rc && dkl_sink_open_file(app->ctx, &r.args.sink, app->output, &r.file))
		rc = app_fail(app);
	if (!r.args.sink.whole)
		dkt__stop_on_end();
	r.args.once = r.in.n == 1;
	if (!rc) {
		bad = open_all(&r);
		r.boots = argc == 2 && r.in.n > 1 && !r.in.collected && !r.args.sink.whole;
		rc = check_fields(&r.in, &r.args);
	}
	/* A file that is all or nothing needs the records of all inputs. */
	if (!rc && !(bad && r.args.sink.whole))
		rc = print_all(&r);
	rc = bad ? bad : rc;
	if (inputs_lack_hosts(&r.in))
		rc = app_worse(rc, EXIT_LOST);
	if (rc == EXIT_FAILED)
		dkl_outfile_drop_empty(&r.file);
	if (r.file.path && !r.args.sink.whole && dkl_outfile_commit(&r.file) && !rc)
		rc = app_fail(app);
	print_output(&r.file);
	dkl_outfile_close(&r.file);
	inputs_clear(&r.in);
	record_args_clear(&r.args);
	return rc;
}
