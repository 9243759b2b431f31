/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records live, from an instance that is created for one command and removed with it. */
#pragma once

#include <stddef.h>

#include "app/app.h"
#include "app/spawn.h"

/* An event to be recorded. */
struct live_event {
	struct dkt_event *event;
	struct dkt_expr *filter; /* in place of that of all events; NULL: that */
};

struct live_opts {
	const char *kind; /* of the command: a part of the instance's name */
	const char *doing; /* what it does until it is over, for a person */
	const struct live_event *events;
	size_t n;
	struct dkt_expr *filter; /* put to those that have its fields; NULL: none */
	bool only_command; /* records of the command and its children only */
	bool stacks; /* of each record also the kernel's stack */
	char **command; /* to be run meanwhile, NULL: none */
	double seconds; /* stop after so many; 0: no bound */
	/* Called for each record and gap; anything but 0 ends it with that error. */
	int (*record)(void *data, struct dkt_source *source, const struct dkt_record *record);
	/* Called now and then, when all records up to now have been handed over. NULL: not. */
	int (*idle)(void *data);
	/* Called at the end, while names of processes are known. */
	int (*report)(void *data, struct dkt_source *source, uint64_t seen, uint64_t lost);
	void *data;
};

/* Catches SIGINT, SIGTERM, SIGHUP and SIGPIPE: what was made goes before the command ends. */
void live_catch(void);

/* Name of the instances of the kind: those of processes are NAME-PID-TIME. The caller frees it. */
char *live_name(const struct app *app, const char *kind);

/* Removes what killed processes left of instances of all kinds, and what was told to stay. */
int live_sweep(const struct app *app);

/* Before events are looked for: removes what killed commands left, as far as that can be. */
void live_clean(const struct app *app);

/* Seconds of a clock that only goes forward. */
double live_now(void);

/* All is set up: lets the command that it runs go, or says how it ends if nothing else ends it. */
int live_begin(const struct app *app, struct spawn *spawn, const char *doing, double seconds);

/*
 * Whether a command that watches is to end: when what it runs has ended, else upon a signal or when
 * seconds have passed since from; 0: no bound.
 */
bool live_over(struct spawn *spawn, double from, double seconds);

/* Waits until it is over. */
void live_wait(struct spawn *spawn, double seconds);

/*
 * Records until a signal comes, the command ends, or the time is over. rc: the command's exit status, or
 * EXIT_LOST if records were lost, which is said on standard error.
 */
int live_run(struct app *app, const struct live_opts *opts, int *rc);
