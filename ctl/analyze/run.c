/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an analysis over a file, or over what it records live. */
#include "analyze/run.h"

#include <inttypes.h>

#include "app/live.h"
#include "base/buf.h"
#include "lustre/log_source.h"

/* ---- events ---- */

/* Returns the event of a row, or one of those of a row for several; NULL: there is none. */
static struct dkt_event *find_event(struct dkt_ctx *ctx, const struct analysis_event *row)
{
	const char *colon = strchr(row->name, ':');
	struct dkt_event *const *all;
	char system[64];
	size_t n;

	snprintf(system, sizeof(system), "%.*s", (int)(colon - row->name), row->name);
	if (!strchr(row->name, '*'))
		return dkt_event_find(ctx, system, colon + 1);
	if (dkt_events(ctx, &all, &n))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (analysis_event_is(row, all[i]))
			return all[i];
	return NULL;
}

/* Returns "a:b, c:d or e:f": the events that the analysis needs and has not; the caller frees it. */
static char *missing(const struct analysis_kind *kind, const bool *has)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	const char *between = "";
	bool has_one = false;

	if (!f)
		return NULL;
	for (size_t i = 0; i < kind->n_events; i++)
		has_one |= kind->events[i].need == NEED_ONE && has[i];
	for (size_t i = 0; i < kind->n_events; i++) {
		enum analysis_need need = kind->events[i].need;

		if (has[i] || need == NEED_NONE || (need == NEED_ONE && has_one))
			continue;
		fprintf(f, "%s%s", between, kind->events[i].name);
		between = need == NEED_ONE ? " or " : ", ";
	}
	return fclose(f) ? NULL : text;
}

char *run_event_names(const struct analysis_kind *kind, const char *between)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < kind->n_events; i++)
		fprintf(f, "%s%s", i ? between : "", kind->events[i].name);
	return f && !fclose(f) ? text : NULL;
}

static int fail_missing(const struct run *run, const bool *has, const char *what)
{
	const struct analysis *it = run->analysis;
	char *names __cleanup(free) = missing(it->kind, has);
	char *all __cleanup(free) = run_event_names(it->kind, ",");

	if (!names || !all)
		return -ENOMEM;
	if (!run->app->input)
		return dkt_fail(run->ctx, -ENOENT, "%s: this kernel has no event %s", it->name,
				names);
	if (log_source_is(run->in.line.source))
		return dkt_fail(run->ctx, -ENOENT,
				"%s: lines of a debug log have no fields to analyze; 'dktrace dk"
				" --format trace.dat FILE' saves records that have",
				it->name);
	return dkt_fail(run->ctx, -ENOENT,
			"%s: %s has no %s %s; to record what it needs: dktrace record -e %s",
			it->name, run->app->input, what, names, all);
}

int run_check(const struct run *run)
{
	const struct analysis_kind *kind = run->analysis->kind;
	bool *has __cleanup(free) = calloc(kind->n_events, sizeof(*has));
	struct dkt_event *const *all;
	size_t n;

	if (!has)
		return -ENOMEM;
	/* The events of a saved text come with its records. */
	if (run->app->input && (dkt_events(run->ctx, &all, &n) || !n))
		return 0;
	for (size_t i = 0; i < kind->n_events; i++)
		has[i] = find_event(run->ctx, &kind->events[i]);
	return analysis_suffices(kind, has) ? 0 : fail_missing(run, has, "event");
}

/* After the last record: an analysis of no records would have no answer, and not say why. */
static int check_records(const struct run *run)
{
	const struct analysis_kind *kind = run->analysis->kind;
	bool *has __cleanup(free) = calloc(kind->n_events, sizeof(*has));

	if (!has)
		return -ENOMEM;
	for (size_t i = 0; i < kind->n_events; i++)
		has[i] = analyze_has(run->analyze, i);
	if (analysis_suffices(kind, has) || !run->app->input)
		return 0;
	return fail_missing(run, has, "record of");
}

/* ---- running ---- */

const char *run_guess(struct dkt__guess *guess, const char *name)
{
	const struct analysis *it = NULL;

	dkt__guess_start(guess, name, strlen(name));
	while ((it = analysis_next(it)))
		dkt__guess_try(guess, it->name);
	return dkt__guess_words(guess);
}

int run_read(struct run *run, const char *name)
{
	struct dkt__guess guess;

	run->analysis = analysis_find(name);
	if (!run->analysis)
		return app_usage("%s: unknown analysis '%s'; 'dktrace analyze' lists them%s",
				 run->app->command->name, name, run_guess(&guess, name));
	return live_args_read(run->app, &run->args);
}

int run_open(struct run *run)
{
	return live_args_open(run->app, &run->args, &run->in, &run->ctx);
}

static void set_wall(struct run *run, const struct dkt_source *source)
{
	const struct dkt_source_info *info = dkt_source_info(source);

	run->has_wall = info->has_wall;
	run->wall = info->has_wall ? info->wall : 0;
}

static int finish(struct run *run)
{
	int err = analyze_end(run->analyze);

	return err ? err : run->finish(run->data);
}

static int run_input(struct run *run, int *rc)
{
	const struct losses *losses = &run->in.line.parts[0].losses;
	int err;

	/* A source that cannot leave out records returns all. */
	if (dkt_source_select(run->in.line.source, analyze_wants, run->analyze) == -ENOMEM)
		return -ENOMEM;
	set_wall(run, run->in.line.source);
	err = inputs_each(&run->in, analyze_record, run->analyze);
	run->seen = losses->seen;
	run->lost = losses->lost;
	if (!err)
		err = check_records(run);
	if (!err)
		err = finish(run);
	if (!err)
		*rc = inputs_report_losses(&run->in);
	return err;
}

/* An error of the analysis may have no message of its own. */
static int take_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct run *run = data;

	return analyze_record(run->analyze, source, record);
}

static int take_idle(void *data)
{
	struct run *run = data;

	return run->idle ? run->idle(run->data) : 0;
}

static int take_end(void *data, struct dkt_source *source, uint64_t seen, uint64_t lost)
{
	struct run *run = data;

	set_wall(run, source);
	run->seen = seen;
	run->lost = lost;
	return finish(run);
}

static int run_live(struct run *run, int *rc)
{
	const struct analysis_kind *kind = run->analysis->kind;
	struct live_event *events __cleanup(free) = calloc(kind->n_events, sizeof(*events));
	struct live_opts opts = { .kind = "analyze",
				  .doing = "recording",
				  .events = events,
				  .command = run->command,
				  .seconds = run->seconds,
				  .record = take_record,
				  .idle = take_idle,
				  .report = take_end,
				  .data = run };

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < kind->n_events; i++) {
		/* Other events of the analysis tell the same of all system calls. */
		if (strchr(kind->events[i].name, '*'))
			continue;
		events[opts.n].event = find_event(run->ctx, &kind->events[i]);
		opts.n += events[opts.n].event != NULL;
	}
	return live_run(run->app, &opts, rc);
}

int run_all(struct run *run, const struct analyze_opts *opts, int *rc)
{
	struct analyze_opts with = *opts;
	int err = run_check(run);

	with.live = !run->app->input;
	if (!err)
		err = analyze_new(run->ctx, run->analysis, &with, &run->analyze);
	if (err)
		return err;
	return run->app->input ? run_input(run, rc) : run_live(run, rc);
}

int run_close(struct run *run, int err, int rc)
{
	analyze_free(run->analyze);
	return live_args_close(run->app, &run->args, &run->in, err, rc);
}
