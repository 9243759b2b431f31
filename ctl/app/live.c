/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records live, from an instance that is created for one command and removed with it. */
#include "ctl/app/live.h"
#include "ctl/app/privileges.h"

#include <signal.h>
#include <time.h>

#include "compat/log/directory.h"
#include "compat/log/threads.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/pipeline/pipeline.h"
#include "compat/set/param/memory.h"
#include "compat/set/wanted.h"
#include "lib/base/buf.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* The reader sleeps this long, long enough not to disturb, or until a CPU's buffer is so full. */
#define WAIT_MS      20
#define WAKE_PERCENT 50

/* The bytes of a path that are asked for. The kernel's own limit is lower. */
#define LIVE_USER_DATA 4096

/* The buffers have at most so many bytes per CPU, and this part of the available memory. */
#define BUFFER_MAX  (UINT64_C(64) << 20)
#define BUFFER_PART 8

void live_catch(void)
{
	dkt__stop_on_end();
	dkt__stop_on(SIGPIPE);
}

char *live_name(const struct app *app, const char *kind)
{
	return dkt__format("%s-%s", app->instance, kind);
}

/* Records that nobody has read may be among what is removed, so that is said. */
static int clean(const struct app *app)
{
	char *list __cleanup(free) = NULL;
	int err = dkl_leftovers_list(app->ctx, app->instance, &list);

	if (!err)
		err = dkl_leftovers_remove(app->ctx, app->instance);
	if (!err && list)
		app_say("removed what commands that were killed left: %s", list);
	return err;
}

int live_sweep(const struct app *app)
{
	int err = clean(app);
	const char *kind;

	for (size_t i = 0; !err && (kind = dkl_leftover_kind(i)); i++) {
		char *name __cleanup(free) = live_name(app, kind);

		/* A kept instance has only the name of the kind. */
		err = name ? dkt_instance_remove(app->ctx, name) : -ENOMEM;
		err = err == -ENOENT ? 0 : err;
	}
	return err;
}

void live_clean(const struct app *app)
{
	if (!dkt_caps_check(app->ctx, DKT_NEED_CONTROL))
		clean(app);
}

double live_now(void)
{
	return (double)dkt__monotonic_ns() / 1e9;
}

int live_begin(const struct app *app, struct spawn *spawn, const char *doing, double seconds)
{
	/* The command keeps all privileges. It may change its user, so keep CAP_KILL to signal it. */
	int err = privileges_limit(app, spawn->pid ? DKT__KEEP_KILL : 0);

	if (err)
		return err;
	if (doing && !spawn->pid && seconds <= 0)
		app_say("%s until Ctrl-C", doing);
	else if (doing && !spawn->pid)
		app_say("%s for %g s", doing, seconds);
	spawn_go(spawn);
	return 0;
}

/*
 * Do not forward SIGINT: the terminal has already sent it to the command. Do not forward SIGPIPE: it
 * concerns only our own output.
 */
static void forward_signal(struct spawn *spawn)
{
	int sig = dkt__stopped();

	if (!sig)
		return;
	dkt__stop_forget();
	if (sig != SIGINT && sig != SIGPIPE && !spawn_ended(spawn))
		kill(spawn->pid, sig);
}

bool live_over(struct spawn *spawn, double from, double seconds)
{
	if (spawn->pid) {
		forward_signal(spawn);
		return spawn_ended(spawn);
	}
	return dkt__stopped() || (seconds > 0 && live_now() - from >= seconds);
}

int live_wait(struct spawn *spawn, double seconds, int (*idle)(void *data), void *data)
{
	static const struct timespec look = { .tv_nsec = WAIT_MS * 1000000 };
	double from = live_now();
	int err = 0;

	while (!err && !live_over(spawn, from, seconds)) {
		nanosleep(&look, NULL);
		err = idle ? idle(data) : 0;
	}
	return err;
}

int live_remove(const struct app *app, struct dkt_instance *in)
{
	char *message = dkt__error_take(app->ctx);
	char *name __cleanup(free) = in ? strdup(dkt_instance_name(in)) : NULL;
	int err;

	dkt_instance_close(in);
	err = name ? dkt_instance_remove(app->ctx, name) : 0;
	if (err)
		app_say("%s; 'dktrace reset' will remove it", dkt_error(app->ctx));
	return dkt__error_give(app->ctx, err, message);
}

struct live {
	struct app *app;
	const struct live_opts *opts;
	struct dkt_instance *in;
	struct wanted *wanted;
	struct dkt_source *source;
	struct pipeline pipeline;
	struct spawn spawn;
	double from; /* the time at which recording began */
	bool user_stacks;
	bool over; /* recording has stopped; the buffers hold the last records */
};

/* ---- setting up ---- */

static int set_size(struct live *live)
{
	uint64_t cpus = (uint64_t)dkt_instance_n_cpus(live->in), most = cpus * BUFFER_MAX;

	/* If the available memory is unknown, the size is 0: the kernel uses its minimum. */
	return dkt_instance_set_size(live->in, dkl_memory_share(most, BUFFER_PART));
}

static int want_events(struct live *live)
{
	const struct live_opts *opts = live->opts;
	int err = dkl_wanted_none(live->app->ctx, &live->wanted);

	/* If an event lacks a field of the filter, another has it: the caller checked that. */
	for (size_t i = 0; !err && i < opts->n; i++) {
		err = dkl_wanted_add(live->wanted, opts->events[i].event,
				     opts->events[i].filter ? opts->events[i].filter :
							      opts->filter);
		if (!err)
			live->wanted->list[live->wanted->n - 1].stack = opts->events[i].stack;
	}
	return err;
}

/* Only what the user chose. With the command in the kernel's list, its children get there, too. */
static int want_processes(struct live *live, struct dkt_change *change)
{
	const struct live_opts *opts = live->opts;
	struct threads threads = { 0 };
	pid_t self = getpid();
	int err;

	if (opts->only_command)
		return dkt_change_pids(change, &live->spawn.pid, 1, true);
	if (!opts->pids) {
		/* Not an error: a kernel that cannot exclude processes records dktrace too. */
		dkt__instance_set_skipped_pids(live->in, &self, 1);
		return 0;
	}
	err = dkl_threads_of_processes(live->app->ctx, opts->pids, &threads);
	if (!err)
		err = dkt_change_pids(change, threads.list, threads.n, true);
	dkl_threads_clear(&threads);
	return err;
}

static bool is_among(const pid_t *list, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == pid)
			return true;
	return false;
}

/* Adds threads to those in the kernel's list. Sets *added if it lacked one. */
static int add_threads(struct dkt_instance *in, const struct threads *threads, bool *added)
{
	struct dkt_change *change = NULL;
	pid_t *list __cleanup(free) = NULL;
	bool children;
	size_t n;
	int err = dkt__instance_get_pids(in, &list, &n, &children);

	*added = false;
	for (size_t i = 0; !err && i < threads->n; i++) {
		if (is_among(list, n, threads->list[i]))
			continue;
		*added = true;
		err = dkt__append(list, n, threads->list[i]);
	}
	if (err || !*added)
		return err;
	err = dkt_change_new(in, &change);
	if (!err)
		err = dkt_change_pids(change, list, n, true);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

/* The kernel adds threads that begin from now on; those that began since /proc was read are missing. */
static int add_late(struct live *live)
{
	bool added = live->opts->pids;
	int err = 0;

	while (!err && added && !dkt__stopped()) {
		struct threads threads = { 0 };

		err = dkl_threads_of_processes(live->app->ctx, live->opts->pids, &threads);
		if (!err)
			err = add_threads(live->in, &threads, &added);
		dkl_threads_clear(&threads);
	}
	/* Processes that have ended meanwhile were recorded up to then. */
	return err == -ESRCH ? 0 : err;
}

static int enable_events(struct live *live)
{
	const struct live_opts *opts = live->opts;
	struct dkt_change *change = NULL;
	int err = want_events(live);

	if (!err)
		err = dkt_change_new(live->in, &change);
	if (!err)
		err = dkl_wanted_apply(live->wanted, change);
	if (!err)
		err = want_processes(live, change);
	if (!err && opts->user_data)
		err = dkt_change_user_data(change, LIVE_USER_DATA);
	if (!err && opts->stacks)
		err = dkt_instance_set_option(live->in, "stacktrace", true);
	/* Not an error: without them, the kernel's stacks still say much. */
	if (!err && live->user_stacks && dkt_instance_set_option(live->in, "userstacktrace", true))
		app_say("%s; no stacks of programs", dkt_error(live->app->ctx));
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err ? err : add_late(live);
}

static int set_up(struct live *live)
{
	DKT_OPTS(dkt_live_opts, copts, .flags = DKT_LIVE_FOLLOW, .wake_percent = WAKE_PERCENT);
	char *name __cleanup(free) = live_name(live->app, live->opts->kind);
	struct dkt_ctx *ctx = live->app->ctx;
	int err = name ? app_check_instance(live->app, ctx) : -ENOMEM;

	if (!err)
		err = dkt_caps_check(ctx, DKT_NEED_CONTROL);
	if (!err)
		err = dkt_instance_own(ctx, name, &live->in);
	if (!err)
		err = dkt_instance_set_clock(live->in, "mono");
	if (!err)
		err = set_size(live);
	if (!err)
		err = spawn_start(ctx, &live->spawn, live->opts->command);
	if (!err && live->opts->prepare)
		err = live->opts->prepare(live->opts->data, live->spawn.pid, &live->user_stacks);
	if (!err)
		err = enable_events(live);
	if (!err)
		err = dkt_source_live(live->in, &copts, &live->source);
	if (!err)
		err = dkl_pipeline_init(&live->pipeline, ctx, 1);
	if (!err)
		dkl_pipeline_add(&live->pipeline, ctx, live->source, NULL);
	return err;
}

/* ---- running ---- */

/* The pipeline has had all records up to now. */
static int later(void *data)
{
	struct live *live = data;
	const struct live_opts *opts = live->opts;
	int err = dkt_source_done(live->pipeline.source);

	if (!err && opts->idle)
		err = opts->idle(opts->data);
	if (err || live->over)
		return err ? err : DKT_NEXT_END;
	live->over = live_over(&live->spawn, live->from, opts->seconds);
	if (live->over)
		err = dkt_instance_set_on(live->in, false);
	/* Look again, also at the end: records may have come since the last look. */
	if (!err)
		err = dkt_source_wait(live->pipeline.source, live->over ? 0 : WAIT_MS);
	return err == -EINTR ? 0 : err;
}

static int follow(struct live *live)
{
	const struct live_opts *opts = live->opts;
	int err = live_begin(live->app, &live->spawn, opts->doing, opts->seconds);

	live->from = live_now();
	live->pipeline.later = later;
	live->pipeline.data = live;
	return err ? err : dkl_pipeline_each(&live->pipeline, opts->record, opts->data);
}

static void tear_down(struct live *live)
{
	spawn_finish(&live->spawn);
	dkl_pipeline_clear(&live->pipeline);
	dkt_source_close(live->source);
	live_remove(live->app, live->in);
	dkl_wanted_free(live->wanted);
}

/* Messages of Lustre that the probe misses while something is recorded. */
struct misses {
	struct dkt_ctx *ctx;
	bool probed; /* they are recorded by the probe */
	uint64_t before; /* what it had missed before */
};

static void misses_begin(struct misses *misses, const struct wanted *wanted)
{
	*misses = (struct misses){ .ctx = wanted->ctx };
	for (size_t i = 0; i < wanted->n; i++)
		misses->probed |= !strcmp(dkt_event_system(wanted->list[i].event), CDEBUG_GROUP) &&
				  !strcmp(dkt_event_name(wanted->list[i].event), CDEBUG_NAME);
	if (misses->probed)
		misses->before = dkl_cdebug_missed(misses->ctx);
}

/* Reports those since then on standard error, while the probe exists. False: none. */
static bool misses_report(const struct misses *misses)
{
	uint64_t now = misses->probed ? dkl_cdebug_missed(misses->ctx) : 0;

	return dkl_cdebug_report_missed(now > misses->before ? now - misses->before : 0, "dktrace",
					NULL, CDEBUG_ELSEWHERE);
}

int live_run(struct app *app, const struct live_opts *opts, int *rc)
{
	struct live live = {
		.app = app, .opts = opts, .spawn = SPAWN_INIT, .user_stacks = opts->user_stacks
	};
	struct losses all = { 0 };
	struct losses_sum sum = { 0 };
	struct misses misses;
	bool missed;
	int err;

	live_catch();
	err = set_up(&live);
	if (!err)
		misses_begin(&misses, live.wanted);
	if (!err)
		err = follow(&live);
	missed = !err && misses_report(&misses);
	if (!err)
		err = dkl_losses_count(&all, live.source);
	losses_add_to(&sum, &all);
	if (!err)
		err = opts->report(opts->data, live.source, &sum);
	tear_down(&live);
	*rc = live.spawn.status;
	missed |= !err && dkl_losses_report(&all, "dktrace", NULL,
					    "use --filter to record less than fills the buffers");
	if (missed)
		*rc = *rc ? *rc : EXIT_LOST;
	dkl_losses_clear(&all);
	return err;
}
