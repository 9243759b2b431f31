/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The timeline of the CPUs: each time that a process ran, and why it stopped. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/sched.h"

static const struct result_column columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "cpu", RESULT_CPU, "CPU", NULL, NULL },
	{ "prio", RESULT_NUMBER, "Priority", NULL, NULL },
	{ "stop", RESULT_TEXT, "Why it stopped", NULL, NULL },
};

static const struct span_set sets[] = {
	{ "runs", "Runs of processes", columns, ARRAY_SIZE(columns), { 0, -1 }, .one_cpu = true },
};

/* The idle task's runs are no intervals. */
static int on_switch(struct analyze *a, void *state, const struct analysis_record *r)
{
	const uint64_t cpu = r->record->cpu;
	struct sched_switch s;
	struct span *span;
	int err = sched_read_switch(a, r, &s);

	(void)state;
	span = err || !s.prev_pid ? NULL : span_end(a, 0, &cpu, s.ts);
	if (span && span->cells[0].process == s.prev) {
		span->cells[0] = analyze_cell(a, s.prev); /* its last name */
		span->cells[3] = cell_text(sched_reason(s.state));
		err = span_add(a, span);
	} else {
		a->missed.unbegun += span != NULL;
	}
	if (!err && s.next_pid)
		err = span_begin(a, 0, &cpu, s.ts, &span);
	if (!err && s.next_pid) {
		span->cells[0] = analyze_cell(a, s.next);
		span->cells[1] = cell_number(s.cpu);
		span->cells[2] = cell_number((uint64_t)s.next_prio);
	}
	sched_switch_done(a, &s);
	return err;
}

static const struct analysis_event events[] = {
	{ "sched:sched_switch", NEED_ALL, on_switch, SWITCH_FIELDS },
};

const struct analysis_kind run_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = 1, /* no state */
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
