/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When threads began: a record of a new thread ends no period of the one that had its ID before. */
#include "answers/analyze/period_state.h"

#include "lib/base/every_field.h"
#include "lib/base/memory.h"

/* True if the field is the ID of the thread, and the end must have the same. */
static bool is_thread(const struct period_field *field)
{
	return field->by_end &&
	       dkt__every_field(field->name, strlen(field->name)) == DKT__EVERY_PID;
}

uint32_t period_thread_field(const struct period_def *def)
{
	for (uint32_t i = 0; i < def->n_fields; i++)
		if (is_thread(def->fields[i]))
			return i;
	return PERIOD_NO_FIELD;
}

int period_birth(struct analyze *a, struct periods *all, const struct analysis_record *r)
{
	const uint64_t tid = (uint32_t)record_int(r, 0);
	bool added;
	uint64_t *birth = dkt__keyed_add(&all->births, &tid, &added);

	if (!birth)
		return dkt__no_memory(a->ctx);
	*birth = r->record->ts;
	return 0;
}

bool period_is_of_another(const struct periods *all, const struct period_open *open)
{
	const uint32_t field = open->period->thread;
	const uint64_t *birth;
	uint64_t tid;

	if (field == PERIOD_NO_FIELD)
		return false;
	tid = (uint32_t)open->values[field].number;
	birth = dkt__keyed_find(&all->births, &tid);
	return birth && *birth > open->begin;
}
