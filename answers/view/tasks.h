/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes and CPUs over time: who ran where, from the records of sched_switch. */
#pragma once

#include "answers/view/rates.h"

/* The runs that are kept one by one, from the beginning on. */
#define TASKS_RUNS_MAX 20000

/* Processes whose runs are counted over time. */
#define TASKS_SERIES_MAX 1024

struct task {
	uint32_t part; /* of the pipeline */
	int32_t pid;
	char *comm;
	uint64_t records;
	uint64_t runs; /* complete ones */
	uint64_t ns; /* of them */
	struct series *busy; /* ns; NULL: it did not run, or there are too many processes */
};

struct task_cpu {
	uint32_t part, cpu;
	uint64_t since; /* when the process began to run */
	uint32_t task; /* running, plus 1; 0: unknown */
	struct series *busy; /* ns with a process other than the idle one; NULL: none */
};

struct task_run {
	uint32_t cpu, task; /* their indices */
	uint64_t from, to;
};

struct tasks {
	struct axis *axis;
	struct dkt__keymap task_map, cpu_map; /* by part and number */
	struct task *list;
	uint32_t n, n_series;
	struct task_cpu *cpus;
	uint32_t n_cpus;
	struct task_run *runs;
	uint32_t n_runs;
	uint64_t n_all_runs;
	uint64_t near_key; /* of the task that was found last */
	uint32_t near; /* its index, plus 1; 0: none */
};

void tasks_init(struct tasks *tasks, struct axis *axis);
void tasks_clear(struct tasks *tasks);

/* event: as rates_add() sets it. part: of the record or gap. */
int tasks_add(struct tasks *tasks, const struct rates_event *event, size_t part,
	      struct dkt_source *source, const struct dkt_record *record);
void tasks_finish(struct tasks *tasks);
