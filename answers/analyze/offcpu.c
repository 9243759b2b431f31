/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times in which a process did not run, by reason: until its wakeup, then until it has a CPU. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/sched.h"
#include "answers/analyze/wchan.h"

struct offcpu {
	uint32_t *stopped; /* by CPU: the process whose stack may come next, plus 1; 0: none */
	uint32_t n_cpus;
	struct wchan wchan;
};

/* The cells of a process that does not run. The last one is not of the table: the time of its wakeup. */
enum { PROCESS, REASON, WHERE, WOKEN };

static const struct result_column columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "reason", RESULT_TEXT, "Why it did not run", NULL, NULL },
	{ "where", RESULT_TEXT, "Function of the kernel that waits", NULL, NULL },
};

static const struct span_set sets[] = {
	{ "waits",
	  "Times in which processes did not run",
	  columns,
	  ARRAY_SIZE(columns),
	  { 0, 1 },
	  .one_cpu = false },
};

/* Returns where to keep the process whose stack comes next; NULL: memory is out. */
static uint32_t *stopped_of(struct offcpu *offcpu, const struct analysis_record *r)
{
	return dkt__reach(offcpu->stopped, offcpu->n_cpus, r->record->cpu);
}

static int on_wakeup(struct analyze *a, void *state, const struct analysis_record *r)
{
	uint32_t process = analyze_process(a, r, (int32_t)record_int(r, 1), 0);
	uint32_t *stopped = stopped_of(state, r);
	struct span *outside;

	if (process == PROCESS_NONE || !stopped)
		return -ENOMEM;
	/* A stack that follows is that of the wakeup. */
	*stopped = 0;
	outside = span_find(a, 0, &(uint64_t){ process });
	if (outside && !outside->cells[WOKEN].known)
		outside->cells[WOKEN] = cell_number(r->record->ts);
	return 0;
}

static int find_where(struct analyze *a, struct offcpu *offcpu, const struct dkt_record *stack,
		      uint32_t process)
{
	struct span *outside = span_find(a, 0, &(uint64_t){ process });
	const char *where = NULL;
	int err = outside ? wchan_find(a, &offcpu->wchan, stack, &where) : 0;

	if (where)
		outside->cells[WHERE] = cell_text(where);
	return err;
}

/* The stack of the record before it on the CPU. */
static int on_stack(struct analyze *a, void *state, const struct analysis_record *r)
{
	uint32_t *stopped = stopped_of(state, r);
	int err = 0;

	if (!stopped)
		return -ENOMEM;
	if (*stopped)
		err = find_where(a, state, r->record, *stopped - 1);
	*stopped = 0;
	return err;
}

/* A wait is divided at the wakeup. */
static int add_wait(struct analyze *a, struct span *outside, uint32_t process)
{
	const uint64_t end = outside->end;
	int err;

	outside->cells[PROCESS] = analyze_cell(a, process);
	if (!outside->cells[WOKEN].known)
		return span_add(a, outside);
	outside->end = DKT__MIN(outside->cells[WOKEN].number, end);
	err = span_add(a, outside);
	outside->begin = outside->end;
	outside->end = end;
	outside->cells[REASON] = cell_text("waiting for a CPU");
	return err ? err : span_add(a, outside);
}

static int stop(struct analyze *a, const struct sched_switch *s)
{
	struct span *outside;
	int err = span_begin(a, 0, &(uint64_t){ s->prev }, s->ts, &outside);

	if (err)
		return err;
	outside->cells[REASON] = cell_text(sched_reason(s->state));
	outside->cells[WHERE] = outside->cells[WOKEN] = (struct result_cell){ 0 };
	return 0;
}

static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	uint32_t *stopped = stopped_of(state, r);
	struct dkt_record stack;
	struct sched_switch s;
	struct span *outside;
	int err = sched_read_switch(a, r, &s);

	if (err || !stopped)
		return -ENOMEM;
	outside = s.next_pid ? span_end(a, 0, &(uint64_t){ s.next }, s.ts) : NULL;
	if (outside)
		err = add_wait(a, outside, s.next);
	*stopped = 0;
	/* It ran, though no record says since when. */
	if (s.ended && span_find(a, 0, &(uint64_t){ s.prev })) {
		span_end(a, 0, &(uint64_t){ s.prev }, s.ts);
		a->missed.endless++;
	}
	if (!err && s.prev_pid && !s.ended) {
		err = stop(a, &s);
		*stopped = s.prev + 1;
	}
	/* A sample of perf has its stack in itself. */
	if (!err && *stopped && r->record->stacks && !dkt_record_stack(r->record, 0, &stack))
		err = find_where(a, state, &stack, s.prev);
	sched_switch_done(a, &s);
	return err;
}

static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct offcpu *offcpu = state;

	(void)a, (void)last, (void)ts;
	if (cpu < offcpu->n_cpus)
		offcpu->stopped[cpu] = 0;
	return 0;
}

static void clear(void *state)
{
	struct offcpu *offcpu = state;

	free(offcpu->stopped);
	wchan_clear(&offcpu->wchan);
}

static const struct analysis_event events[] = {
	{ "sched:sched_switch", NEED_ALL, on_switch, SWITCH_FIELDS },
	{ "sched:sched_waking", NEED_NONE, on_wakeup, { "comm", "pid" } },
	{ "sched:sched_wakeup", NEED_NONE, on_wakeup, { "comm", "pid" } },
	{ "ftrace:kernel_stack", NEED_NONE, on_stack, { 0 } },
};

const struct analysis_kind offcpu_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct offcpu),
	.gap = on_gap,
	.clear = clear,
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
