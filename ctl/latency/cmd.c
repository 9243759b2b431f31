/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency: how long from one event to another. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "app/opt.h"
#include "input/input.h"
#include "latency/latency.h"
#include "log/debuglog.h"

/* Rows of one name are fewer. */
#define SETS_MAX 4

struct latency {
	struct app *app;
	struct dkt_ctx *ctx; /* of this kernel, or of the one that a file was recorded on */
	struct latency_pair pair; /* what is asked for, ready-made or not */
	struct latency_set sets[SETS_MAX]; /* of a file all rows of a name are tried at once */
	size_t n;
	struct dkt_expr *filter;
	char **command; /* NULL: none */
	double seconds; /* to watch; 0: no bound */
	struct latency_view view;
	struct dkt_source *source; /* of the records; NULL: there was none yet */
	const char *function; /* whose entry and return it is, NULL: none */
	char *group; /* of probes that were made for it; NULL: none */
	char *names[2]; /* of their events */
};

/* ---- which pair ---- */

static const struct latency_pair *find_name(const char *name, const struct latency_pair *after)
{
	const struct latency_pair *pair = after;

	while ((pair = latency_pair_next(pair)) && strcmp(pair->name, name) != 0)
		;
	return pair;
}

/* Whether one of the rows of that name can be measured. */
static bool is_there(struct latency *latency, const char *name)
{
	const struct latency_pair *pair = NULL;
	struct latency_set set;
	bool usable = false;

	while (!usable && (pair = find_name(name, pair))) {
		usable = !latency_find(latency->ctx, pair, &set) && set.usable;
		latency_set_clear(&set);
	}
	return usable;
}

static const char *guess_pair(struct dkt__guess *guess, const char *name)
{
	const struct latency_pair *pair = NULL;

	dkt__guess_start(guess, name, strlen(name));
	while ((pair = latency_pair_next(pair)))
		dkt__guess_try(guess, pair->name);
	return dkt__guess_words(guess);
}

static int list_pairs(struct latency *latency)
{
	const char *none = latency->app->input ? " (the file does not have the events)" :
						 " (this kernel does not have the events)";
	const struct latency_pair *pair = NULL, *before = NULL;

	printf("Ready-made pairs:\n");
	for (; (pair = latency_pair_next(pair)); before = pair) {
		if (before && !strcmp(before->name, pair->name))
			continue;
		printf("  %-12s %s%s\n", pair->name, pair->help,
		       is_there(latency, pair->name) ? "" : none);
	}
	return 0;
}

/* --key and --by come before what is ready-made. */
static struct latency_pair asked(const struct latency *latency, const struct latency_pair *row)
{
	struct latency_pair pair = *row;
	const struct app *app = latency->app;

	if (app->key)
		pair.key = app->key;
	if (app->by)
		pair.by = strcmp(app->by, "none") != 0 ? app->by : NULL;
	return pair;
}

static int set_up_pairs(struct latency *latency, struct latency_set *set, int slowest)
{
	const struct latency_pair *pair = &set->pair;
	DKT_OPTS(dkt_pairs_opts, opts, .key = pair->key, .by = pair->by,
		 .slowest = (uint32_t)slowest, .skip = getpid());
	size_t i;
	int err;

	/* Live the kernel filters what is recorded. */
	opts.filter = latency->app->input || latency->app->kernel ? latency->filter : NULL;
	err = dkt_pairs_new(latency->ctx, &opts, &set->pairs);
	for (i = 0; !err && i < set->n; i++)
		err = dkt_pairs_event(set->pairs, set->events[i].event,
				      i < set->n_begin ? DKT_PAIR_BEGIN : DKT_PAIR_END);
	/* One of the events must have the fields of the condition. */
	for (i = 0; !err && latency->filter && i < set->n; i++) {
		err = dkt_expr_check(latency->filter, set->events[i].event);
		if (err != -ENOENT)
			return err;
	}
	return err;
}

/* Adds the row to those that are tried, if it can be measured. */
static int try_row(struct latency *latency, const struct latency_pair *row, int slowest,
		   struct latency_set *none)
{
	struct latency_pair pair = asked(latency, row);
	struct latency_set *set = &latency->sets[latency->n];
	int err = latency_find(latency->ctx, &pair, set);

	if (!err && !set->usable) {
		latency_set_clear(none);
		*none = *set;
		*set = (struct latency_set){ 0 };
		return 0;
	}
	if (!err)
		err = set_up_pairs(latency, set, slowest);
	/* A condition may be of the fields of one row only. */
	if (err == -ENOENT && latency->n) {
		latency_set_clear(set);
		return 0;
	}
	latency->n += !err;
	if (err)
		latency_set_clear(set);
	return err;
}

/* Live one row is measured: the first all of whose events there are, else the first with some. */
static void keep_one(struct latency *latency)
{
	size_t i, best = 0;

	while (best < latency->n && latency->sets[best].missing)
		best++;
	if (best == latency->n)
		best = 0;
	for (i = 0; i < latency->n; i++)
		if (i != best)
			latency_set_clear(&latency->sets[i]);
	latency->sets[0] = latency->sets[best];
	if (best)
		latency->sets[best] = (struct latency_set){ 0 };
	latency->n = 1;
}

/* Live the first row all of whose events there are is measured; of a file, what its records fit. */
static bool has_enough(const struct latency *latency)
{
	return latency->n == SETS_MAX ||
	       (latency->n && !latency->app->input && !latency->sets[latency->n - 1].missing);
}

static int set_up(struct latency *latency, int slowest)
{
	const char *name = latency->pair.name;
	const struct latency_pair *row = name ? find_name(name, NULL) : &latency->pair;
	struct latency_set none = { 0 };
	int err = 0, first = 0;

	if (latency->app->condition)
		err = mask_expr(latency->ctx, latency->app->condition, &latency->filter);
	for (; !err && row && !has_enough(latency); row = name ? find_name(name, row) : NULL) {
		err = try_row(latency, row, slowest, &none);
		/* Another row may fit what is asked for. */
		if (err == -ENOENT && name && find_name(name, row)) {
			first = err;
			err = 0;
		}
	}
	if (!err && !latency->n)
		err = first ? first : latency_none(latency->ctx, &none, latency->source);
	latency_set_clear(&none);
	if (err)
		return err;
	if (!latency->app->input)
		keep_one(latency);
	return 0;
}

/* ---- entry and return of a function: probes of our own ---- */

#define FUNCTION "function"

static int make_probe(struct latency *latency, const char *place, int i)
{
	static const char *const names[] = { "entry", "return" };
	struct dkt_probe probe = { .kind = DKT_PROBE_KPROBE,
				   .on_return = i,
				   .group = latency->group,
				   .name = names[i],
				   .place = place,
				   .fields = "" };
	int err = dkt_probe_create(latency->ctx, &probe);

	if (err)
		return dkt_probe_refused(latency->ctx, &probe, err);
	if (asprintf(&latency->names[i], "%s:%s", latency->group, names[i]) < 0) {
		latency->names[i] = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int make_probes(struct latency *latency, const char *place)
{
	char *prefix __cleanup(free) = live_name(latency->app, "latency");
	int i, err = prefix ? dkt_caps_check(latency->ctx, DKT_NEED_CONTROL) : -ENOMEM;

	if (!err)
		err = dkt_own_group(latency->ctx, prefix, &latency->group);
	for (i = 0; !err && i < 2; i++)
		err = make_probe(latency, place, i);
	if (err)
		return err;
	latency->pair.begin = latency->names[0];
	latency->pair.end = latency->names[1];
	return 0;
}

/* The words of the failure that is being told stay. */
static void remove_probes(struct latency *latency)
{
	char *words = dkt_error_take(latency->ctx);
	int i;

	for (i = 0; i < 2; i++) {
		if (latency->names[i] &&
		    dkt_probe_remove(latency->ctx, latency->group, i ? "return" : "entry"))
			app_say("%s; 'dktrace reset' will remove it", dkt_error(latency->ctx));
		free(latency->names[i]);
	}
	free(latency->group);
	dkt_error_give(latency->ctx, 0, words);
}

/* ---- arguments ---- */

/* The arguments: a ready-made pair or two events, then a command. */
static int read_args(struct latency *latency, int argc, char **argv)
{
	struct app *app = latency->app;
	bool function = !strcmp(argv[1], FUNCTION);
	struct dkt__guess guess;
	const struct latency_pair *row = function ? NULL : find_name(argv[1], NULL);
	int used = row ? 2 : 3, words = argc - app->n_command;

	if (function) {
		if (words < 3 || app->input)
			return app_usage("latency function: needs the name of a function of this"
					 " kernel");
		latency->pair = (struct latency_pair){ .key = "common_pid", .per_task = true };
		latency->function = argv[2];
	} else if (row) {
		latency->pair = *row;
	} else {
		if (words < 3)
			return app_usage(
				"latency: '%s' is no ready-made pair ('dktrace latency' lists"
				" them), and one event is not two%s",
				argv[1], guess_pair(&guess, argv[1]));
		latency->pair = (struct latency_pair){ .begin = argv[1], .end = argv[2] };
	}
	latency->pair = asked(latency, &latency->pair);
	if (!latency->pair.key)
		return app_usage(
			"latency: which records belong together is for --key to say, such as"
			" --key common_pid");
	if (argc > used)
		latency->command = argv + used;
	if (latency->command && app->input)
		return app_usage("latency: a command cannot be run into a file; --input or it");
	return latency_view_read(&latency->view, app, latency->command);
}

/* ---- records ---- */

struct latency_total {
	uint64_t seen, lost;
};

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct latency *latency = data;

	latency->source = source;
	return dkt_pairs_add(latency->sets[0].pairs, source, record);
}

/* The first row that has pairs, otherwise the first row that has records. */
static struct latency_set *choose(struct latency *latency)
{
	struct latency_set *records = NULL;
	struct dkt_pairs_info info;
	size_t i;

	for (i = 0; i < latency->n; i++) {
		dkt_pairs_info(latency->sets[i].pairs, &info);
		if (info.pairs)
			return &latency->sets[i];
		if (!records && (info.begins || info.ends))
			records = &latency->sets[i];
	}
	return records ? records : &latency->sets[0];
}

static int show(struct latency *latency, struct dkt_source *source, uint64_t seen, uint64_t lost,
		bool last)
{
	struct latency_set *set = choose(latency);
	struct app *app = latency->app;
	struct latency_report it = { .app = app,
				     .pairs = set->pairs,
				     .source = source,
				     .title = set->pair.by ? set->pair.by : "",
				     .seen = seen,
				     .lost = lost };
	int err = dkt_pairs_finish(set->pairs);

	if (err)
		return err;
	if (last)
		latency_say_missing(set, app->input);
	if (app->input && !latency->filter)
		latency_say_unpaired(set, app->input);
	err = latency_view_print(&latency->view, &it, last);
	if (last && !app->json && !app->csv)
		latency_print_notes(&it);
	return err;
}

static int report(void *data, struct dkt_source *source, uint64_t seen, uint64_t lost)
{
	return show(data, source, seen, lost, true);
}

static int count_losses(struct dkt_source *source, struct latency_total *total)
{
	int cpu, err = 0, cpus = dkt_source_info(source)->cpus;

	for (cpu = 0; !err && cpu < cpus; cpu++) {
		struct dkt_loss loss;

		err = dkt_source_loss(source, cpu, &loss);
		total->seen += loss.seen;
		total->lost += loss.lost;
	}
	return err;
}

static int run_input(struct latency *latency, struct input *in, int *rc)
{
	struct latency_total total = { 0 };
	struct progress progress;
	struct dkt_record record;
	size_t i;
	int err, bad = 0;

	progress_source(&progress, in->source);
	while (!bad && !(err = progress_next(&progress, in->source, &record)))
		for (i = 0; !bad && i < latency->n; i++)
			bad = dkt_pairs_add(latency->sets[i].pairs, in->source, &record);
	progress_end(&progress);
	if (bad)
		return bad;
	if (err < 0)
		return err;
	err = count_losses(in->source, &total);
	if (!err)
		err = report(latency, in->source, total.seen, total.lost);
	if (!err && total.lost) {
		app_say("%" PRIu64 " records are missing in %s", total.lost, in->path);
		*rc = EXIT_LOST;
	}
	return err;
}

/* Now and then, with --watch. */
static int refresh(void *data)
{
	struct latency *latency = data;
	struct latency_total total = { 0 };
	int err;

	if (!latency_view_due(&latency->view))
		return 0;
	err = latency->source ? count_losses(latency->source, &total) : 0;
	return err ? err : show(latency, latency->source, total.seen, total.lost, false);
}

static int run_live(struct latency *latency, int *rc)
{
	struct app *app = latency->app;
	struct live_opts opts = { .kind = "latency",
				  .doing = "watching",
				  .events = latency->sets[0].events,
				  .n = latency->sets[0].n,
				  .filter = latency->filter,
				  .only_command = latency->command &&
						  latency->sets[0].pair.per_task,
				  .command = latency->command,
				  .seconds = latency->seconds,
				  .record = add_record,
				  .idle = refresh,
				  .report = report,
				  .data = latency };
	struct live_result result;
	int err;

	err = live_run(app, &opts, &result);
	if (err)
		return err;
	*rc = result.status;
	if (result.lost) {
		live_say_lost(&result);
		*rc = *rc ? *rc : EXIT_LOST;
	}
	return 0;
}

/* ---- in the kernel ---- */

static int run_kernel(struct latency *latency, int *rc)
{
	const struct latency_set *set = &latency->sets[0];
	struct latency_kernel opts = { .app = latency->app,
				       .pairs = set->pairs,
				       .begin = set->events[0].event,
				       .end = set->events[1].event,
				       .title = set->pair.by ? set->pair.by : "",
				       .command = latency->command,
				       .seconds = latency->seconds };

	if (set->n != 2)
		return dkt_fail(latency->ctx, -EOPNOTSUPP,
				"the kernel pairs one event with one other, and these are %zu",
				set->n);
	return latency_run_kernel(&opts, rc);
}

/* All but the words of a failure, which may be of the input's own context. */
static int run(struct latency *latency, struct input *in, int *rc)
{
	int slowest = 5, err;

	*rc = opt_number("slowest", latency->app->slowest, &slowest);
	if (*rc)
		return 0;
	err = latency->function ? make_probes(latency, latency->function) : 0;
	if (!err)
		err = set_up(latency, slowest);
	if (err)
		return err;
	if (in)
		return run_input(latency, in, rc);
	return latency->app->kernel ? run_kernel(latency, rc) : run_live(latency, rc);
}

int cmd_latency(struct app *app, int argc, char **argv)
{
	struct latency latency = { .app = app, .ctx = app->ctx };
	struct input in = { 0 };
	int err, rc = 0;
	size_t i;

	if (opt_seconds("time", app->seconds, &latency.seconds))
		return EXIT_USAGE;
	rc = argc < 2 ? 0 : read_args(&latency, argc, argv);
	if (rc)
		return rc;
	err = app->input ? input_open(app, app->input, NULL, &in) : dkt_tracefs_open(app->ctx, 0);
	/* Before events are looked for: what killed ones left is among them. */
	if (!err && !app->input)
		live_clean(app);
	if (!err && app->input) {
		latency.ctx = in.ctx;
		latency.source = in.source;
	}
	if (!err && argc < 2)
		rc = list_pairs(&latency);
	else if (!err)
		err = run(&latency, app->input ? &in : NULL, &rc);
	screen_end(&latency.view.screen);
	for (i = 0; i < latency.n; i++)
		latency_set_clear(&latency.sets[i]);
	dkt_expr_free(latency.filter);
	remove_probes(&latency);
	if (err < 0 && app->input)
		input_fail(app, &in, err);
	input_close(&in);
	return err < 0 ? app_fail(app) : rc;
}
