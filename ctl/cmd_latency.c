/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency: how long from one event to another. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "debuglog.h"
#include "input.h"
#include "latency.h"
#include "opt.h"

/* Events of both sides, each at most so many. */
#define EVENTS_MAX 16

struct latency {
	struct app *app;
	struct dkt_ctx *ctx; /* of this kernel, or of the one that a file was recorded on */
	struct latency_pair pair; /* what is asked for, ready-made or not */
	struct live_event events[2 * EVENTS_MAX];
	size_t n;
	struct dkt_expr *filter;
	struct dkt_pairs *pairs;
	char **command; /* NULL: none */
	double seconds; /* to watch; 0: no bound */
	const char *function; /* whose entry and return it is, NULL: none */
	char *group; /* of probes that were made for it; NULL: none */
	char *names[2]; /* of their events */
};

/* ---- which pair ---- */

/* There is no such event: perhaps there is one of a name that is near. */
static int no_event(struct latency *latency, const char *system, const char *name)
{
	const char **names __cleanup(free) = NULL;
	struct dkt_event *const *all;
	const char *near = NULL;
	size_t total, i, n = 0;

	if (dkt_events(latency->ctx, &all, &total))
		return -ENOENT;
	names = calloc(total + 1, sizeof(*names));
	for (i = 0; names && i < total; i++)
		if (!strcmp(dkt_event_system(all[i]), system))
			names[n++] = dkt_event_name(all[i]);
	if (n)
		near = dkt_guess(name, names, n);
	return dkt_fail(latency->ctx, -ENOENT, "there is no event %s:%s%s%s%s", system, name,
			near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Finds the events of one side; -ENOENT if there is one that this kernel has not. */
static int find_events(struct latency *latency, const char *names, struct live_event *events,
		       size_t *n)
{
	char *copy __cleanup(free) = strdup(names), *word, *save = NULL;
	struct dkt_ctx *ctx = latency->ctx;

	*n = 0;
	for (word = copy ? strtok_r(copy, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save)) {
		char *colon = strchr(word, ':');

		if (*n == EVENTS_MAX)
			return dkt_fail(ctx, -E2BIG, "'%s': more than %d events", names,
					EVENTS_MAX);
		if (!colon)
			return dkt_fail(ctx, -EINVAL,
					"'%s' is no event: they are written SYSTEM:NAME; ready-made"
					" pairs are listed by 'dktrace latency'",
					word);
		*colon = '\0';
		events[*n].event = dkt_event_find(ctx, word, colon + 1);
		if (!events[(*n)++].event)
			return no_event(latency, word, colon + 1);
	}
	return *n ? 0 : dkt_fail(ctx, -EINVAL, "'%s': no event", names);
}

static bool has_events(struct latency *latency, const struct latency_pair *pair)
{
	struct live_event events[EVENTS_MAX];
	size_t n;

	return !find_events(latency, pair->begin, events, &n) &&
	       !find_events(latency, pair->end, events, &n);
}

/* The row of that name that this kernel can do, else the last of that name; NULL: no such name. */
static const struct latency_pair *find_pair(struct latency *latency, const char *name)
{
	const struct latency_pair *pair = NULL, *found = NULL;

	while ((pair = latency_pair_next(pair))) {
		if (strcmp(pair->name, name) != 0)
			continue;
		found = pair;
		if (has_events(latency, pair))
			break;
	}
	return found;
}

static int list_pairs(struct latency *latency)
{
	const struct latency_pair *pair = NULL, *before = NULL;

	printf("Ready-made pairs:\n");
	for (; (pair = latency_pair_next(pair)); before = pair) {
		if (before && !strcmp(before->name, pair->name))
			continue;
		printf("  %-12s %s%s\n", pair->name, pair->help,
		       has_events(latency, find_pair(latency, pair->name)) ?
			       "" :
			       " (this kernel has not the events)");
	}
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
	char *words __cleanup(free) = strdup(dkt_error(latency->ctx));
	int i;

	for (i = 0; i < 2; i++) {
		if (latency->names[i] &&
		    dkt_probe_remove(latency->ctx, latency->group, i ? "return" : "entry"))
			fprintf(stderr, "dktrace: %s; 'dktrace reset' will remove it\n",
				dkt_error(latency->ctx));
		free(latency->names[i]);
	}
	free(latency->group);
	dkt_fail(latency->ctx, 0, "%s", words ? words : "");
}

/* ---- arguments ---- */

/* The arguments: a ready-made pair or two events, then a command. */
static int read_args(struct latency *latency, int argc, char **argv)
{
	struct app *app = latency->app;
	bool function = !strcmp(argv[1], FUNCTION);
	const struct latency_pair *row = function ? NULL : find_pair(latency, argv[1]);
	int used = row ? 2 : 3;

	if (function) {
		if (argc < 3 || app->input)
			return app_usage("latency function: needs the name of a function of this"
					 " kernel");
		latency->pair = (struct latency_pair){ .key = "common_pid", .per_task = true };
		latency->function = argv[2];
	} else if (row) {
		latency->pair = *row;
	} else {
		if (argc < 3)
			return app_usage(
				"latency: '%s' is no ready-made pair ('dktrace latency' lists"
				" them), and one event is not two",
				argv[1]);
		latency->pair = (struct latency_pair){ .begin = argv[1], .end = argv[2] };
	}
	if (app->key)
		latency->pair.key = app->key;
	if (app->by)
		latency->pair.by = strcmp(app->by, "none") != 0 ? app->by : NULL;
	if (!latency->pair.key)
		return app_usage(
			"latency: which records belong together is for --key to say, such as"
			" --key common_pid");
	if (argc > used)
		latency->command = argv + used;
	if (latency->command && app->input)
		return app_usage("latency: a command cannot be run into a file; --input or it");
	return 0;
}

static int set_up_pairs(struct latency *latency, int slowest)
{
	const struct latency_pair *pair = &latency->pair;
	DKT_OPTS(dkt_pairs_opts, opts, .key = pair->key, .by = pair->by,
		 .slowest = (uint32_t)slowest, .skip = getpid());
	size_t n_begin = 0, n_end = 0, i;
	int err = 0;

	if (latency->app->condition)
		err = debuglog_expr(latency->ctx, latency->app->condition, &latency->filter);
	/* Live the kernel filters what is recorded. */
	opts.filter = latency->app->input || latency->app->kernel ? latency->filter : NULL;
	if (!err)
		err = dkt_pairs_new(latency->ctx, &opts, &latency->pairs);
	if (!err)
		err = find_events(latency, pair->begin, latency->events, &n_begin);
	if (!err)
		err = find_events(latency, pair->end, latency->events + n_begin, &n_end);
	latency->n = n_begin + n_end;
	for (i = 0; !err && i < latency->n; i++)
		err = dkt_pairs_event(latency->pairs, latency->events[i].event,
				      i < n_begin ? DKT_PAIR_BEGIN : DKT_PAIR_END);
	return err;
}

/* One of the events must have the fields of the condition. */
static int check_condition(struct latency *latency)
{
	size_t i;
	int err = 0;

	for (i = 0; latency->filter && i < latency->n; i++) {
		err = dkt_expr_check(latency->filter, latency->events[i].event);
		if (err != -ENOENT)
			return err;
	}
	return err;
}

/* ---- records ---- */

struct latency_total {
	uint64_t seen, lost;
};

static int add_record(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	return dkt_pairs_add(((struct latency *)data)->pairs, source, record);
}

static int report(void *data, struct dkt_source *source, uint64_t seen, uint64_t lost)
{
	struct latency *latency = data;
	struct app *app = latency->app;
	struct latency_report it = { .app = app,
				     .pairs = latency->pairs,
				     .source = source,
				     .title = latency->pair.by ? latency->pair.by : "",
				     .seen = seen,
				     .lost = lost };
	int err = dkt_pairs_finish(latency->pairs);

	if (err)
		return err;
	if (app->json)
		return latency_print_json(&it, stdout);
	if (app->csv)
		return latency_print_csv(&it, stdout);
	err = latency_print(&it, stdout);
	fflush(stdout);
	latency_print_notes(&it);
	return err;
}

static int count_losses(struct input *in, struct latency_total *total)
{
	int cpu, err = 0, cpus = dkt_source_info(in->source)->cpus;

	for (cpu = 0; !err && cpu < cpus; cpu++) {
		struct dkt_loss loss;

		err = dkt_source_loss(in->source, cpu, &loss);
		total->seen += loss.seen;
		total->lost += loss.lost;
	}
	return err;
}

static int run_input(struct latency *latency, struct input *in, int *rc)
{
	struct latency_total total = { 0 };
	struct dkt_record record;
	int err;

	while (!(err = dkt_source_next(in->source, &record))) {
		err = dkt_pairs_add(latency->pairs, in->source, &record);
		if (err)
			return err;
	}
	if (err < 0)
		return err;
	err = count_losses(in, &total);
	if (!err)
		err = report(latency, in->source, total.seen, total.lost);
	if (!err && total.lost) {
		fprintf(stderr, "dktrace: %" PRIu64 " records are missing in %s\n", total.lost,
			in->path);
		*rc = EXIT_LOST;
	}
	return err;
}

static int run_live(struct latency *latency, int *rc)
{
	struct app *app = latency->app;
	struct live_opts opts = { .kind = "latency",
				  .doing = "watching",
				  .events = latency->events,
				  .n = latency->n,
				  .filter = latency->filter,
				  .only_command = latency->command && latency->pair.per_task,
				  .command = latency->command,
				  .seconds = latency->seconds,
				  .record = add_record,
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
	struct latency_kernel opts = { .app = latency->app,
				       .pairs = latency->pairs,
				       .begin = latency->events[0].event,
				       .end = latency->events[1].event,
				       .title = latency->pair.by ? latency->pair.by : "",
				       .command = latency->command,
				       .seconds = latency->seconds };

	if (latency->n != 2)
		return dkt_fail(latency->ctx, -EOPNOTSUPP,
				"the kernel pairs one event with one other, and these are %zu",
				latency->n);
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
		err = set_up_pairs(latency, slowest);
	if (!err)
		err = check_condition(latency);
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

	if (app->seconds && opt_seconds("time", app->seconds, &latency.seconds))
		return EXIT_USAGE;
	err = app->input ? input_open(app, app->input, NULL, &in) : dkt_tracefs_open(app->ctx, 0);
	/* Before events are looked for: what killed ones left is among them. */
	if (!err && !app->input)
		live_clean(app, "latency");
	if (!err && app->input)
		latency.ctx = in.ctx;
	if (!err && argc < 2)
		rc = list_pairs(&latency);
	else if (!err)
		rc = read_args(&latency, argc, argv);
	if (!err && !rc && argc >= 2)
		err = run(&latency, app->input ? &in : NULL, &rc);
	dkt_pairs_free(latency.pairs);
	dkt_expr_free(latency.filter);
	remove_probes(&latency);
	if (err < 0 && app->input)
		input_fail(app, &in, err);
	input_close(&in);
	return err < 0 ? app_fail(app) : rc;
}
