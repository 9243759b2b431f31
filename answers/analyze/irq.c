/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of interrupt handlers and softirqs, and how long a raised softirq waits for its run. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/running.h"

#include "lib/base/softirq.h"

enum { HARD, SOFT, RAISE };

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
		   .one_cpu = true,
		   .n_keys = 2 },
	[SOFT] = { "softirq",
		   "Runs of softirqs",
		   soft_columns,
		   ARRAY_SIZE(soft_columns),
		   { 0, -1 },
		   .one_cpu = true,
		   .n_keys = 2 },
	/* It is raised once, however often it is asked for until it runs. */
	[RAISE] = { "raise",
		    "Softirqs from raise to run",
		    soft_columns,
		    ARRAY_SIZE(soft_columns),
		    { 0, -1 },
		    .one_cpu = true,
		    .n_keys = 2,
		    .first = true,
		    .beginless = true },
};

/* Begins the run, or the wait, of a number on the record's CPU. */
static int begin(struct analyze *a, uint32_t set, const struct analysis_record *r, const char *name)
{
	const uint64_t key[] = { r->record->cpu, (uint64_t)record_int(r, 0) };
	struct span *span;
	int err = span_begin(a, set, key, r->record->ts, &span);

	if (span) {
		span->cells[0] = cell_named(name, key[1]);
		span->cells[1] = cell_number(key[0]);
	}
	return err;
}

static int end(struct analyze *a, uint32_t set, const struct analysis_record *r)
{
	const uint64_t key[] = { r->record->cpu, (uint64_t)record_int(r, 0) };
	struct span *span = span_end(a, set, key, r->record->ts);

	return span ? span_add(a, span) : 0;
}

static int on_irq_entry(struct analyze *a, void *state, const struct analysis_record *r)
{
	const char *name = analyze_text(a, r, 1);

	(void)state;
	return name ? begin(a, HARD, r, name) : -ENOMEM;
}

static int on_irq_exit(struct analyze *a, void *state, const struct analysis_record *r)
{
	(void)state;
	return end(a, HARD, r);
}

static int on_raise(struct analyze *a, void *state, const struct analysis_record *r)
{
	(void)state;
	return begin(a, RAISE, r, dkt__softirq_name((uint64_t)record_int(r, 0)));
}

static int on_soft_entry(struct analyze *a, void *state, const struct analysis_record *r)
{
	(void)state;
	return end(a, RAISE, r) ?: begin(a, SOFT, r, dkt__softirq_name((uint64_t)record_int(r, 0)));
}

static int on_soft_exit(struct analyze *a, void *state, const struct analysis_record *r)
{
	(void)state;
	return end(a, SOFT, r);
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
	.size = 1, /* no state */
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
