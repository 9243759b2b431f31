/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records live, from an instance that is created for one command and removed with it. */
#pragma once

#include <stddef.h>

#include "compat/pipeline/losses.h"
#include "ctl/app/app.h"
#include "ctl/app/spawn.h"

/* An event to record. */
struct live_event {
	struct dkt_event *event;
	struct dkt_expr *filter; /* replaces the filter of all events; NULL: use that */
	bool stack; /* also record the kernel's stack */
};

struct live_opts {
	const char *kind; /* hist or latency: a part of the instance's name */
	const char *doing; /* a verb for the message to the user: "counting"; NULL: no message */
	const struct live_event *events;
	size_t n;
	struct dkt_expr *filter; /* for the events that have its fields; may be NULL */
	bool only_command; /* record the command and its children only */
	const char *pids; /* processes; record these and what they start later only; NULL: all */
	bool stacks; /* also record the kernel's stack, with all events */
	bool user_data; /* also record the strings that system calls point to, if the kernel can */
	bool user_stacks; /* also record the program's stack, if the kernel can */
	char **command; /* to run while recording; may be NULL */
	double seconds; /* stop after this time; 0: no limit */
	/*
	 * Called before recording begins, with all privileges; pid: of the command, 0: none. May clear
	 * *user_stacks. May be NULL.
	 */
	int (*prepare)(void *data, pid_t pid, bool *user_stacks);
	/* Called for each record and gap; an error ends the recording. */
	int (*record)(void *data, struct dkt_source *source, const struct dkt_record *record);
	/* Called when record() has had all records up to now; may be NULL. */
	int (*idle)(void *data);
	/* Called at the end, while the names of processes are known. */
	int (*report)(void *data, struct dkt_source *source, const struct losses_sum *all);
	void *data;
};

/* Catches SIGINT, SIGTERM, SIGHUP and SIGPIPE, so that the command removes its instance. */
void live_catch(void);

/*
 * Returns the name of the kind's instance that stays, and the beginning of NAME-PID-TIME, those of
 * processes. The caller frees it. NULL: out of memory.
 */
char *live_name(const struct app *app, const char *kind);

/* Removes the instances of all kinds: those of killed processes, and those that were kept. */
int live_sweep(const struct app *app);

/* Removes the instances of killed processes, if the privileges suffice. Call before finding events. */
void live_clean(const struct app *app);

/* Seconds of a clock that only goes forward. */
double live_now(void);

/* When all is set up: starts the command, or tells the user how the recording ends. */
int live_begin(const struct app *app, struct spawn *spawn, const char *doing, double seconds);

/*
 * True if recording must end: the command has ended, or without a command, a signal came or seconds have
 * passed since from; seconds 0: no limit.
 */
bool live_over(struct spawn *spawn, double from, double seconds);

/* Waits until live_over(). Calls idle, which may be NULL, often, and ends with its error. */
int live_wait(struct spawn *spawn, double seconds, int (*idle)(void *data), void *data);

/*
 * Closes and removes an instance, which may be NULL. Reports an error, and keeps the error message that
 * the context had before. Returns 0 or -errno.
 */
int live_remove(const struct app *app, struct dkt_instance *in);

struct wanted;

/*
 * Records until a signal comes, the command ends, or the time is over. Sets *rc to the command's exit
 * status, or to EXIT_LOST if the command succeeded and records were lost; standard error reports them.
 */
int live_run(struct app *app, const struct live_opts *opts, int *rc);
