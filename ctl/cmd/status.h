/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the log and its instance that status prints. */
#pragma once

#include "app/app.h"
#include "apply/apply.h"
#include "log/recording.h"
#include "set/sources.h"

struct status_cpu {
	struct dkt_cpu_stats stats;
	bool offline; /* now; the records that it left can be read all the same */
};

struct status {
	bool started;
	struct recording recording;
	uint64_t size;
	char *clock;
	size_t events_on;
	size_t filtered;
	uint64_t kept; /* bytes taken out by show, still of the log */
	struct source_state sources[SOURCES];
	char *left; /* instances of commands that were killed, NULL: none */
	char *drift; /* lines on what came and went, NULL: nothing */
	struct status_cpu *cpus;
	int n_cpus;
};

/* Prints it on stdout; 0 or -ENOMEM. */
int status_print(const struct app *app, struct debuglog *log, const struct status *status);
