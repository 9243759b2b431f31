/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stop flag: records which signal asked the program to end. */
#include <signal.h>
#include <stddef.h>

#include "base/stop.h"

/* The only variable that a signal handler changes. */
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

void dkt__stop_on(int sig)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(sig, &action, NULL);
}

void dkt__stop_on_end(void)
{
	dkt__stop_on(SIGINT);
	dkt__stop_on(SIGTERM);
	signal(SIGPIPE, SIG_IGN);
}

int dkt__stopped(void)
{
	return stop;
}

void dkt__stop_forget(void)
{
	stop = 0;
}
