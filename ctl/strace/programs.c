/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of programs that threads began to execute: a live source knows only the name of before. */
#include "ctl/strace/strace.h"

int strace_programs_learn(struct strace_programs *programs, const struct call *call)
{
	const char *path = call->texts[0], *slash;
	char *name;
	bool added;

	if (call->state != CALL_ENDED || call->ret || !call->n_args || !path || !call->kind->name ||
	    strcmp(call->kind->name, "execve") != 0)
		return 0;
	programs->names.keys.n_words = 1;
	programs->names.size = STRACE_COMM;
	name = dkt__keyed_add(&programs->names, &(uint64_t){ (uint32_t)call->tid }, &added);
	if (!name)
		return -ENOMEM;
	slash = strrchr(path, '/');
	snprintf(name, STRACE_COMM, "%s", slash ? slash + 1 : path);
	return 0;
}

void strace_programs_forget(struct strace_programs *programs, int32_t tid)
{
	dkt__keyed_remove(&programs->names, &(uint64_t){ (uint32_t)tid });
}

const char *strace_programs_name(const struct strace_programs *programs, int32_t tid)
{
	return dkt__keyed_find(&programs->names, &(uint64_t){ (uint32_t)tid });
}

void strace_programs_clear(struct strace_programs *programs)
{
	dkt__keyed_clear(&programs->names);
}
