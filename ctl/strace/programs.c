/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of programs that threads began to execute: a live source knows only the name of before. */
#include "ctl/strace/strace.h"

int strace_programs_learn(struct strace_programs *programs, const struct call *call)
{
	uint64_t key = (uint32_t)call->tid;
	const char *path = call->texts[0], *slash;
	uint32_t entry;
	bool added;

	if (call->state != CALL_ENDED || call->ret || !call->n_args || !path || !call->kind->name ||
	    strcmp(call->kind->name, "execve") != 0)
		return 0;
	programs->map.n_words = 1;
	entry = dkt__keymap_add(&programs->map, &key, &added);
	if (entry == DKT__KEYMAP_NONE || !dkt__reach(programs->list, programs->n, entry))
		return -ENOMEM;
	slash = strrchr(path, '/');
	snprintf(programs->list[entry].name, sizeof(programs->list[entry].name), "%s",
		 slash ? slash + 1 : path);
	return 0;
}

void strace_programs_forget(struct strace_programs *programs, int32_t tid)
{
	uint64_t key = (uint32_t)tid;

	if (programs->map.n)
		dkt__keymap_remove(&programs->map, &key);
}

const char *strace_programs_name(const struct strace_programs *programs, int32_t tid)
{
	uint64_t key = (uint32_t)tid;
	uint32_t entry = programs->map.n ? dkt__keymap_find(&programs->map, &key) :
					   DKT__KEYMAP_NONE;

	return entry == DKT__KEYMAP_NONE ? NULL : programs->list[entry].name;
}

void strace_programs_clear(struct strace_programs *programs)
{
	free(programs->list);
	dkt__keymap_clear(&programs->map);
}
