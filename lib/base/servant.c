/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that this one starts to work for it, and waits for. */
#include "lib/base/servant.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/base/pass.h"

/* Nothing but the end of the other process ends this one, which Ctrl-C and Ctrl-Z would reach, too. */
static void ignore_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_IGN);
}

pid_t dkt__servant_fork(int *fd)
{
	int ends[2], err = dkt__pass_pair(ends);
	pid_t pid;

	*fd = -1;
	if (err)
		return err;
	fflush(NULL);
	pid = fork();
	err = -errno;
	close(ends[!!pid]);
	*fd = ends[!pid];
	if (!pid)
		ignore_signals();
	if (pid < 0) {
		close(*fd);
		*fd = -1;
	}
	return pid < 0 ? err : pid;
}

void dkt__servant_end(pid_t pid, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	if (pid)
		dkt__wait(pid, NULL, 0);
}

pid_t dkt__wait(pid_t pid, int *status, int flags)
{
	return (pid_t)TEMP_FAILURE_RETRY(waitpid(pid, status, flags));
}

int dkt__process_open(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}
