/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect flight follow: the recorders of all hosts are frozen together, and their dumps are fetched. */
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "ctl/collect/collect.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"

/* How long the hosts may take to make their dumps. */
#define WAIT_NS UINT64_C(60000000000)

/* Incidents of an earlier run can be there; each has a directory of its own. */
static int make_dir(const struct collect *collect)
{
	const char *path = collect->app->output;
	struct stat st;
	int err = mkdir(path, 0700) ? -errno : 0;

	if (err == -EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode))
		return 0;
	return err ? dkt_fail(collect->app->ctx, err, "create the directory %s: %s", path,
			      strerror(-err)) :
		     0;
}

static void tell(void *data, const char *host, const char *message)
{
	collect_unshow(data);
	app_say("%s: %s", host, message);
}

/* Returns the name of a directory that does not exist; the caller frees it. */
static char *new_dir(const struct collect *collect, const struct alarm *alarm)
{
	char when[32] = "", *path = NULL;
	struct tm tm;

	localtime_r(&alarm->began, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	for (int i = 0; i < 100; i++) {
		free(path);
		path = dkt__format(i ? "%s/incident-%s-%d" : "%s/incident-%s", collect->app->output,
				   when, i);
		if (!path || access(path, F_OK))
			break;
	}
	return path;
}

/* ---- fetching ---- */

/* The hosts that have made a dump, each with the name of its own. */
static int add_dumps(struct collect *fetch, const struct collect *collect,
		     const struct alarm *alarm)
{
	int err = 0;

	fetch->places = calloc(collect->fleet.n + 1, sizeof(*fetch->places));
	if (!fetch->places)
		return dkt__no_memory(collect->app->ctx);
	for (size_t i = 0; !err && i < collect->fleet.n; i++)
		if (alarm->files[i]) {
			fetch->places[fetch->hosts.n] = (uint32_t)i;
			err = dkt__strings_add(&fetch->hosts, collect->fleet.hosts[i].name);
			if (!err)
				err = dkt__strings_add(&fetch->dumps, alarm->files[i]);
		}
	/* The words of the command are in the description. The instance is that of the recorder. */
	if (!err)
		err = dkt__strings_add(&fetch->args, "flight");
	if (!err)
		err = dkt__strings_add(&fetch->args, "file");
	for (size_t i = 2; !err && i < collect->args.n; i++)
		if (strcmp(collect->args.list[i], "--freeze") != 0)
			err = dkt__strings_add(&fetch->args, collect->args.list[i]);
	return dkt__with_words(collect->app->ctx, err);
}

/* In a process of its own: the incident becomes a collection. Returns the exit status. */
static int fetch(struct collect *collect, const struct dialer *dialer, const struct alarm *alarm,
		 char *path)
{
	struct app app = *collect->app;
	struct collect own = { .app = &app,
			       .dir = -1,
			       .loading = -1,
			       .rest_begins = -1,
			       .dialer = *dialer,
			       .confined = true,
			       .action = collect->action,
			       .suffix = "dat" };
	char flight[] = "flight", file[] = "file", *argv[] = { flight, file };
	int words, rc;

	/* The connections are the other process's. */
	fleet_release(&collect->fleet);
	dkt__closep(&collect->dialer.fd);
	app.output = path;
	own.action = action_find(app.ctx, 2, argv, &words);
	if (!own.action || add_dumps(&own, collect, alarm))
		return app_fail(&app);
	own.fleet.opts = collect->fleet.opts;
	own.fleet.opts.take = NULL;
	own.fleet.opts.args = own.args_argv = collect_argv(&own.args);
	rc = own.args_argv ? collect_run(&own) : EXIT_FAILED;
	printf("%s\n", path);
	return fflush(stdout) ? EXIT_FAILED : rc;
}

/* A fetch has its own process, so that the next incident freezes at once. */
static void start_fetch(struct collect *collect, const struct alarm *alarm, char *path)
{
	struct dialer dialer = { .fd = -1 };
	struct collect_child child;
	pid_t pid;

	if (dialer_another(collect->app->ctx, &collect->dialer, &dialer)) {
		app_fail(collect->app);
		return;
	}
	pid = collect_fork(&child);
	if (!pid)
		_exit(fetch(collect, &dialer, alarm, path));
	close(dialer.fd);
	if (pid > 0)
		collect_watch(collect, &child);
}

static void made(void *data, const struct alarm *alarm)
{
	struct collect *collect = data;
	char *path __cleanup(free) = new_dir(collect, alarm);

	collect_unshow(collect);
	app_say("%s: %s", alarm->host, alarm->reason);
	app_say("%zu other hosts were told within %.1f ms; %zu dumps, to %s", alarm->asked,
		(double)alarm->took / 1e6, alarm->n_files, path ? path : "nowhere");
	if (alarm->merged)
		app_say("%" PRIu64 " incidents meanwhile have no dumps of their own",
			alarm->merged);
	if (path && alarm->n_files)
		start_fetch(collect, alarm, path);
}

/* ---- following ---- */

static void look(void *data, struct fleet *fleet)
{
	struct collect *collect = data;

	alarms_tick(collect->alarms, dkt__monotonic_ns());
	collect_reap(collect, false);
	collect_look(data, fleet);
}

int collect_alarms(struct collect *collect)
{
	struct fleet *fleet = &collect->fleet;
	struct alarms alarms = { .fleet = fleet,
				 .most = (size_t)collect->max_dumps,
				 .wait = WAIT_NS,
				 .made = made,
				 .tell = tell,
				 .data = collect };
	int err = make_dir(collect);

	if (err)
		return err;
	err = alarms_init(&alarms);
	collect->alarms = &alarms;
	fleet->opts.take = alarms_take;
	fleet->opts.data = &alarms;
	fleet->look = look;
	if (err)
		dkt__no_memory(collect->app->ctx);
	else
		err = collect_confine(collect);
	if (!err)
		err = fleet_run(collect->app->ctx, fleet);
	collect_unshow(collect);
	alarms_clear(&alarms);
	dkt__stop_forget();
	collect_reap(collect, true);
	return err;
}
