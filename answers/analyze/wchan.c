/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The function of the kernel in which a process waits, found in its stack. */
#include "answers/analyze/wchan.h"

#include "lib/base/memory.h"

/* The beginnings of the names of functions that are no answer, as those above them wait. */
static const char *const scheduler[] = {
	"trace_event_",  "__traceiter_",   "__bpf_trace_",        "perf_trace_",
	"schedule",      "__schedule",     "preempt_schedule",    "io_schedule",
	"_cond_resched", "__cond_resched", "wait_for_completion", "__wait_for_common",
};

static bool is_scheduler(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(scheduler); i++)
		if (!strncmp(name, scheduler[i], strlen(scheduler[i])))
			return true;
	return false;
}

/* Sets *name to "" for scheduler code and for an address without a name. */
static int name_of(struct analyze *a, struct wchan *wchan, uint64_t address, const char **name)
{
	bool added = false;
	const char *symbol;
	uint64_t offset;
	uint32_t entry;

	wchan->addresses.n_words = 1;
	entry = dkt__keymap_add(&wchan->addresses, &address, &added);
	if (entry == DKT__KEYMAP_NONE || !dkt__reach(wchan->names, wchan->n, entry))
		return dkt__no_memory(a->ctx);
	if (added) {
		symbol = dkt_symbol_name(a->ctx, address, &offset);
		if (!symbol || is_scheduler(symbol))
			symbol = "";
		wchan->names[entry] = texts_keep(&a->texts, symbol, strlen(symbol));
	}
	*name = wchan->names[entry];
	return *name ? 0 : dkt__no_memory(a->ctx);
}

/* Returns the i-th address, or 0 if the stack is shorter. */
static uint64_t caller(const struct dkt_record *stack, const struct dkt_field *callers, uint32_t i)
{
	uint32_t at = callers->offset + i * callers->element;
	const uint8_t *p = (const uint8_t *)stack->data + at;
	uint32_t word;
	uint64_t wide = 0;

	if (at > stack->size || callers->element > stack->size - at)
		return 0;
	if (callers->element == sizeof(wide)) {
		memcpy(&wide, p, sizeof(wide));
	} else if (callers->element == sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		wide = word;
	}
	return wide;
}

int wchan_find(struct analyze *a, struct wchan *wchan, const struct dkt_record *stack,
	       const char **name)
{
	const struct dkt_field *callers = dkt_event_field(stack->event, "caller");
	uint64_t address;
	int err = 0;

	*name = NULL;
	for (uint32_t i = 0; !err && callers && (address = caller(stack, callers, i)); i++) {
		err = name_of(a, wchan, address, name);
		if (!err && **name)
			return 0;
	}
	*name = NULL;
	return err;
}

void wchan_clear(struct wchan *wchan)
{
	dkt__keymap_clear(&wchan->addresses);
	free(wchan->names);
}
