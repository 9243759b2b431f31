/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of chosen processes of this machine, also those that begin during the trace. */
#include "answers/strace/followed.h"

#include <sched.h>

#include "compat/log/threads.h"
#include "lib/base/keyed.h"
#include "lib/base/util.h"

struct followed {
	struct dkt__keyed is; /* from the ID of a thread to a bool */
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
	bool added;
	bool *is = dkt__keyed_add(&followed->is, &(uint64_t){ (uint32_t)tid }, &added);

	if (!is)
		return -ENOMEM;
	*is = is_followed;
	return 0;
}

bool followed_has(struct followed *followed, int32_t tid)
{
	const bool *is = dkt__keyed_find(&followed->is, &(uint64_t){ (uint32_t)tid });
	int pid;
	bool has;

	if (is)
		return *is;
	pid = dkl_thread_process(tid);
	has = !pid || is_chosen(followed, pid);
	/* Without memory it is asked again. */
	set(followed, tid, has);
	return has;
}

int followed_task(struct followed *followed, const struct call_task *task)
{
	if (task->began)
		return set(followed, task->tid,
			   task->flags & CLONE_THREAD && followed_has(followed, task->parent));
	dkt__keyed_remove(&followed->is, &(uint64_t){ (uint32_t)task->tid });
	return 0;
}

void followed_forget(struct followed *followed)
{
	dkt__keymap_empty(&followed->is.keys);
}

struct followed *followed_new(const int *threads, size_t n)
{
	struct followed *followed = calloc(1, sizeof(*followed));
	int err = followed ? 0 : -ENOMEM;

	if (followed) {
		followed->is.keys.n_words = 1;
		followed->is.size = sizeof(bool);
	}
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
	dkt__keyed_clear(&followed->is);
	free(followed->pids);
	free(followed);
}
