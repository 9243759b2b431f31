/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stat: counts events of a command, of threads, or of the machine. */
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/privileges.h"
#include "ctl/app/value.h"
#include "ctl/stat/stat.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"

OPT_OWN(stat,
	{ "class", 'c', "NAMES", AT(stat, classes), "count the events of these classes, a row a class: iotrace+ioctl", .check = value_classes, .joint = ',', .flags = OPT_FAR, .offers = OFFER_CLASSES },
	{ "comm", 0, "GLOBS", AT(stat, comm), "count in the threads with these names: ll_ost*,dd", .check = value_programs, .flags = OPT_FAR },
	{ "event", 'e', "EVENTS", AT(stat, events), "count these events: 'cycles:u,page-faults,block:*,iotrace'", .joint = ',', .flags = OPT_FAR, .offers = OFFER_COUNTERS },
	{ "interval", 0, "TIME", AT(stat, interval), "print what came in each TIME: 1, 100ms", .flags = OPT_FAR },
	{ "per-class", 0, NULL, AT(stat, per_class), "sum tracepoints by the classes that they belong to", .flags = OPT_FAR },
	{ "per-cpu", 0, NULL, AT(stat, per_cpu), "print rows for each CPU", .flags = OPT_FAR },
	{ "per-thread", 0, NULL, AT(stat, per_thread), "print rows for each thread that exists now", .flags = OPT_FAR },
	{ "pid", 'p', "LIST", AT(stat, pid), "count in these processes, with all their threads: 1234,1240", .check = value_processes, .flags = OPT_FAR },
	{ "repeat", 'r', "N", AT(stat, repeat), "run the command N times; print means and their standard errors", .flags = OPT_FAR },
);

/* The longest sleep: a signal that comes just before it ends the counting so much later. */
#define LOOK_NS 100000000

/* ---- arguments ---- */

static int check_targets(const struct stat *stat)
{
	const struct stat_options *given = OPT(stat->app, stat);

	if (!!given->pid + !!given->comm + !!stat->command > 1)
		return app_usage(
			"stat: cannot combine --pid, --comm and a command; give one of them");
	if (given->per_cpu && given->per_thread)
		return app_usage("stat: cannot combine --per-cpu and --per-thread");
	if (given->per_thread && stat->command)
		return app_usage("stat: --per-thread is for threads that exist already: those of"
				 " --pid, of --comm, or all");
	if (given->per_class && !given->events && !given->classes)
		return app_usage("stat: --per-class needs --event or --class");
	if (given->repeat && !stat->command)
		return app_usage("stat: --repeat needs a command");
	if (given->repeat && given->interval)
		return app_usage("stat: cannot combine --repeat and --interval");
	return 0;
}

static int read_args(struct stat *stat, int argc, char **argv)
{
	struct app *app = stat->app;
	const struct stat_options *given = OPT(app, stat);
	int rc;

	if (argc - 1 > app->n_command)
		return app_usage("stat: '%s' is not an option; a command comes after --: dktrace"
				 " stat -- COMMAND",
				 argv[1]);
	stat->command = app->n_command ? argv + 1 : NULL;
	stat->by = given->per_cpu    ? STAT_BY_CPU :
		   given->per_thread ? STAT_BY_THREAD :
				       STAT_BY_NOTHING;
	rc = check_targets(stat);
	if (!rc)
		rc = opt_seconds("interval", given->interval, &stat->interval);
	if (!rc)
		rc = opt_seconds("duration", OPT(app, live)->duration, &stat->seconds);
	if (!rc)
		rc = opt_number("repeat", given->repeat, &stat->runs);
	if (!rc && !stat->runs)
		rc = app_usage("--repeat: 0 is not a number of runs");
	return rc;
}

/* ---- counting ---- */

/* Sleeps until a child ends, a signal comes, or so many ns have passed. */
static void sleep_for(uint64_t ns)
{
	const struct timespec timeout = { .tv_nsec = (long)(ns < LOOK_NS ? ns : LOOK_NS) };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &timeout);
}

static int end_interval(struct stat *stat)
{
	const uint64_t last = stat->read;
	int err = stat_counts_read(&stat->counts);

	stat->read = dkt__monotonic_ns();
	if (!err)
		err = stat_cells_new(stat);
	if (!err)
		err = stat_cells_add(stat, (double)(stat->read - last));
	return err ? err : stat_print_interval(stat);
}

static uint64_t time_left(uint64_t until)
{
	const uint64_t now = dkt__monotonic_ns();

	return now < until ? until - now : 0;
}

/* Counts until the command or the time is over, or a signal comes. */
static int count(struct stat *stat, struct spawn *spawn)
{
	const double from = live_now();
	const uint64_t every = (uint64_t)(stat->interval * 1e9);
	const uint64_t end = stat->seconds > 0 ? stat->started + (uint64_t)(stat->seconds * 1e9) :
						 UINT64_MAX;
	uint64_t next = every ? stat->started + every : UINT64_MAX;
	int err = 0;

	for (;;) {
		stat->stopped |= dkt__stopped() != 0;
		if (err || live_over(spawn, from, stat->seconds))
			return err;
		/* The end of a command is told, that of other processes is not. */
		if (!stat->command && !stat_places_exist(&stat->places))
			return 0;
		sleep_for(time_left(next < end ? next : end));
		if (every && !time_left(next)) {
			err = end_interval(stat);
			/* An interval that was missed is a part of the one that was late. */
			while (!time_left(next))
				next += every;
		}
	}
}

/* ---- one run ---- */

static int find_places(struct stat *stat, const struct spawn *spawn)
{
	struct dkt_ctx *ctx = stat->app->ctx;
	const struct stat_options *given = OPT(stat->app, stat);

	stat_places_clear(&stat->places);
	if (stat->command)
		return stat_places_process(ctx, stat->by, spawn->pid, &stat->places);
	if (given->pid || given->comm)
		return stat_places_threads(ctx, stat->by, given->pid, given->comm, &stat->places);
	return stat_places_machine(ctx, stat->by, &stat->places);
}

static int begin(struct stat *stat, struct spawn *spawn, bool last)
{
	int err = 0;

	if (!stat->command)
		err = live_begin(stat->app, spawn, "counting", stat->seconds);
	else if (last) /* the commands of later runs need the privileges */
		err = privileges_limit(stat->app, DKT__KEEP_KILL);
	if (!err && !stat->command)
		err = stat_counts_start(&stat->counts);
	/* The command may run before this process does again. */
	stat->started = stat->read = dkt__monotonic_ns();
	if (!err)
		spawn_go(spawn);
	return err;
}

static double cpu_ns(const struct timeval *now, const struct timeval *before)
{
	return (double)(now->tv_sec - before->tv_sec) * 1e9 +
	       (double)(now->tv_usec - before->tv_usec) * 1e3;
}

/* The counts and times of a run that has ended. */
static int add_run(struct stat *stat, const struct rusage *before)
{
	const double elapsed = (double)(stat->read - stat->started);
	struct rusage now;
	int err = stat_counts_read(&stat->counts);

	getrusage(RUSAGE_CHILDREN, &now);
	stat_spread_add(&stat->times.elapsed, elapsed);
	stat_spread_add(&stat->times.user, cpu_ns(&now.ru_utime, &before->ru_utime));
	stat_spread_add(&stat->times.system, cpu_ns(&now.ru_stime, &before->ru_stime));
	return err ? err : stat_cells_add(stat, elapsed);
}

static int run_counters(struct stat *stat, struct spawn *spawn, bool last)
{
	struct rusage before;
	int err;

	getrusage(RUSAGE_CHILDREN, &before);
	err = begin(stat, spawn, last);
	if (!err)
		err = count(stat, spawn);
	if (!err && !stat->command)
		err = stat_counts_stop(&stat->counts);
	if (!err && stat->interval > 0)
		return end_interval(stat);
	stat->read = dkt__monotonic_ns();
	return err ? err : add_run(stat, &before);
}

static int run(struct stat *stat, bool last)
{
	struct spawn spawn = SPAWN_INIT;
	sigset_t child, mask;
	int err = spawn_start(stat->app->ctx, &spawn, stat->command);

	if (!err)
		err = find_places(stat, &spawn);
	if (!err)
		err = stat_counts_open(&stat->counts, stat->app->ctx, &stat->events, &stat->places,
				       stat->command);
	if (!err && !stat->cells)
		err = stat_cells_new(stat);
	/* A signal that is blocked waits for sleep_for(); the command must not inherit that. */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &mask);
	if (!err)
		err = run_counters(stat, &spawn, last);
	spawn_finish(&spawn);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	stat->status = stat->status ? stat->status : spawn.status;
	return err;
}

/* ---- the command ---- */

/* Without privileges, the default list is what there is. */
static void say_refused(const struct stat *stat)
{
	for (size_t i = 0; i < stat->events.n_rows; i++)
		if (stat->cells[i].state == STAT_REFUSED) {
			app_say("what happens in the kernel is not counted:"
				" kernel.perf_event_paranoid is above 1; run as root, or with"
				" cap_perfmon");
			return;
		}
}

static int find_events(struct stat *stat)
{
	const struct stat_options *given = OPT(stat->app, stat);
	const struct stat_wish wish = { .events = given->events,
					.classes = given->classes,
					.per_class = given->per_class,
					.machine = !stat->command && !given->pid && !given->comm };
	int err = stat_events_find(stat->app->ctx, &wish, &stat->events);

	stat->app->wrong = err == -EINVAL;
	return err;
}

/*
 * The kernel takes long to close the last counter of a tracepoint, so those of the first run stay open until all
 * runs are over.
 */
static int run_all(struct stat *stat)
{
	struct stat_counts first = { 0 };
	int err = 0;

	for (int i = 0; !err && !stat->stopped && i < stat->runs; i++) {
		err = run(stat, i + 1 == stat->runs);
		if (i)
			stat_counts_close(&stat->counts);
		else
			first = stat->counts;
	}
	if (!err && !stat->interval)
		err = stat_print(stat);
	if (!err)
		say_refused(stat);
	fflush(stdout);
	stat_counts_close(&first);
	return err;
}

int cmd_stat(struct app *app, int argc, char **argv)
{
	struct stat stat = { .app = app, .runs = 1 };
	int err, rc = read_args(&stat, argc, argv);

	if (rc)
		return rc;
	live_catch();
	err = find_events(&stat);
	if (!err)
		err = run_all(&stat);
	rc = err ? app_fail(app) : stat.status;
	stat_places_clear(&stat.places);
	stat_events_clear(&stat.events);
	free(stat.cells);
	return rc;
}
