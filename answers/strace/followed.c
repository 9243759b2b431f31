/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of chosen processes of this machine, also those that begin during the trace. */
#include "answers/strace/followed.h"

#include <sched.h>

#include "compat/log/threads.h"
#include "lib/base/keymap.h"
#include "lib/base/util.h"

struct followed {
	struct dkt__keymap map; /* by thread ID */
	bool *is_followed; /* by entry */
	size_t n;
	int *pids;
	size_t n_pids;
};

static bool is_chosen(const struct followed *followed, int pid)
{
	for (size_t i = 0; i < followed->n_pids; i++)
		if (followed->pids[i] == pid)
			return true;
	return false;
}

static int set(struct followed *followed, int32_t tid, bool is_followed)
{
	uint64_t key = (uint32_t)tid;
	uint32_t entry;
	bool added;

	entry = dkt__keymap_add(&followed->map, &key, &added);
	if (entry == DKT__KEYMAP_NONE || !dkt__reach(followed->is_followed, followed->n, entry))
		return -ENOMEM;
	followed->is_followed[entry] = is_followed;
	return 0;
}

bool followed_has(struct followed *followed, int32_t tid)
{
	uint64_t key = (uint32_t)tid;
	uint32_t entry = followed->map.n ? dkt__keymap_find(&followed->map, &key) :
					   DKT__KEYMAP_NONE;
	int pid;
	bool has;

	if (entry != DKT__KEYMAP_NONE)
		return followed->is_followed[entry];
	pid = dkl_thread_process(tid);
	has = !pid || is_chosen(followed, pid);
	/* Without memory it is asked again. */
	set(followed, tid, has);
	return has;
}

int followed_task(struct followed *followed, const struct call_task *task)
{
	uint64_t key = (uint32_t)task->tid;

	if (task->began)
		return set(followed, task->tid,
			   task->flags & CLONE_THREAD && followed_has(followed, task->parent));
	if (followed->map.n)
		dkt__keymap_remove(&followed->map, &key);
	return 0;
}

void followed_forget(struct followed *followed)
{
	dkt__keymap_empty(&followed->map);
}

struct followed *followed_new(const int *threads, size_t n)
{
	struct followed *followed = calloc(1, sizeof(*followed));
	int err = followed ? 0 : -ENOMEM;

	if (followed)
		followed->map.n_words = 1;
	for (size_t i = 0; !err && i < n; i++) {
		int pid = dkl_thread_process(threads[i]);

		err = set(followed, threads[i], true);
		if (!err && pid && !is_chosen(followed, pid))
			err = dkt__append(followed->pids, followed->n_pids, pid);
	}
	if (!err)
		return followed;
	followed_free(followed);
	return NULL;
}

void followed_free(struct followed *followed)
{
	if (!followed)
		return;
	dkt__keymap_clear(&followed->map);
	free(followed->is_followed);
	free(followed->pids);
	free(followed);
}
