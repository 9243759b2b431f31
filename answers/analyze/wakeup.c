/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for a CPU: from the wakeup of a process until it runs. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/sched.h"

struct wakeup {
	bool *runs; /* by process */
	uint32_t n_runs;
	uint32_t *running; /* by CPU: the process + 1; 0: unknown or idle */
	uint32_t n_cpus;
};

static const struct result_column columns[] = {
	{ "process", RESULT_PROCESS, "Process that waits", NULL, "pid" },
	{ "cpu", RESULT_CPU, "CPU", NULL, NULL },
	{ "prio", RESULT_NUMBER, "Priority", NULL, NULL },
	{ "waker", RESULT_PROCESS, "Process that woke it", NULL, "waker_pid" },
};

static const struct span_set sets[] = {
	{ "waits",
	  "Waits for a CPU after a wakeup",
	  columns,
	  ARRAY_SIZE(columns),
	  { 0, -1 },
	  .one_cpu = false,
	  .first = true,
	  .beginless = true },
};

/* Several wakeups may come before it runs; the first one counts. */
static int on_wakeup(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct wakeup *wakeup = state;
	const uint32_t cpu = r->record->cpu;
	uint32_t process = analyze_process(a, r, (int32_t)record_int(r, 1), 0);
	struct span *span;
	int err;

	if (process == PROCESS_NONE)
		return -ENOMEM;
	if (process < wakeup->n_runs && wakeup->runs[process])
		return 0;
	err = span_begin(a, 0, &(uint64_t){ process }, r->record->ts, &span);
	/* The waker is unknown if it is an interrupt on an idle CPU. */
	if (span)
		span->cells[3] = cpu < wakeup->n_cpus && wakeup->running[cpu] ?
					 analyze_cell(a, wakeup->running[cpu] - 1) :
					 (struct result_cell){ 0 };
	return err;
}

static int add_wait(struct analyze *a, struct span *span, const struct sched_switch *s)
{
	span->cells[0] = analyze_cell(a, s->next);
	span->cells[1] = cell_number(s->cpu);
	span->cells[2] = cell_number((uint64_t)s->next_prio);
	if (span->cells[3].known)
		span->cells[3] = analyze_cell(a, span->cells[3].process);
	return span_add(a, span);
}

static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct wakeup *wakeup = state;
	struct sched_switch s;
	int err = sched_read_switch(a, r, &s);
	uint32_t *running = err ? NULL : dkt__reach(wakeup->running, wakeup->n_cpus, s.cpu);
	struct span *span;

	if (!running || !dkt__reach(wakeup->runs, wakeup->n_runs, DKT__MAX(s.prev, s.next)))
		return -ENOMEM;
	/* It ran, though no record says since when: a wait before that has no end. */
	a->missed.endless += span_end(a, 0, &(uint64_t){ s.prev }, s.ts) != NULL;
	wakeup->runs[s.prev] = false;
	span = span_end(a, 0, &(uint64_t){ s.next }, s.ts);
	if (span)
		err = add_wait(a, span, &s);
	wakeup->runs[s.next] = s.next_pid != 0;
	*running = s.next_pid ? s.next + 1 : 0;
	sched_switch_done(a, &s);
	return err;
}

/* A process that ran may have stopped. */
static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct wakeup *wakeup = state;

	(void)a, (void)last, (void)ts;
	if (cpu < wakeup->n_cpus && wakeup->running[cpu]) {
		wakeup->runs[wakeup->running[cpu] - 1] = false;
		wakeup->running[cpu] = 0;
	}
	return 0;
}

static void clear(void *state)
{
	struct wakeup *wakeup = state;

	free(wakeup->runs);
	free(wakeup->running);
}

static const struct analysis_event events[] = {
	{ "sched:sched_switch", NEED_ALL, on_switch, SWITCH_FIELDS },
	{ "sched:sched_waking", NEED_ONE, on_wakeup, { "comm", "pid" } },
	{ "sched:sched_wakeup", NEED_ONE, on_wakeup, { "comm", "pid" } },
	{ "sched:sched_wakeup_new", NEED_NONE, on_wakeup, { "comm", "pid" } },
};

const struct analysis_kind sched_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct wakeup),
	.gap = on_gap,
	.clear = clear,
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
