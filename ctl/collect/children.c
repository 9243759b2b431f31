/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes beside a collection: they fetch dumps, or load what has come. */
#include <signal.h>
#include <sys/wait.h>

#include "base/stop.h"
#include "collect/collect.h"

/* How often the end of a process is looked at. */
#define REAP_EACH_US 20000

pid_t collect_fork(struct collect *collect)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		/* Ctrl-C ends the collection; what is under way still comes. */
		setpgid(0, 0);
		return 0;
	}
	if (pid < 0 || dkt__append(collect->children, collect->n_children, pid))
		app_say("start a process: %s", strerror(errno));
	return pid;
}

void collect_reap(struct collect *collect, bool wait)
{
	size_t left = 0;
	int status;

	for (size_t i = 0; i < collect->n_children; i++) {
		const pid_t pid = collect->children[i];
		pid_t ended;

		while (!(ended = waitpid(pid, &status, WNOHANG)) && wait) {
			/* The second Ctrl-C gives up what has not come. */
			if (dkt__stopped())
				kill(pid, SIGTERM);
			dkt__stop_forget();
			usleep(REAP_EACH_US);
		}
		if (!ended)
			collect->children[left++] = pid;
		else if (ended > 0)
			collect->worst = app_worse(collect->worst, WIFEXITED(status) ?
									   WEXITSTATUS(status) :
									   EXIT_FAILED);
	}
	collect->n_children = left;
}
