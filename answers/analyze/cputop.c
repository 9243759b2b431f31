/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cputop: the share of the time that each process and each CPU ran. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/sched.h"

struct cpu {
	bool seen; /* a record of the CPU, or a loss, came */
	bool known; /* which process runs */
	uint32_t process;
	uint64_t since; /* the time is counted up to here */
	uint64_t busy, unknown, switches;
};

struct usage {
	uint64_t time, runs, migrations;
	int64_t prio;
	bool ran;
};

struct cputop {
	struct cpu *cpus;
	uint32_t n_cpus;
	struct usage *usages; /* by process */
	uint32_t n_usages;
};

enum { BY_PROCESS, BY_CPU, TOTAL };

static const struct result_column process_columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "usage", RESULT_SHARE, "CPU usage", NULL, NULL },
	{ "time", RESULT_DURATION, "CPU time", NULL, NULL },
	{ "runs", RESULT_NUMBER, "Runs", "runs", NULL },
	{ "migrations", RESULT_NUMBER, "Migrations", "migrations", NULL },
	{ "prio", RESULT_NUMBER, "Priority", NULL, NULL },
};

static const struct result_column cpu_columns[] = {
	{ "cpu", RESULT_CPU, "CPU", NULL, NULL },
	{ "usage", RESULT_SHARE, "CPU usage", NULL, NULL },
	{ "busy", RESULT_DURATION, "Busy", NULL, NULL },
	{ "idle", RESULT_DURATION, "Idle", NULL, NULL },
	{ "unknown", RESULT_DURATION, "Unknown, because records are missing", NULL, NULL },
	{ "switches", RESULT_NUMBER, "Context switches", "switches", NULL },
};

static const struct result_column total_columns[] = {
	{ "usage", RESULT_SHARE, "CPU usage", NULL, NULL },
	{ "cpus", RESULT_NUMBER, "CPUs", "CPUs", NULL },
	{ "window", RESULT_DURATION, "Time", NULL, NULL },
};

static const struct result_table tables[] = {
	[BY_PROCESS] = { "processes", "CPU usage of processes", process_columns,
			 ARRAY_SIZE(process_columns), .by = 2, .bar = 1 },
	[BY_CPU] = { "cpus", "CPU usage of CPUs", cpu_columns, ARRAY_SIZE(cpu_columns), .by = -1,
		     .bar = 1 },
	[TOTAL] = { "total", "CPU usage of all CPUs", total_columns, ARRAY_SIZE(total_columns),
		    .by = -1, .bar = -1 },
};

static struct usage *usage_of(struct cputop *top, uint32_t process)
{
	return dkt__reach(top->usages, top->n_usages, process);
}

/* Counts the time of the CPU up to ts. */
static int charge(struct analyze *a, struct cputop *top, struct cpu *cpu, uint64_t ts)
{
	uint64_t since = DKT__MAX(cpu->since, a->from), time = ts > since ? ts - since : 0;
	struct usage *usage = cpu->known ? usage_of(top, cpu->process) : NULL;

	cpu->since = DKT__MAX(since, ts);
	if (!cpu->known) {
		cpu->unknown += time;
		return 0;
	}
	if (!usage)
		return -ENOMEM;
	usage->ran = true;
	usage->time += time;
	if (a->processes.list[cpu->process].pid)
		cpu->busy += time;
	return 0;
}

static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct cputop *top = state;
	struct sched_switch s;
	int err = sched_read_switch(a, r, &s);
	struct cpu *cpu = err ? NULL : dkt__reach(top->cpus, top->n_cpus, s.cpu);
	struct usage *usage;

	if (!cpu)
		return -ENOMEM;
	/* Before the first switch of the CPU the process ran from the beginning on. */
	if (!cpu->seen)
		*cpu = (struct cpu){ .seen = true, .known = true, .process = s.prev };
	else if (cpu->process != s.prev)
		cpu->known = false;
	err = charge(a, top, cpu, s.ts);
	usage = usage_of(top, s.next);
	if (err || !usage)
		return -ENOMEM;
	usage->ran = true;
	usage->runs++;
	usage->prio = s.next_prio;
	cpu->process = s.next;
	cpu->known = true;
	cpu->switches++;
	sched_switch_done(a, &s);
	return 0;
}

static int on_migrate(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct cputop *top = state;
	uint32_t process = analyze_process(a, r, (int32_t)record_int(r, 1), 0);
	struct usage *usage = process == PROCESS_NONE ? NULL : usage_of(top, process);

	if (!usage)
		return -ENOMEM;
	usage->ran = true;
	usage->migrations++;
	return 0;
}

static int on_gap(struct analyze *a, void *state, uint32_t nr, uint64_t last, uint64_t ts)
{
	struct cputop *top = state;
	struct cpu *cpu = dkt__reach(top->cpus, top->n_cpus, nr);
	int err;

	if (!cpu)
		return -ENOMEM;
	(void)ts;
	cpu->seen = true;
	err = charge(a, top, cpu, last);
	cpu->known = false;
	return err;
}

/* ---- rows ---- */

static int process_rows(struct analyze *a, const struct cputop *top, uint64_t window)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < top->n_usages; i++) {
		const struct usage *usage = &top->usages[i];
		struct result_cell cells[ARRAY_SIZE(process_columns)] = {
			analyze_cell(a, i),
			cell_share(usage->time, window),
			cell_number(usage->time),
			cell_number(usage->runs),
			cell_number(usage->migrations),
			cell_number((uint64_t)usage->prio),
		};

		if (!usage->ran || !a->processes.list[i].pid)
			continue;
		cells[4].known = analyze_has(a, 1);
		cells[5].known = usage->runs;
		err = analyze_row(a, &tables[BY_PROCESS], cells);
	}
	return err;
}

static int on_end(struct analyze *a, void *state)
{
	struct cputop *top = state;
	uint64_t window = a->to - a->from, busy = 0, n = 0;
	struct result_cell cells[ARRAY_SIZE(cpu_columns)];
	int err = 0;

	for (uint32_t i = 0; !err && i < top->n_cpus; i++)
		if (top->cpus[i].seen)
			err = charge(a, top, &top->cpus[i], a->to);
	if (!err)
		err = process_rows(a, top, window);
	for (uint32_t i = 0; !err && i < top->n_cpus; i++) {
		const struct cpu *cpu = &top->cpus[i];

		if (!cpu->seen)
			continue;
		cells[0] = cell_number(i);
		cells[1] = cell_share(cpu->busy, window);
		cells[2] = cell_number(cpu->busy);
		cells[3] = cell_number(window - DKT__MIN(window, cpu->busy + cpu->unknown));
		cells[4] = cell_number(cpu->unknown);
		cells[5] = cell_number(cpu->switches);
		busy += cpu->busy;
		n++;
		err = analyze_row(a, &tables[BY_CPU], cells);
	}
	cells[0] = cell_share(busy, n * window);
	cells[1] = cell_number(n);
	cells[2] = cell_number(window);
	return err || !n ? err : analyze_row(a, &tables[TOTAL], cells);
}

static void clear(void *state)
{
	struct cputop *top = state;

	free(top->cpus);
	free(top->usages);
}

static const struct analysis_event events[] = {
	{ "sched:sched_switch", NEED_ALL, on_switch, SWITCH_FIELDS },
	{ "sched:sched_migrate_task", NEED_NONE, on_migrate, { "comm", "pid" } },
};

const struct analysis_kind cputop_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct cputop),
	.gap = on_gap,
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
};
