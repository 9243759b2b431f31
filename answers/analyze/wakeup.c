/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for a CPU: from the wakeup of a process until it runs. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/sched.h"

/* A process. */
struct sleeper {
	uint64_t woken; /* the time of the first wakeup since it ran */
	uint32_t waker; /* process + 1; 0: unknown, or an interrupt on an idle CPU */
	bool waits; /* was woken, and has not run yet */
	bool runs;
};

struct wakeup {
	struct sleeper *sleepers; /* by process */
	uint32_t n_sleepers;
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
	  .one_cpu = false },
};

static int on_wakeup(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct wakeup *wakeup = state;
	uint32_t process = analyze_process(a, r, (int32_t)record_int(r, 1), 0);
	struct sleeper *sleeper = process == PROCESS_NONE ?
					  NULL :
					  dkt__reach(wakeup->sleepers, wakeup->n_sleepers, process);

	if (!sleeper)
		return -ENOMEM;
	/* Several wakeups may come before it runs; the first one counts. */
	if (sleeper->waits || sleeper->runs)
		return 0;
	sleeper->waits = true;
	sleeper->woken = r->record->ts;
	sleeper->waker = r->record->cpu < wakeup->n_cpus ? wakeup->running[r->record->cpu] : 0;
	return 0;
}

static int add_wait(struct analyze *a, const struct sleeper *sleeper, const struct sched_switch *s)
{
	struct span span = { .begin = sleeper->woken, .end = s->ts };

	span.cells[0] = analyze_cell(a, s->next);
	span.cells[1] = cell_number(s->cpu);
	span.cells[2] = cell_number((uint64_t)s->next_prio);
	if (sleeper->waker)
		span.cells[3] = analyze_cell(a, sleeper->waker - 1);
	return span_add(a, &span);
}

static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct wakeup *wakeup = state;
	struct sched_switch s;
	int err = sched_read_switch(a, r, &s);
	uint32_t *running = err ? NULL : dkt__reach(wakeup->running, wakeup->n_cpus, s.cpu);
	struct sleeper *next;

	if (!running || !dkt__reach(wakeup->sleepers, wakeup->n_sleepers, DKT__MAX(s.prev, s.next)))
		return -ENOMEM;
	next = &wakeup->sleepers[s.next];
	/* It ran, though no record says since when: a wait before that has no end. */
	a->missed.endless += wakeup->sleepers[s.prev].waits;
	wakeup->sleepers[s.prev] = (struct sleeper){ 0 };
	if (next->waits)
		err = add_wait(a, next, &s);
	*next = (struct sleeper){ .runs = s.next_pid != 0 };
	*running = s.next_pid ? s.next + 1 : 0;
	sched_switch_done(a, &s);
	return err;
}

/* A process that was woken may have run meanwhile; one that ran may have stopped. */
static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct wakeup *wakeup = state;

	(void)last, (void)ts;
	for (uint32_t i = 0; i < wakeup->n_sleepers; i++) {
		a->missed.lost += wakeup->sleepers[i].waits;
		wakeup->sleepers[i].waits = false;
	}
	if (cpu < wakeup->n_cpus && wakeup->running[cpu]) {
		wakeup->sleepers[wakeup->running[cpu] - 1].runs = false;
		wakeup->running[cpu] = 0;
	}
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	const struct wakeup *wakeup = state;

	for (uint32_t i = 0; i < wakeup->n_sleepers; i++)
		a->missed.open += wakeup->sleepers[i].waits;
	return 0;
}

static void clear(void *state)
{
	struct wakeup *wakeup = state;

	free(wakeup->sleepers);
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
	.end = on_end,
	.clear = clear,
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
