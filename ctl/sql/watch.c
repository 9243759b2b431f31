/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ends a statement on a signal. SQLite looks for one between its steps and while it counts rows, but a
 * function on long texts is one step that can take hours.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "ctl/app/print.h"
#include "ctl/sql/sql.h"
#include "lib/base/stop.h"

/* Time between two looks, ms, and the looks after a signal that SQLite has to end by itself. */
#define LOOK_MS 50
#define LOOKS   20

static void *watch(void *data)
{
	const struct query_watch *watcher = data;
	struct pollfd end = { .fd = watcher->pipe[0] };
	int looks = 0;

	/* The other end is closed when the statement is done. */
	while (!poll(&end, 1, LOOK_MS)) {
		if (!dkt__stopped())
			continue;
		sqlite3_interrupt(watcher->sqlite);
		if (looks++ == LOOKS) {
			/* SQLite's files have no names, so that nothing is left behind. */
			app_say(QUERY_INTERRUPTED);
			_exit(EXIT_FAILED);
		}
	}
	return NULL;
}

int query_watch_begin(struct query *query, struct query_watch *watcher)
{
	sigset_t all, before;
	int err;

	*watcher = (struct query_watch){ .sqlite = query->sqlite };
	if (pipe2(watcher->pipe, O_CLOEXEC))
		return dkt_fail(query->app->ctx, -errno, "sql: open a pipe: %m");
	/* Signals go to the thread that waits for files and readers. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&watcher->thread, NULL, watch, watcher);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return 0;
	close(watcher->pipe[0]);
	close(watcher->pipe[1]);
	return dkt_fail(query->app->ctx, -err, "sql: start a thread: %s", strerror(err));
}

void query_watch_end(struct query_watch *watch)
{
	close(watch->pipe[1]);
	pthread_join(watch->thread, NULL);
	close(watch->pipe[0]);
}
