/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of interrupt handlers and softirqs, and how long a raised softirq waits for its run. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/running.h"

#define VECTORS 16

enum { HARD, SOFT, RAISE };

/* A run that has not ended. */
struct handler {
	uint64_t begin;
	uint64_t raised; /* of a softirq: when it was raised; 0: unknown */
	bool runs;
};

struct irq_cpu {
	struct handler hard;
	int64_t irq; /* that runs */
	const char *name;
	struct handler soft[VECTORS];
	uint64_t raised[VECTORS]; /* for the next run; 0: not raised */
};

struct irq {
	struct irq_cpu *cpus;
	uint32_t n_cpus;
};

static const struct result_column hard_columns[] = {
	{ "irq", RESULT_IRQ, "Interrupt", NULL, "nr" },
	{ "cpu", RESULT_CPU, "CPU", NULL, NULL },
};

static const struct result_column soft_columns[] = {
	{ "softirq", RESULT_SOFTIRQ, "Softirq", NULL, "nr" },
	{ "cpu", RESULT_CPU, "CPU", NULL, NULL },
};

static const struct span_set sets[] = {
	[HARD] = { "irq",
		   "Runs of interrupt handlers",
		   hard_columns,
		   ARRAY_SIZE(hard_columns),
		   { 0, -1 },
		   .one_cpu = true },
	[SOFT] = { "softirq",
		   "Runs of softirqs",
		   soft_columns,
		   ARRAY_SIZE(soft_columns),
		   { 0, -1 },
		   .one_cpu = true },
	[RAISE] = { "raise",
		    "Softirqs from raise to run",
		    soft_columns,
		    ARRAY_SIZE(soft_columns),
		    { 0, -1 },
		    .one_cpu = true },
};

static struct irq_cpu *cpu_of(struct irq *irq, const struct analysis_record *r)
{
	return dkt__reach(irq->cpus, irq->n_cpus, r->record->cpu);
}

static int add(struct analyze *a, uint32_t set, struct result_cell what, uint32_t cpu,
	       uint64_t begin, uint64_t end)
{
	struct span span = { .begin = begin, .end = end, .set = set };

	span.cells[0] = what;
	span.cells[1] = cell_number(cpu);
	return span_add(a, &span);
}

/* ---- interrupts ---- */

static int on_irq_entry(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct irq_cpu *cpu = cpu_of(state, r);

	if (!cpu)
		return -ENOMEM;
	a->missed.endless += cpu->hard.runs;
	cpu->hard = (struct handler){ .begin = r->record->ts, .runs = true };
	cpu->irq = record_int(r, 0);
	cpu->name = analyze_text(a, r, 1);
	return cpu->name ? 0 : -ENOMEM;
}

static int on_irq_exit(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct irq_cpu *cpu = cpu_of(state, r);

	if (!cpu)
		return -ENOMEM;
	if (!cpu->hard.runs || cpu->irq != record_int(r, 0)) {
		a->missed.unbegun++;
		cpu->hard.runs = false;
		return 0;
	}
	cpu->hard.runs = false;
	return add(a, HARD, cell_named(cpu->name, (uint64_t)cpu->irq), r->record->cpu,
		   cpu->hard.begin, r->record->ts);
}

/* ---- softirqs ---- */

/* The kernel's order; see include/linux/interrupt.h. */
static const char *const softirqs[] = {
	"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU",
};

/* Returns the CPU and sets the number of the softirq; NULL: memory is out, or the number is invalid. */
static struct irq_cpu *soft_of(struct irq *irq, const struct analysis_record *r, size_t *vec,
			       int *err)
{
	struct irq_cpu *cpu = cpu_of(irq, r);

	*vec = (size_t)record_int(r, 0);
	*err = cpu ? 0 : -ENOMEM;
	return *vec < VECTORS ? cpu : NULL;
}

static int on_raise(struct analyze *a, void *state, const struct analysis_record *r)
{
	size_t vec;
	int err;
	struct irq_cpu *cpu = soft_of(state, r, &vec, &err);

	(void)a;
	/* It is raised once, however often it is asked for until it runs. */
	if (cpu && !cpu->raised[vec])
		cpu->raised[vec] = r->record->ts;
	return err;
}

static int on_soft_entry(struct analyze *a, void *state, const struct analysis_record *r)
{
	size_t vec;
	int err;
	struct irq_cpu *cpu = soft_of(state, r, &vec, &err);

	if (!cpu)
		return err;
	a->missed.endless += cpu->soft[vec].runs;
	cpu->soft[vec] = (struct handler){ r->record->ts, cpu->raised[vec], true };
	cpu->raised[vec] = 0;
	return 0;
}

static int on_soft_exit(struct analyze *a, void *state, const struct analysis_record *r)
{
	size_t vec;
	int err;
	struct irq_cpu *cpu = soft_of(state, r, &vec, &err);
	struct result_cell what;
	struct handler *handler;

	if (!cpu)
		return err;
	handler = &cpu->soft[vec];
	if (!handler->runs) {
		a->missed.unbegun++;
		return 0;
	}
	handler->runs = false;
	what = cell_named(vec < ARRAY_SIZE(softirqs) ? softirqs[vec] : NULL, vec);
	if (handler->raised)
		err = add(a, RAISE, what, r->record->cpu, handler->raised, handler->begin);
	return err ? err : add(a, SOFT, what, r->record->cpu, handler->begin, r->record->ts);
}

/* ---- the rest ---- */

static uint64_t count_runs(const struct irq_cpu *cpu)
{
	uint64_t n = cpu->hard.runs;

	for (size_t i = 0; i < VECTORS; i++)
		n += cpu->soft[i].runs;
	return n;
}

static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct irq *irq = state;

	(void)last, (void)ts;
	if (cpu >= irq->n_cpus)
		return 0;
	a->missed.lost += count_runs(&irq->cpus[cpu]);
	irq->cpus[cpu] = (struct irq_cpu){ 0 };
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	const struct irq *irq = state;

	for (uint32_t i = 0; i < irq->n_cpus; i++)
		a->missed.open += count_runs(&irq->cpus[i]);
	return 0;
}

static void clear(void *state)
{
	free(((struct irq *)state)->cpus);
}

static const struct analysis_event events[] = {
	{ "irq:irq_handler_entry", NEED_ONE, on_irq_entry, { "irq", "name" } },
	{ "irq:irq_handler_exit", NEED_NONE, on_irq_exit, { "irq" } },
	{ "irq:softirq_raise", NEED_NONE, on_raise, { "vec" } },
	{ "irq:softirq_entry", NEED_ONE, on_soft_entry, { "vec" } },
	{ "irq:softirq_exit", NEED_NONE, on_soft_exit, { "vec" } },
};

const struct analysis_kind irq_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct irq),
	.gap = on_gap,
	.end = on_end,
	.clear = clear,
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
