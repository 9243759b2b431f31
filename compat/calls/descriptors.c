/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the files and sockets behind the descriptors of processes. */
#include "calls/descriptors.h"

#include <fcntl.h>
#include <sched.h>

#include "base/buf.h"
#include "base/keymap.h"
#include "base/parse.h"
#include "calls/process.h"

struct descriptors {
	struct dkt__keymap map; /* by thread ID */
	struct process **of; /* by entry; threads of a process share it */
	size_t n;
};

static struct process *find(const struct descriptors *descriptors, int32_t tid)
{
	uint64_t key = (uint32_t)tid;
	uint32_t entry = descriptors->map.n ? dkt__keymap_find(&descriptors->map, &key) :
					      DKT__KEYMAP_NONE;

	return entry == DKT__KEYMAP_NONE ? NULL : descriptors->of[entry];
}

/* Takes over the caller's reference to the process, also on failure. */
static int set(struct descriptors *descriptors, int32_t tid, struct process *process)
{
	uint64_t key = (uint32_t)tid;
	uint32_t entry;
	bool added;

	entry = dkt__keymap_add(&descriptors->map, &key, &added);
	if (entry == DKT__KEYMAP_NONE ||
	    (entry == descriptors->n && dkt__append(descriptors->of, descriptors->n, NULL))) {
		process_put(process);
		return -ENOMEM;
	}
	process_put(descriptors->of[entry]);
	descriptors->of[entry] = process;
	return 0;
}

static struct process *find_or_add(struct descriptors *descriptors, int32_t tid)
{
	struct process *process = find(descriptors, tid);

	if (process)
		return process;
	process = process_new();
	return process && !set(descriptors, tid, process) ? process : NULL;
}

static void forget(struct descriptors *descriptors, int32_t tid)
{
	uint64_t key = (uint32_t)tid;
	uint32_t entry = descriptors->map.n ? dkt__keymap_remove(&descriptors->map, &key) :
					      DKT__KEYMAP_NONE;

	if (entry == DKT__KEYMAP_NONE)
		return;
	process_put(descriptors->of[entry]);
	descriptors->of[entry] = NULL;
}

bool descriptors_needs(const char *call)
{
	const struct call_signature *signature = call_signature(call);

	return descriptor_change(call) || (signature && signature->returns == RETURN_FD) ||
	       !strcmp(call, "clone") || !strcmp(call, "fork") || !strcmp(call, "vfork");
}

/* Without records of new threads, the flags of clone tell what they share. */
static int fork_from(struct descriptors *descriptors, const struct call *call)
{
	struct call_task task = { .tid = (int32_t)call->ret, .parent = call->tid, .began = true };

	if (!strcmp(call->kind->name, "clone"))
		task.flags = call->args[0];
	else if (strcmp(call->kind->name, "fork") != 0 && strcmp(call->kind->name, "vfork") != 0)
		return 0;
	return call->ret > 0 && !find(descriptors, task.tid) ?
		       descriptors_task(descriptors, &task) :
		       0;
}

int descriptors_learn(struct descriptors *descriptors, const struct call *call)
{
	const struct descriptor_change *change =
		call->kind->name ? descriptor_change(call->kind->name) : NULL;
	struct process *process;

	/* A call without its begin has no arguments, but its result may still be a descriptor. */
	if (!call->kind->name || call->state == CALL_UNFINISHED || call->state == CALL_NO_END ||
	    call_failed(call))
		return 0;
	if (!change && !(call->kind->signature && call->kind->signature->returns == RETURN_FD))
		return fork_from(descriptors, call);
	process = find_or_add(descriptors, call->tid);
	if (!process)
		return -ENOMEM;
	if (change && call->state == CALL_ENDED &&
	    (call->n_args == CALL_ARGS || !call->kind->signature ||
	     call->kind->signature->args[call->n_args] == ARG_NONE))
		return change->learn(process, call);
	/* The descriptor is new, but what it is for cannot be told: an old name is wrong now. */
	return call->kind->signature && call->kind->signature->returns == RETURN_FD ?
		       process_set(process, (uint64_t)call->ret, NULL, false) :
		       0;
}

int descriptors_task(struct descriptors *descriptors, const struct call_task *task)
{
	struct process *parent, *process;

	if (!task->began) {
		forget(descriptors, task->tid);
		return 0;
	}
	parent = find(descriptors, task->parent);
	if (parent && task->flags & CLONE_FILES) {
		parent->threads++;
		return set(descriptors, task->tid, parent);
	}
	process = process_new();
	if (!process)
		return -ENOMEM;
	if (parent && process_copy(process, parent)) {
		process_put(process);
		return -ENOMEM;
	}
	return set(descriptors, task->tid, process);
}

void descriptors_forget(struct descriptors *descriptors)
{
	for (size_t i = 0; i < descriptors->n; i++) {
		process_put(descriptors->of[i]);
		descriptors->of[i] = NULL;
	}
	dkt__keymap_empty(&descriptors->map);
}

const char *descriptors_name(const struct descriptors *descriptors, int32_t tid, int fd)
{
	const struct process *process = find(descriptors, tid);

	return process && fd >= 0 ? process_get(process, (unsigned int)fd) : NULL;
}

/* ---- this machine ---- */

/* All threads of a process share its descriptors. */
static int read_process(struct descriptors *descriptors, const char *pid)
{
	char *dir __cleanup(free) = dkt__format("/proc/%s/fd", pid);
	char *task __cleanup(free) = dkt__format("/proc/%s/task", pid);
	DIR *threads __cleanup(closedir) = task ? opendir(task) : NULL;
	struct process *process = process_new();
	struct dirent *entry;
	uint64_t tid;
	int err = dir && task && process ? process_read(dir, process) : -ENOMEM;

	while (!err && threads && (entry = readdir(threads)))
		if (!dkt__parse_u64(entry->d_name, 10, &tid)) {
			process->threads++;
			err = set(descriptors, (int32_t)tid, process);
		}
	process_put(process);
	return err;
}

int descriptors_read_proc(struct descriptors *descriptors)
{
	DIR *proc __cleanup(closedir) = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;
	int err = 0;

	while (proc && !err && (entry = readdir(proc)))
		if (!dkt__parse_u64(entry->d_name, 10, &pid))
			err = read_process(descriptors, entry->d_name);
	return err;
}

int descriptors_inherit(struct descriptors *descriptors, int32_t tid)
{
	struct process *process = process_new();
	int err = process ? process_read("/proc/self/fd", process) : -ENOMEM;

	for (size_t i = 0; !err && i < process->n; i++)
		if (fcntl((int)i, F_GETFD) & FD_CLOEXEC)
			err = process_set(process, i, NULL, false);
	if (err) {
		process_put(process);
		return err;
	}
	return set(descriptors, tid, process);
}

/* ---- all ---- */

int descriptors_new(struct descriptors **descriptors)
{
	*descriptors = calloc(1, sizeof(**descriptors));
	if (!*descriptors)
		return -ENOMEM;
	(*descriptors)->map.n_words = 1;
	return 0;
}

void descriptors_free(struct descriptors *descriptors)
{
	if (!descriptors)
		return;
	descriptors_forget(descriptors);
	free(descriptors->of);
	dkt__keymap_clear(&descriptors->map);
	free(descriptors);
}
