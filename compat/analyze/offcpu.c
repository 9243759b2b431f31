/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times in which a process did not run, by reason: until its wakeup, then until it has a CPU. */
#include "analyze/kinds.h"
#include "analyze/sched.h"

/* A process that does not run. */
struct outside {
	uint64_t since;
	uint64_t woken; /* 0: not yet */
	const char *reason;
	bool known; /* it stopped at since */
};

struct offcpu {
	struct outside *all; /* by process */
	uint32_t n;
};

static const struct result_column columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "reason", RESULT_TEXT, "Why it did not run", NULL, NULL },
};

static const struct span_set sets[] = {
	{ "waits",
	  "Times in which processes did not run",
	  columns,
	  ARRAY_SIZE(columns),
	  { 0, 1 },
	  .one_cpu = false },
};

static int on_wakeup(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct offcpu *it = state;
	uint32_t process = analyze_process(a, r, (int32_t)record_int(r, 1), 0);

	if (process == PROCESS_NONE)
		return -ENOMEM;
	if (process < it->n && it->all[process].known && !it->all[process].woken)
		it->all[process].woken = r->record->ts;
	return 0;
}

static int add_part(struct analyze *a, uint32_t process, const char *reason, uint64_t begin,
		    uint64_t end)
{
	struct span span = { .begin = begin, .end = end };

	span.cells[0] = analyze_cell(a, process);
	span.cells[1] = cell_text(reason);
	return span_add(a, &span);
}

static int add_wait(struct analyze *a, const struct outside *it, const struct sched_switch *s)
{
	uint64_t woken = it->woken ? DKT__MIN(it->woken, s->ts) : s->ts;
	int err = add_part(a, s->next, it->reason, it->since, woken);

	return err || !it->woken ? err : add_part(a, s->next, "waiting for a CPU", woken, s->ts);
}

static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct offcpu *it = state;
	struct sched_switch s;
	int err = sched_read_switch(a, r, &s);

	if (err || !dkt__reach(it->all, it->n, DKT__MAX(s.prev, s.next)))
		return -ENOMEM;
	if (s.next_pid && it->all[s.next].known)
		err = add_wait(a, &it->all[s.next], &s);
	else
		a->missed.unbegun += s.next_pid != 0;
	it->all[s.next].known = false;
	/* It ran, though no record says since when. */
	a->missed.endless += it->all[s.prev].known;
	it->all[s.prev] = (struct outside){ .since = s.ts,
					    .reason = sched_reason(s.state),
					    .known = s.prev_pid && !s.ended };
	sched_switch_done(a, &s);
	return err;
}

/* A process may have run meanwhile. */
static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct offcpu *it = state;

	(void)cpu, (void)last, (void)ts;
	for (uint32_t i = 0; i < it->n; i++) {
		a->missed.lost += it->all[i].known;
		it->all[i].known = false;
	}
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	const struct offcpu *it = state;

	for (uint32_t i = 0; i < it->n; i++)
		a->missed.open += it->all[i].known;
	return 0;
}

static void clear(void *state)
{
	free(((struct offcpu *)state)->all);
}

static const struct analysis_event events[] = {
	{ "sched:sched_switch", NEED_ALL, on_switch, SWITCH_FIELDS },
	{ "sched:sched_waking", NEED_NONE, on_wakeup, { "comm", "pid" } },
	{ "sched:sched_wakeup", NEED_NONE, on_wakeup, { "comm", "pid" } },
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
