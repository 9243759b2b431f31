/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the log and its instance that status prints. */
#pragma once

#include "compat/apply/apply.h"
#include "compat/log/recording.h"
#include "compat/set/sources.h"
#include "ctl/app/app.h"

struct status_cpu {
	struct dkt_cpu_stats stats;
	bool offline; /* now; its buffer can still be read */
};

struct status {
	bool started;
	struct recording recording;
	uint64_t size;
	char *clock;
	size_t events_on;
	size_t filtered; /* events with a filter */
	enum dkt_snapshot snapshot;
	uint64_t kept; /* bytes in the spool, which show has read and the next dk prints */
	struct source_state sources[SOURCES];
	char *left; /* the instances of killed commands; NULL: none */
	char *drift; /* a line for each difference to the kernel; NULL: none */
	struct status_cpu *cpus;
	int n_cpus;
};

/* Prints the state on stdout. Returns 0 or -ENOMEM. */
int status_print(const struct app *app, struct debuglog *log, const struct status *status);
