/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the files and sockets behind the descriptors of processes. */
#include "answers/strace/descriptors.h"

#include <fcntl.h>
#include <sched.h>

#include "answers/strace/process.h"
#include "lib/base/buf.h"
#include "lib/base/keyed.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"

/* Sockets beyond this number have no address. */
#define WAITING_MAX 1024

/* A socket whose address is still unknown after so many looks is of another namespace, or closed. */
#define LOOKS_MAX 3

/* The tables of sockets are read at most so often, and take at most this part of the time. */
#define READ_NS   UINT64_C(100000000)
#define READ_PART 20

/* A socket that a call has changed. */
struct waiting {
	int32_t tid;
	int fd;
	uint64_t inode;
	uint64_t seen; /* when the descriptor was the socket with this inode */
	unsigned int looks;
};

struct descriptors {
	struct dkt__keyed
		of; /* from the ID of a thread to a struct process *, which those of a process share */
	bool live; /* the processes are those of this machine now */
	struct sockets sockets;
	struct waiting waiting[WAITING_MAX];
	size_t n_waiting;
	uint64_t next; /* when the tables may be read again */
};

static struct process *find(const struct descriptors *descriptors, int32_t tid)
{
	struct process **of = dkt__keyed_find(&descriptors->of, &(uint64_t){ (uint32_t)tid });

	return of ? *of : NULL;
}

/* Takes over the caller's reference to the process, also on failure. */
static int set(struct descriptors *descriptors, int32_t tid, struct process *process)
{
	bool added;
	struct process **of =
		dkt__keyed_add(&descriptors->of, &(uint64_t){ (uint32_t)tid }, &added);

	process_put(of ? *of : process);
	if (!of)
		return -ENOMEM;
	*of = process;
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
	struct process **of = dkt__keyed_remove(&descriptors->of, &(uint64_t){ (uint32_t)tid });

	if (!of)
		return;
	process_put(*of);
	*of = NULL;
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

/* ---- sockets ---- */

/*
 * Notes which socket the descriptor is now. The process may have closed it since the call, and opened
 * another: the calls up to now tell.
 */
static int see_socket(struct descriptors *descriptors, struct process *process, int32_t tid, int fd)
{
	struct waiting *waiting = &descriptors->waiting[descriptors->n_waiting];
	char path[48], link[32];
	uint64_t inode;
	ssize_t len;

	if (descriptors->n_waiting == WAITING_MAX || fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	len = readlink(path, link, sizeof(link) - 1);
	link[len > 0 ? len : 0] = '\0';
	inode = sockets_inode(link);
	if (!inode)
		return 0;
	*waiting = (struct waiting){
		.tid = tid, .fd = fd, .inode = inode, .seen = dkt__monotonic_ns()
	};
	descriptors->n_waiting++;
	return process_set_socket(process, (uint64_t)fd, inode);
}

/* Gives the socket its address in all processes that have it. Returns false if it must wait for that. */
static bool give_address(struct descriptors *descriptors, struct waiting *waiting)
{
	const char *name = sockets_name(&descriptors->sockets, waiting->inode);
	size_t fd = (size_t)waiting->fd;

	if (!name)
		return waiting->looks >= LOOKS_MAX;
	for (uint32_t i = 0; i < descriptors->of.n_values; i++) {
		struct process *process = *(struct process **)dkt__keyed_at(&descriptors->of, i);

		/* Without memory, the old name stays. */
		if (process && fd < process->n && process->list[fd].socket == waiting->inode)
			process_set_copy(process, fd, name, process->list[fd].closes);
	}
	return true;
}

/* The process may be in another namespace, which has tables of its own. */
static void read_tables(struct descriptors *descriptors, int32_t tid)
{
	char dir[32];
	uint64_t from = dkt__monotonic_ns(), to;

	snprintf(dir, sizeof(dir), "/proc/%d/net", tid);
	sockets_read(&descriptors->sockets, dir);
	to = dkt__monotonic_ns();
	descriptors->next = to + DKT__MAX(READ_NS, (to - from) * READ_PART);
	for (size_t i = 0; i < descriptors->n_waiting; i++)
		descriptors->waiting[i].looks++;
}

void descriptors_until(struct descriptors *descriptors, uint64_t ts)
{
	size_t kept = 0;

	/* All that wait are as old as the first one or younger. */
	if (!descriptors->n_waiting || ts <= descriptors->waiting[0].seen ||
	    dkt__monotonic_ns() < descriptors->next)
		return;
	read_tables(descriptors, descriptors->waiting[0].tid);
	for (size_t i = 0; i < descriptors->n_waiting; i++) {
		struct waiting *waiting = &descriptors->waiting[i];

		if (waiting->seen >= ts || !give_address(descriptors, waiting))
			descriptors->waiting[kept++] = *waiting;
	}
	descriptors->n_waiting = kept;
}

static int learn_socket(struct descriptors *descriptors, struct process *process,
			const struct descriptor_change *change, const struct call *call)
{
	if (!descriptors->live || change->address == ADDRESS_SAME)
		return 0;
	return see_socket(descriptors, process, call->tid,
			  change->address == ADDRESS_OF_RESULT ? (int)call->ret :
								 (int)call->args[0]);
}

/* ---- calls ---- */

/* A connection that is being made has its address too. */
static bool has_failed(const struct call *call)
{
	return call_failed(call) &&
	       (call->ret != -EINPROGRESS || strcmp(call->kind->name, "connect") != 0);
}

int descriptors_learn(struct descriptors *descriptors, const struct call *call)
{
	const struct descriptor_change *change =
		call->kind->name ? descriptor_change(call->kind->name) : NULL;
	struct process *process;
	int err;

	/* A call without its begin has no arguments, but its result may still be a descriptor. */
	if (!call->kind->name || call->state == CALL_UNFINISHED || call->state == CALL_NO_END ||
	    has_failed(call))
		return 0;
	if (!change && !(call->kind->signature && call->kind->signature->returns == RETURN_FD))
		return fork_from(descriptors, call);
	process = find_or_add(descriptors, call->tid);
	if (!process)
		return -ENOMEM;
	if (change && call->state == CALL_ENDED &&
	    (call->n_args == CALL_ARGS || !call->kind->signature ||
	     call->kind->signature->args[call->n_args] == ARG_NONE)) {
		err = change->learn ? change->learn(process, call) : 0;
		return err ? err : learn_socket(descriptors, process, change, call);
	}
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
	for (uint32_t i = 0; i < descriptors->of.n_values; i++) {
		struct process **of = dkt__keyed_at(&descriptors->of, i);

		process_put(*of);
		*of = NULL;
	}
	dkt__keymap_empty(&descriptors->of.keys);
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
	int err = dir && task && process ? process_read(dir, &descriptors->sockets, process) :
					   -ENOMEM;

	while (!err && threads && (entry = readdir(threads)))
		if (!dkt__parse_u64(entry->d_name, 10, &tid)) {
			process->threads++;
			err = set(descriptors, (int32_t)tid, process);
		}
	process_put(process);
	return err;
}

/* From now on, what is learned is about this machine. */
static int begin_live(struct descriptors *descriptors)
{
	descriptors->live = true;
	return sockets_read(&descriptors->sockets, "/proc/net");
}

int descriptors_read_proc(struct descriptors *descriptors)
{
	DIR *proc __cleanup(closedir) = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;
	int err = begin_live(descriptors);

	while (proc && !err && (entry = readdir(proc)))
		if (!dkt__parse_u64(entry->d_name, 10, &pid))
			err = read_process(descriptors, entry->d_name);
	return err;
}

int descriptors_inherit(struct descriptors *descriptors, int32_t tid)
{
	struct process *process = process_new();
	int err = process ? begin_live(descriptors) : -ENOMEM;

	if (!err)
		err = process_read("/proc/self/fd", &descriptors->sockets, process);
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
	(*descriptors)->of.keys.n_words = 1;
	(*descriptors)->of.size = sizeof(struct process *);
	return 0;
}

void descriptors_free(struct descriptors *descriptors)
{
	if (!descriptors)
		return;
	descriptors_forget(descriptors);
	dkt__keyed_clear(&descriptors->of);
	sockets_clear(&descriptors->sockets);
	free(descriptors);
}
