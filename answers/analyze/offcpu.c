/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times in which a process did not run, by reason: until its wakeup, then until it has a CPU. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/sched.h"
#include "answers/analyze/wchan.h"

/* A process that does not run. */
struct outside {
	uint64_t since;
	uint64_t woken; /* 0: not yet */
	const char *reason;
	const char *where; /* the function that waits; NULL: unknown */
	bool known; /* it stopped at since */
};

struct offcpu {
	struct outside *all; /* by process */
	uint32_t n;
	uint32_t *stopped; /* by CPU: the process whose stack may come next, plus 1; 0: none */
	uint32_t n_cpus;
	struct wchan wchan;
};

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
	struct offcpu *offcpu = state;
	uint32_t process = analyze_process(a, r, (int32_t)record_int(r, 1), 0);
	uint32_t *stopped = stopped_of(offcpu, r);

	if (process == PROCESS_NONE || !stopped)
		return -ENOMEM;
	/* A stack that follows is that of the wakeup. */
	*stopped = 0;
	if (process < offcpu->n && offcpu->all[process].known && !offcpu->all[process].woken)
		offcpu->all[process].woken = r->record->ts;
	return 0;
}

/* The stack of the record before it on the CPU. */
static int on_stack(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct offcpu *offcpu = state;
	uint32_t *stopped = stopped_of(offcpu, r);
	int err = 0;

	if (!stopped)
		return -ENOMEM;
	if (*stopped)
		err = wchan_find(a, &offcpu->wchan, r->record, &offcpu->all[*stopped - 1].where);
	*stopped = 0;
	return err;
}

static int add_part(struct analyze *a, uint32_t process, const char *reason, const char *where,
		    uint64_t begin, uint64_t end)
{
	struct span span = { .begin = begin, .end = end };

	span.cells[0] = analyze_cell(a, process);
	span.cells[1] = cell_text(reason);
	span.cells[2] = cell_text(where);
	return span_add(a, &span);
}

static int add_wait(struct analyze *a, const struct outside *outside, const struct sched_switch *s)
{
	uint64_t woken = outside->woken ? DKT__MIN(outside->woken, s->ts) : s->ts;
	int err = add_part(a, s->next, outside->reason, outside->where, outside->since, woken);

	if (err || !outside->woken)
		return err;
	return add_part(a, s->next, "waiting for a CPU", outside->where, woken, s->ts);
}

static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct offcpu *offcpu = state;
	uint32_t *stopped = stopped_of(offcpu, r);
	struct dkt_record stack;
	struct sched_switch s;
	int err = sched_read_switch(a, r, &s);

	if (err || !stopped || !dkt__reach(offcpu->all, offcpu->n, DKT__MAX(s.prev, s.next)))
		return -ENOMEM;
	if (s.next_pid && offcpu->all[s.next].known)
		err = add_wait(a, &offcpu->all[s.next], &s);
	else
		a->missed.unbegun += s.next_pid != 0;
	offcpu->all[s.next].known = false;
	/* It ran, though no record says since when. */
	a->missed.endless += offcpu->all[s.prev].known;
	offcpu->all[s.prev] = (struct outside){ .since = s.ts,
						.reason = sched_reason(s.state),
						.known = s.prev_pid && !s.ended };
	*stopped = offcpu->all[s.prev].known ? s.prev + 1 : 0;
	/* A sample of perf has its stack in itself. */
	if (!err && *stopped && r->record->stacks && !dkt_record_stack(r->record, 0, &stack))
		err = wchan_find(a, &offcpu->wchan, &stack, &offcpu->all[s.prev].where);
	sched_switch_done(a, &s);
	return err;
}

/* A process may have run meanwhile. */
static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct offcpu *offcpu = state;

	(void)last, (void)ts;
	if (cpu < offcpu->n_cpus)
		offcpu->stopped[cpu] = 0;
	for (uint32_t i = 0; i < offcpu->n; i++) {
		a->missed.lost += offcpu->all[i].known;
		offcpu->all[i].known = false;
	}
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	const struct offcpu *offcpu = state;

	for (uint32_t i = 0; i < offcpu->n; i++)
		a->missed.open += offcpu->all[i].known;
	return 0;
}

static void clear(void *state)
{
	struct offcpu *offcpu = state;

	free(offcpu->all);
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
	.end = on_end,
	.clear = clear,
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
