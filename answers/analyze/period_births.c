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
	uint64_t tid = (uint32_t)record_int(r, 0), *birth;
	bool added;
	uint32_t entry;

	entry = dkt__keymap_add(&all->births.tids, &tid, &added);
	birth = entry == DKT__KEYMAP_NONE ? NULL :
					    dkt__reach(all->births.times, all->births.n, entry);
	if (!birth)
		return dkt__no_memory(a->ctx);
	*birth = r->record->ts;
	return 0;
}

bool period_is_of_another(const struct periods *all, const struct period_open *open)
{
	uint32_t field = open->period->thread, entry;
	uint64_t tid;

	if (field == PERIOD_NO_FIELD || !all->births.tids.n)
		return false;
	tid = (uint32_t)open->values[field].number;
	entry = dkt__keymap_find(&all->births.tids, &tid);
	return entry != DKT__KEYMAP_NONE && all->births.times[entry] > open->begin;
}
