/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an analysis over files, or over what it records live. */
#include "ctl/analyze/run.h"

#include <inttypes.h>

#include "compat/lustre/log_source.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

OPT_VALUES(analyze);

OPT_TABLE(period,
	{ "period", 0, "DEFINITION", AT(analyze, periods), "define a period: 'NAME: begin EVENTS; end EVENTS[FIELD == $begin.FIELD]; show FIELDS', or the name of a pair of latency", .joint = '\x1f', .flags = OPT_FAR, .offers = OFFER_INTERVALS },
	{ "took", 0, "TIME", AT(analyze, took), "take intervals that are longer than TIME, '>10ms', or shorter, '<1ms'", .flags = OPT_FAR },
);

#define STACK_EVENT "ftrace:kernel_stack"

/* ---- events ---- */

/* Returns the event of a row, or one of those of a row for several; NULL: there is none. */
static struct dkt_event *find_event(struct dkt_ctx *ctx, const struct analysis_event *row)
{
	const char *colon = strchr(row->name, ':');
	struct dkt_event *const *all, *event;
	char system[64];
	size_t n;

	snprintf(system, sizeof(system), "%.*s", (int)(colon - row->name), row->name);
	if (!strpbrk(row->name, "*?[")) {
		event = dkt_event_find(ctx, system, colon + 1);
		/* That one file lacks it is no failure: another may have it. */
		if (!event)
			free(dkt__error_take(ctx));
		return event;
	}
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
		if (strcmp(kind->events[i].name, STACK_EVENT) != 0)
			fprintf(f, "%s%s", i ? between : "", kind->events[i].name);
	return f && !fclose(f) ? text : NULL;
}

static int fail_missing(const struct run *run, const bool *has, const char *what)
{
	const struct analysis *analysis = run->analysis;
	char *names __cleanup(free) = missing(analysis->kind, has);
	char *all __cleanup(free) = run_event_names(analysis->kind, ",");
	char *file __cleanup(free) = dkt__format("%s has", run->n_files ? run->files[0] : "");
	bool several = run->n_files > 1;

	if (!names || !all || !file)
		return -ENOMEM;
	if (!run->n_files)
		return dkt_fail(run->ctx, -ENOENT, "%s: this kernel has no event %s",
				analysis->name, names);
	if (dkl_log_source_is(run->in.pipeline.parts[0].source))
		return dkt_fail(run->ctx, -ENOENT,
				"%s: lines of a debug log have no fields to analyze; 'dktrace dk"
				" --format trace.dat FILE' saves records that have",
				analysis->name);
	return dkt_fail(several ? run->app->ctx : run->ctx, -ENOENT,
			"%s: %s no %s %s; to record what it needs: dktrace record -e %s",
			analysis->name, several ? "the files have" : file, what, names, all);
}

int run_check(const struct run *run)
{
	const struct analysis_kind *kind = run->analysis->kind;
	bool *has __cleanup(free) = calloc(kind->n_events, sizeof(*has));
	struct dkt_event *const *all;
	size_t n;

	if (!has)
		return -ENOMEM;
	for (size_t j = 0; j < DKT__MAX(run->in.n, 1); j++) {
		struct dkt_ctx *ctx = run->n_files ? run->in.files[j].in.ctx : run->ctx;

		/* The events of a saved text come with its records. */
		if (run->n_files && (dkt_events(ctx, &all, &n) || !n))
			return 0;
		for (size_t i = 0; i < kind->n_events; i++)
			has[i] |= find_event(ctx, &kind->events[i]) != NULL;
	}
	return analysis_suffices(kind, has) ? 0 : fail_missing(run, has, "event");
}

/* After the last record: an analysis of no records would have no answer, and not say why. */
static int check_records(const struct run *run)
{
	const struct analysis_kind *kind = run->analysis->kind;
	bool *has __cleanup(free) = calloc(kind->n_events, sizeof(*has));
	bool suffices = false;

	if (!has)
		return -ENOMEM;
	/* A message names what none of the machines has. */
	for (size_t j = 0; !suffices && j < run->n_machines; j++) {
		for (size_t i = 0; i < kind->n_events; i++)
			has[i] |= analyze_has(run->machines[j].analyze, i);
		suffices = analysis_suffices(kind, has);
	}
	return suffices ? 0 : fail_missing(run, has, "record of");
}

/* ---- machines ---- */

/* Files of one machine and boot share PIDs and CPUs. */
static int find_machines(struct run *run)
{
	struct inputs *in = &run->in;

	run->machine_of = calloc(in->n, sizeof(*run->machine_of));
	if (!run->machine_of)
		return -ENOMEM;
	for (size_t i = 0; i < in->n; i++) {
		size_t m = 0;

		while (m < run->n_machines && !inputs_same_boot(in, run->machines[m].file, i))
			m++;
		run->machine_of[i] = m;
		if (m == run->n_machines &&
		    dkt__append(run->machines, run->n_machines,
				(struct run_machine){ .run = run, .file = i }))
			return -ENOMEM;
	}
	return 0;
}

/* The host's name, unless several boots of it are there. */
static void name_machine(const struct run *run, struct run_machine *machine)
{
	const struct inputs_file *files = run->in.files;
	const char *host = dkt_source_info(files[machine->file].in.source)->host, *other;

	for (size_t i = 0; host && i < run->n_machines; i++) {
		other = dkt_source_info(files[run->machines[i].file].in.source)->host;
		if (&run->machines[i] != machine && other && !strcmp(host, other))
			host = NULL;
	}
	machine->name = host ? host : files[machine->file].name;
}

static int pass_row(void *data, const struct result_table *table, const struct result_cell *cells)
{
	const struct run_machine *machine = data;

	return machine->run->row(machine->run->data, machine, table, cells);
}

int run_new(struct run *run, const struct analyze_opts *opts)
{
	struct analyze_opts with = *opts;
	bool open = run->in.pipeline.n;
	int err = 0;

	if (open)
		err = find_machines(run);
	else if (dkt__append(run->machines, run->n_machines, (struct run_machine){ .run = run }))
		err = -ENOMEM;
	with.row = pass_row;
	with.least = run->least;
	with.most = run->most;
	with.who = run->who.n_pids || run->who.comms.n ? &run->who : NULL;
	for (size_t i = 0; !err && i < run->n_machines; i++) {
		struct run_machine *machine = &run->machines[i];

		with.data = machine;
		if (run->n_machines > 1)
			name_machine(run, machine);
		err = analyze_new(open ? run->in.files[machine->file].in.ctx : run->ctx,
				  run->analysis, &with, &machine->analyze);
	}
	return err;
}

void run_missed(const struct run *run, struct analyze_missed *missed)
{
	*missed = (struct analyze_missed){ 0 };
	for (size_t i = 0; i < run->n_machines; i++) {
		const struct analyze_missed *of_machine = analyze_missed(run->machines[i].analyze);

		missed->lost += of_machine->lost;
		missed->open += of_machine->open;
		missed->endless += of_machine->endless;
		missed->unbegun += of_machine->unbegun;
		missed->cut += of_machine->cut;
		missed->backwards += of_machine->backwards;
		missed->restarts += of_machine->restarts;
	}
}

void run_range(const struct run *run, uint64_t *from, uint64_t *to)
{
	uint64_t begin, end;

	analyze_range(run->machines[0].analyze, from, to);
	for (size_t i = 1; i < run->n_machines; i++) {
		analyze_range(run->machines[i].analyze, &begin, &end);
		/* One without records has no times. */
		if (begin && (!*from || begin < *from))
			*from = begin;
		*to = DKT__MAX(*to, end);
	}
}

/* ---- opening ---- */

const char *run_guess(struct dkt__guess *guess, const char *name)
{
	const struct analysis *analysis = NULL;

	dkt__guess_start(guess, name, strlen(name));
	while ((analysis = analysis_next(analysis)))
		dkt__guess_try(guess, analysis->name);
	return dkt__guess_words(guess);
}

/* An interval has records of several processes: these options choose rows, not records. */
static int read_who(struct run *run)
{
	struct app *app = run->app;
	struct select_options *given = OPT_CHANGE(app, select);
	const struct selection_words words = { .pids = given->pid, .comms = given->comm };

	given->pid = given->comm = NULL;
	return dkl_selection_read(app->ctx, &words, &run->who) ?
		       app_usage("%s", dkt_error(app->ctx)) :
		       0;
}

static int read_durations(struct run *run)
{
	const char *text = OPT(run->app, analyze)->took;

	if (!text)
		return 0;
	if (run->analysis->view == VIEW_TABLES)
		return app_usage("--took: %s has no intervals", run->analysis->name);
	return opt_durations(text, &run->least, &run->most);
}

int run_read(struct run *run, const char *name)
{
	struct dkt__guess guess;
	int rc;

	run->analysis = analysis_find(name);
	if (!run->analysis)
		return app_usage("%s: unknown analysis '%s'; 'dktrace analyze' lists them%s",
				 run->app->command->name, name, run_guess(&guess, name));
	if (analysis_takes_periods(run->analysis) && !OPT(run->app, analyze)->periods)
		return app_usage("%s: which periods? --period 'NAME: begin EVENTS; end EVENTS', or"
				 " --period syscall",
				 name);
	if (!analysis_takes_periods(run->analysis) && OPT(run->app, analyze)->periods)
		return app_usage("%s: --period goes with periodlog, periodtop, periodstats and"
				 " periodfreq",
				 name);
	rc = read_durations(run);
	if (!rc && OPT(run->app, analyze)->keys && run->analysis->view == VIEW_TABLES)
		rc = app_usage("--keys: %s has no intervals", name);
	if (!rc)
		rc = read_who(run);
	if (!rc)
		rc = live_args_read(run->app, &run->args);
	run->args.once = run->n_files == 1;
	return rc || !run->n_files ? rc : inputs_new(run->app, run->files, run->n_files, &run->in);
}

int run_define(struct run *run)
{
	int err;

	if (!analysis_takes_periods(run->analysis))
		return 0;
	err = period_run_new(run->ctx, run->analysis, OPT(run->app, analyze)->periods,
			     &run->periods);
	if (!err)
		run->analysis = period_run_analysis(run->periods);
	return err;
}

int run_open(struct run *run)
{
	int err;

	if (!run->n_files)
		err = live_args_open(run->app, &run->args, &run->in, &run->ctx);
	else if (run->n_files == 1)
		/* The boots of one directory need no words about their times. */
		err = inputs_open_quietly(&run->in, &run->args);
	else
		err = inputs_open_all(&run->in, &run->args);
	if (!err && run->n_files)
		run->ctx = run->in.files[0].in.ctx;
	if (!err)
		err = run_define(run);
	return err || !run->periods ? err : period_run_check(run->periods);
}

/* ---- running ---- */

static void set_wall(struct run *run, const struct dkt_source *source)
{
	const struct dkt_source_info *info = dkt_source_info(source);

	run->has_wall = info->has_wall;
	run->wall = info->has_wall ? info->wall : 0;
}

static int finish(struct run *run)
{
	int err = 0;

	for (size_t i = 0; !err && i < run->n_machines; i++)
		err = analyze_end(run->machines[i].analyze);
	return err ? err : run->finish(run->data);
}

static int pass_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	const struct run *run = data;
	const struct pipeline *pipeline = &run->in.pipeline;
	size_t file = (size_t)(pipeline_part(pipeline, record) - pipeline->parts);

	return analyze_record(run->machines[run->machine_of[file]].analyze, source, record);
}

static int run_input(struct run *run, int *rc)
{
	struct pipeline *pipeline = &run->in.pipeline;
	int err;

	/* A source that cannot leave out records returns all. */
	if (dkt_source_select(pipeline->source, analyze_wants, run->machines[0].analyze) == -ENOMEM)
		return -ENOMEM;
	set_wall(run, pipeline->source);
	err = run->n_machines > 1 ? inputs_each(&run->in, pass_record, run) :
				    inputs_each(&run->in, analyze_record, run->machines[0].analyze);
	for (size_t i = 0; i < pipeline->n; i++)
		losses_add_to(&run->all, &pipeline->parts[i].losses);
	if (!err)
		err = check_records(run);
	if (!err)
		err = finish(run);
	if (!err)
		*rc = inputs_report_losses(&run->in);
	return err;
}

static int take_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct run *run = data;

	return analyze_record(run->machines[0].analyze, source, record);
}

static int take_idle(void *data)
{
	struct run *run = data;

	return run->idle ? run->idle(run->data) : 0;
}

static int take_end(void *data, struct dkt_source *source, const struct losses_sum *all)
{
	struct run *run = data;

	set_wall(run, source);
	run->all = *all;
	return finish(run);
}

/* Lists the events to record. The caller frees the list, also after -ENOMEM. */
static int list_events(const struct run *run, struct live_event **events, size_t *n)
{
	const struct analysis_kind *kind = run->analysis->kind;
	struct dkt_event *const *all;
	size_t n_all;
	int err = dkt_events(run->ctx, &all, &n_all);

	for (size_t i = 0; !err && i < n_all; i++) {
		bool wanted = false;

		for (size_t j = 0; !wanted && j < kind->n_events; j++) {
			/* Other events of the analysis tell the same of all system calls. */
			if (!kind->live_globs && strchr(kind->events[j].name, '*'))
				continue;
			/* It comes with an option, not by itself. */
			if (!strcmp(kind->events[j].name, STACK_EVENT))
				continue;
			wanted = analysis_event_is(&kind->events[j], all[i]);
		}
		if (wanted)
			err = dkt__append(*events, *n, (struct live_event){ .event = all[i] });
	}
	return err;
}

static int run_live(struct run *run, int *rc)
{
	struct live_event *events __cleanup(free) = NULL;
	struct live_opts opts = { .kind = "analyze",
				  .doing = "recording",
				  .stacks = run->stacks,
				  .command = run->command,
				  .seconds = run->seconds,
				  .record = take_record,
				  .idle = take_idle,
				  .report = take_end,
				  .data = run };

	int err = list_events(run, &events, &opts.n);

	opts.events = events;
	return err ? err : live_run(run->app, &opts, rc);
}

int run_all(struct run *run, const struct analyze_opts *opts, int *rc)
{
	int err = run_check(run);

	if (!err)
		err = run_new(run, opts);
	run->app->wrong = err == -EINVAL;
	if (err)
		return err;
	return run->n_files ? run_input(run, rc) : run_live(run, rc);
}

int run_close(struct run *run, int err, int rc)
{
	for (size_t i = 0; i < run->n_machines; i++)
		analyze_free(run->machines[i].analyze);
	free(run->machines);
	free(run->machine_of);
	dkl_selection_clear(&run->who);
	period_run_free(run->periods);
	return live_args_close(run->app, &run->args, &run->in, err, rc);
}
