/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a trace. A PID that is used again is another process. */
#include "answers/analyze/processes.h"

uint32_t process_search(struct processes *all, int32_t pid)
{
	uint64_t key = (uint32_t)pid;
	uint32_t entry, *now;
	bool added = false;

	all->pids.n_words = 1;
	entry = dkt__keymap_add(&all->pids, &key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return PROCESS_NONE;
	now = dkt__reach(all->now, all->n_now, entry);
	if (!now)
		return PROCESS_NONE;
	if (added || *now == PROCESS_NONE) {
		*now = all->n;
		if (dkt__append(all->list, all->n, (struct process){ .pid = pid })) {
			*now = PROCESS_NONE;
			return PROCESS_NONE;
		}
	}
	all->near[(uint32_t)pid % PROCESSES_NEAR].pid = pid;
	all->near[(uint32_t)pid % PROCESSES_NEAR].next = *now + 1;
	return *now;
}

void process_ended(struct processes *all, int32_t pid)
{
	uint64_t key = (uint32_t)pid;
	uint32_t entry = all->pids.n ? dkt__keymap_find(&all->pids, &key) : DKT__KEYMAP_NONE;

	if (entry != DKT__KEYMAP_NONE && entry < all->n_now)
		all->now[entry] = PROCESS_NONE;
	all->near[(uint32_t)pid % PROCESSES_NEAR].next = 0;
}

void processes_end(struct processes *all)
{
	for (uint32_t i = 0; i < all->n_now; i++)
		all->now[i] = PROCESS_NONE;
	memset(all->near, 0, sizeof(all->near));
}

int process_name(struct processes *all, struct texts *texts, uint32_t nr, const char *comm,
		 size_t len)
{
	struct process *process = &all->list[nr];
	char name[COMM_SIZE] = "";

	memcpy(name, comm, DKT__MIN(len, sizeof(name)));
	if (process->name && !memcmp(process->comm, name, sizeof(name)))
		return 0;
	memcpy(process->comm, name, sizeof(name));
	process->name = texts_keep(texts, name, sizeof(name));
	return process->name ? 0 : -ENOMEM;
}

void processes_clear(struct processes *all)
{
	free(all->list);
	free(all->now);
	dkt__keymap_clear(&all->pids);
	*all = (struct processes){ 0 };
}
