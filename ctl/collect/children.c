/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes beside a collection: they fetch dumps, or load what has come. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "ctl/collect/collect.h"
#include "lib/base/stop.h"

/* How often the end of a process is looked at. */
#define REAP_EACH_US 20000

/*
 * Each byte in the pipe becomes a SIGTERM for this process. Its other end stays open here, so that the end of the
 * collection is none.
 */
static void end_by(int pipe)
{
	fcntl(pipe, F_SETOWN, getpid());
	fcntl(pipe, F_SETSIG, SIGTERM);
	fcntl(pipe, F_SETFL, O_ASYNC | O_NONBLOCK);
}

pid_t collect_fork(struct collect_child *child)
{
	int ends[2];

	fflush(NULL);
	child->pid = pipe2(ends, O_CLOEXEC) ? -1 : fork();
	if (!child->pid) {
		/* Ctrl-C ends the collection; what is under way still comes. */
		setpgid(0, 0);
		end_by(ends[0]);
		return 0;
	}
	if (child->pid < 0) {
		app_say("start a process: %s", strerror(errno));
		return -1;
	}
	close(ends[0]);
	child->end = ends[1];
	return child->pid;
}

void collect_watch(struct collect *collect, const struct collect_child *child)
{
	if (dkt__append(collect->children, collect->n_children, *child))
		app_say("start a process: %s", strerror(ENOMEM));
}

void collect_reap(struct collect *collect, bool wait)
{
	size_t left = 0;
	int status;

	for (size_t i = 0; i < collect->n_children; i++) {
		const struct collect_child child = collect->children[i];
		pid_t ended;

		while (!(ended = waitpid(child.pid, &status, WNOHANG)) && wait) {
			/* The second Ctrl-C gives up what has not come. */
			if (dkt__stopped())
				dprintf(child.end, "x");
			dkt__stop_forget();
			usleep(REAP_EACH_US);
		}
		if (!ended) {
			collect->children[left++] = child;
			continue;
		}
		close(child.end);
		if (ended > 0)
			collect->worst = app_worse(collect->worst, WIFEXITED(status) ?
									   WEXITSTATUS(status) :
									   EXIT_FAILED);
	}
	collect->n_children = left;
}
