/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stop flag: records which signal asked the program to end. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/stop.h"

/* The only variable that a signal handler changes. */
static volatile sig_atomic_t stop;

/* By signal: what it did before. */
static struct {
	bool taken;
	struct sigaction before;
} signals[NSIG];

static void on_signal(int sig)
{
	stop = sig;
}

static void take(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(sig, &action, signals[sig].taken ? NULL : &signals[sig].before);
	signals[sig].taken = true;
}

void dkt__stop_on(int sig)
{
	take(sig, on_signal);
}

void dkt__stop_on_end(void)
{
	struct sigaction hangup;

	dkt__stop_on(SIGINT);
	dkt__stop_on(SIGTERM);
	/* nohup(1) ignores it, so that programs go on when the terminal is gone. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		dkt__stop_on(SIGHUP);
	take(SIGPIPE, SIG_IGN);
}

void dkt__stop_return(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (signals[sig].taken)
			sigaction(sig, &signals[sig].before, NULL);
	if (stop)
		raise(stop);
}

int dkt__stopped(void)
{
	return stop;
}

void dkt__stop_forget(void)
{
	stop = 0;
}
