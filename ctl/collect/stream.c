/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect --load: the recordings are loaded while they come, by a process of its own. */
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>

#include "ctl/app/cage.h"
#include "ctl/collect/collect.h"
#include "ctl/load/load.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/inside.h"

int collect_number(struct collect *collect)
{
	const size_t size = collect->fleet.n * sizeof(*collect->numbers);

	collect->numbers = calloc(collect->fleet.n + 1, sizeof(*collect->numbers));
	if (!collect->numbers)
		return dkt__no_memory(collect->app->ctx);
	for (size_t at = 0; at < size;) {
		ssize_t n = getrandom((char *)collect->numbers + at, size - at, 0);

		if (n < 0)
			return dkt_fail(collect->app->ctx, -errno, "getrandom: %s",
					strerror(errno));
		at += (size_t)n;
	}
	return 0;
}

/* Before the recordings are read. Nothing is started then, neither ssh nor nodeset. */
static int confine(struct collect *collect)
{
	struct app *app = collect->app;
	char *const dir[] = { (char *)(uintptr_t)app->output };
	int err = dkt__caps_limit(app->ctx, DKT__KEEP_INPUT);

	if (!err)
		err = cage_enter(app, dir, 1, NULL, CAGE_NETWORK | CAGE_TEMPORARY);
	return err ? app_fail(app) : 0;
}

static int stream(struct collect *collect, int alive)
{
	int rc = confine(collect);

	return rc ? rc : load_stream(collect->app, collect->app->output, alive);
}

/* Loads what the other process has not loaded; the files stay in any case. */
static int load_left(struct collect *collect)
{
	int rc = confine(collect);

	if (!rc)
		rc = load_rest(collect->app, collect->app->output);
	return fflush(stdout) ? EXIT_FAILED : rc;
}

static int fail(const struct collect *collect)
{
	return dkt_fail(collect->app->ctx, -errno, "start a process: %s", strerror(errno));
}

/* It waits before it is confined, and has a network then, unlike the process that asks for it. */
static int start_rest(struct collect *collect)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return fail(collect);
	pid = collect_fork(&collect->rest);
	if (!pid) {
		ssize_t n;

		dkt__stop_on_end();
		close(ends[1]);
		do
			n = read(ends[0], &byte, 1);
		while (n < 0 && errno == EINTR && !dkt__stopped());
		_exit(n == 1 ? load_left(collect) : 0);
	}
	close(ends[0]);
	collect->rest_begins = ends[1];
	return pid < 0 ? fail(collect) : 0;
}

static int start_stream(struct collect *collect)
{
	struct collect_child child;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return fail(collect);
	pid = collect_fork(&child);
	if (!pid) {
		/* The rest is loaded at the end. */
		signal(SIGTERM, SIG_DFL);
		close(ends[1]);
		/* This process must not hold up the end of the other one. */
		close(collect->rest_begins);
		_exit(stream(collect, ends[0]));
	}
	close(ends[0]);
	collect->loading = ends[1];
	if (pid < 0)
		return fail(collect);
	collect_watch(collect, &child);
	return 0;
}

int collect_stream(struct collect *collect)
{
	int err = start_rest(collect);

	return err ? err : start_stream(collect);
}

static bool has_files(const struct collect *collect)
{
	for (size_t i = 0; i < collect->fleet.n; i++)
		if (collect->fleet.hosts[i].bytes)
			return true;
	return false;
}

int collect_stream_end(struct collect *collect)
{
	dkt__closep(&collect->loading);
	collect->loading = -1;
	dkt__stop_forget();
	/* The table comes before what the process prints. */
	fflush(stdout);
	collect_reap(collect, true);
	/* The rest does not depend on how that process ended. */
	collect->worst = 0;
	if (has_files(collect))
		dprintf(collect->rest_begins, "x");
	dkt__closep(&collect->rest_begins);
	collect->rest_begins = -1;
	collect_watch(collect, &collect->rest);
	collect_reap(collect, true);
	return collect->worst;
}
