/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How threads end. */
#include "answers/strace/exits.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

struct exit_thread {
	int32_t process; /* the first thread of its process */
	uint32_t members; /* of the first thread: threads of the process that have not ended */
	bool killed; /* SIGKILL was delivered, with which the kernel ends each thread of a process */
	enum call_exit own,
		whole; /* how the thread ends; of the first thread: how the process does */
	int own_code, whole_code;
	int sent; /* of the first thread: the last deadly signal that was not delivered since; 0: none */
};

/* ---- signals ---- */

/* True if the signal ends a process that has no handler for it; core: this one dumps core then. */
static bool is_deadly(int sig, bool *core)
{
	*core = false;
	switch (sig) {
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGXCPU:
	case SIGXFSZ:
	case SIGSYS:
		*core = true;
		return true;
	case SIGCHLD:
	case SIGCONT:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGURG:
	case SIGWINCH:
		return false;
	default:
		return sig > 0 && sig <= 64;
	}
}

/* ---- threads ---- */

static struct exit_thread *find(const struct call_exits *exits, int32_t tid)
{
	return dkt__keyed_find(&exits->map, &(uint64_t){ (uint32_t)tid });
}

/* Adds a thread of the process; NULL: memory is out. Other pointers to threads are invalid then. */
static struct exit_thread *add(struct call_exits *exits, int32_t tid, int32_t process)
{
	struct exit_thread *thread;
	bool added;

	exits->map.keys.n_words = 1;
	exits->map.size = sizeof(*thread);
	thread = dkt__keyed_add(&exits->map, &(uint64_t){ (uint32_t)tid }, &added);
	if (thread && added)
		*thread = (struct exit_thread){ .process = process, .members = tid == process };
	return thread;
}

static void drop(struct call_exits *exits, int32_t tid)
{
	dkt__keyed_remove(&exits->map, &(uint64_t){ (uint32_t)tid });
}

/* The first thread stands for its process until the last thread has ended. */
static void leave(struct call_exits *exits, int32_t tid)
{
	const struct exit_thread *thread = find(exits, tid);
	const int32_t process = thread ? thread->process : tid;
	struct exit_thread *first = find(exits, process);

	if (thread && process != tid)
		drop(exits, tid);
	if (first && !--first->members)
		drop(exits, process);
}

/* A thread that was there before the trace is taken for the only one of its process. */
static struct exit_thread *process_of(struct call_exits *exits, int32_t tid)
{
	struct exit_thread *thread = add(exits, tid, tid);

	return thread ? add(exits, thread->process, thread->process) : NULL;
}

int call_exits_began(struct call_exits *exits, const struct call_task *task)
{
	struct exit_thread *first;
	int32_t process;

	/* A thread that had this ID before has ended unseen. */
	if (find(exits, task->tid))
		leave(exits, task->tid);
	if (!(task->flags & CLONE_THREAD))
		return 0;
	first = process_of(exits, task->parent);
	if (!first)
		return -ENOMEM;
	process = first->process;
	first->members++;
	return add(exits, task->tid, process) ? 0 : -ENOMEM;
}

void call_exits_exec(struct call_exits *exits, int32_t tid, int32_t old)
{
	drop(exits, old);
	drop(exits, tid);
}

int call_exits_call(struct call_exits *exits, const struct call *call)
{
	const bool whole = !strcmp(call->kind->name, "exit_group");
	struct exit_thread *thread = whole ? process_of(exits, call->tid) :
					     add(exits, call->tid, call->tid);
	const int status = (int)(call->args[0] & 0xff);

	if (!thread)
		return -ENOMEM;
	if (!call->n_args)
		return 0;
	if (whole) {
		thread->whole = CALL_EXIT_STATUS;
		thread->whole_code = status;
	} else {
		thread->own = CALL_EXIT_STATUS;
		thread->own_code = status;
	}
	return 0;
}

/* ---- signals ---- */

/* A signal that is ignored or cannot be queued has another result than 0. */
static int on_sent(struct call_exits *exits, const struct call_event *event,
		   const struct dkt_record *record)
{
	const int sig = (int)call_int(record, &event->number);
	struct exit_thread *process;
	bool core;

	if (!is_deadly(sig, &core) || core || call_int(record, &event->ret) ||
	    !call_int_has(record, &event->tid))
		return 0;
	process = process_of(exits, (int32_t)call_int(record, &event->tid));
	if (!process)
		return -ENOMEM;
	process->sent = sig;
	return 0;
}

/*
 * A deadly signal that dumps no core is never delivered itself: the kernel delivers SIGKILL to each thread
 * of the process in its place.
 */
static int on_delivered(struct call_exits *exits, const struct call_event *event,
			const struct dkt_record *record)
{
	const int sig = (int)call_int(record, &event->number);
	const bool handled = call_int(record, &event->handler);
	struct exit_thread *process = process_of(exits, record->pid);
	bool core;

	if (!process)
		return -ENOMEM;
	if (sig == SIGKILL) {
		find(exits, record->pid)->killed = true;
		return 0;
	}
	if (sig == process->sent)
		process->sent = 0;
	if (handled || !is_deadly(sig, &core) || !core)
		return 0;
	process->whole = CALL_EXIT_SIGNAL;
	process->whole_code = sig;
	return 0;
}

int call_exits_signal(struct call_exits *exits, const struct call_event *event,
		      const struct dkt_record *record)
{
	return event->role == SIGNAL_SENT ? on_sent(exits, event, record) :
					    on_delivered(exits, event, record);
}

/* ---- ends ---- */

void call_exits_ended(struct call_exits *exits, struct call_task *task)
{
	const struct exit_thread *thread = find(exits, task->tid);
	const struct exit_thread *process = thread ? find(exits, thread->process) : NULL;

	if (!process)
		return;
	if (thread->own) {
		task->exit = thread->own;
		task->code = thread->own_code;
	} else if (process->whole) {
		task->exit = process->whole;
		task->code = process->whole_code;
	} else if (thread->killed) {
		task->exit = process->sent ? CALL_EXIT_SIGNAL : CALL_EXIT_KILLED;
		task->code = process->sent;
	}
	leave(exits, task->tid);
}

void call_exits_forget(struct call_exits *exits)
{
	dkt__keymap_empty(&exits->map.keys);
}

void call_exits_clear(struct call_exits *exits)
{
	dkt__keyed_clear(&exits->map);
}
