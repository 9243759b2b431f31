/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The timeline of the CPUs: each time that a process ran, and why it stopped. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/sched.h"

/* The process that runs on a CPU. */
struct running {
	uint64_t since;
	uint32_t process;
	int64_t prio;
	bool known;
};

struct run {
	struct running *cpus;
	uint32_t n_cpus;
};

static const struct result_column columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "cpu", RESULT_CPU, "CPU", NULL, NULL },
	{ "prio", RESULT_NUMBER, "Priority", NULL, NULL },
	{ "stop", RESULT_TEXT, "Why it stopped", NULL, NULL },
};

static const struct span_set sets[] = {
	{ "runs", "Runs of processes", columns, ARRAY_SIZE(columns), { 0, -1 }, .one_cpu = true },
};

static int add_run(struct analyze *a, const struct running *running, const struct sched_switch *s)
{
	struct span span = { .begin = running->since, .end = s->ts };

	span.cells[0] = analyze_cell(a, running->process);
	span.cells[1] = cell_number(s->cpu);
	span.cells[2] = cell_number((uint64_t)running->prio);
	span.cells[3] = cell_text(sched_reason(s->state));
	return span_add(a, &span);
}

static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct run *run = state;
	struct sched_switch s;
	struct running *running;
	int err = sched_read_switch(a, r, &s);

	running = err ? NULL : dkt__reach(run->cpus, run->n_cpus, s.cpu);
	if (!running)
		return -ENOMEM;
	if (s.prev_pid && running->known && running->process == s.prev)
		err = add_run(a, running, &s);
	else
		a->missed.unbegun += s.prev_pid != 0;
	*running = (struct running){ s.ts, s.next, s.next_prio, true };
	sched_switch_done(a, &s);
	return err;
}

static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct run *run = state;

	(void)last, (void)ts;
	if (cpu >= run->n_cpus)
		return 0;
	a->missed.lost += run->cpus[cpu].known && a->processes.list[run->cpus[cpu].process].pid;
	run->cpus[cpu].known = false;
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	const struct run *run = state;

	for (uint32_t i = 0; i < run->n_cpus; i++)
		a->missed.open += run->cpus[i].known && a->processes.list[run->cpus[i].process].pid;
	return 0;
}

static void clear(void *state)
{
	free(((struct run *)state)->cpus);
}

static const struct analysis_event events[] = {
	{ "sched:sched_switch", NEED_ALL, on_switch, SWITCH_FIELDS },
};

const struct analysis_kind run_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct run),
	.gap = on_gap,
	.end = on_end,
	.clear = clear,
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
