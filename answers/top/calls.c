/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls: how many, what they read and write, and which have not returned. */
#include "answers/top/state.h"

struct call_flags {
	const char *name;
	unsigned int flags; /* enum activity_call_flags */
};

#define READS  (ACTIVITY_CALL_READS | ACTIVITY_CALL_FD)
#define WRITES (ACTIVITY_CALL_WRITES | ACTIVITY_CALL_FD)
#define WAITS  ACTIVITY_CALL_WAITS
#define FD     ACTIVITY_CALL_FD

static const struct call_flags call_flags[] = {
	/* clang-format off */
	{ "read", READS }, { "pread64", READS }, { "readv", READS }, { "preadv", READS },
	{ "preadv2", READS }, { "recvfrom", READS }, { "recvmsg", READS },
	{ "write", WRITES }, { "pwrite64", WRITES }, { "writev", WRITES }, { "pwritev", WRITES },
	{ "pwritev2", WRITES }, { "sendto", WRITES }, { "sendmsg", WRITES },
	/* These move bytes from one file to another. */
	{ "sendfile", READS | WRITES }, { "sendfile64", READS | WRITES },
	{ "splice", READS | WRITES }, { "copy_file_range", READS | WRITES },
	{ "accept", WAITS | FD }, { "accept4", WAITS | FD },
	{ "epoll_wait", WAITS | FD }, { "epoll_pwait", WAITS | FD }, { "epoll_pwait2", WAITS | FD },
	{ "poll", WAITS }, { "ppoll", WAITS }, { "ppoll_time64", WAITS },
	{ "select", WAITS }, { "pselect6", WAITS }, { "_newselect", WAITS },
	{ "futex", WAITS }, { "futex_wait", WAITS }, { "futex_waitv", WAITS }, { "futex_time64", WAITS },
	{ "nanosleep", WAITS }, { "clock_nanosleep", WAITS }, { "clock_nanosleep_time64", WAITS },
	{ "pause", WAITS }, { "wait4", WAITS }, { "waitid", WAITS }, { "waitpid", WAITS },
	{ "rt_sigsuspend", WAITS }, { "rt_sigtimedwait", WAITS }, { "restart_syscall", WAITS },
	{ "io_getevents", WAITS }, { "io_pgetevents", WAITS }, { "io_uring_enter", WAITS | FD },
	{ "mq_timedreceive", WAITS | FD }, { "msgrcv", WAITS }, { "semtimedop", WAITS },
	{ "fsync", FD }, { "fdatasync", FD }, { "sync_file_range", FD }, { "syncfs", FD },
	{ "ftruncate", FD }, { "fallocate", FD }, { "flock", FD }, { "fcntl", FD }, { "ioctl", FD },
	{ "getdents", FD }, { "getdents64", FD }, { "fstat", FD }, { "close", FD }, { "connect", FD },
	/* clang-format on */
};

void calls_init(struct activity *activity)
{
	for (int number = 0; number < N_CALLS; number++) {
		const char *name = dkt_syscall_name(activity->ctx, number);

		for (size_t i = 0; name && i < ARRAY_SIZE(call_flags); i++)
			if (!strcmp(name, call_flags[i].name))
				activity->flags_of[number] = (uint8_t)call_flags[i].flags;
	}
}

static unsigned int flags_of(const struct activity *activity, int64_t number)
{
	return number >= 0 && number < N_CALLS ? activity->flags_of[number] : 0;
}

void call_begin(struct activity *activity, struct thread *thread, int64_t number, uint64_t since)
{
	thread->in_call = true;
	thread->call.number = (int32_t)number;
	thread->call.flags = flags_of(activity, number);
	thread->call.since = since;
}

int call_enter(struct activity *activity, const struct counted *counted,
	       const struct dkt_record *record)
{
	struct thread *thread = thread_of(activity, record);
	const void *args;
	size_t len;

	if (!thread)
		return 0;
	args = dkt_record_bytes(record, counted->fields[1], &len);
	call_begin(activity, thread, dkt_record_int(record, counted->fields[0]), record->ts);
	memcpy(thread->call.args, args, DKT__MIN(len, sizeof(thread->call.args)));
	thread->task.calls++;
	return 0;
}

int call_exit(struct activity *activity, const struct counted *counted,
	      const struct dkt_record *record)
{
	struct thread *thread = thread_of(activity, record);
	unsigned int flags;
	int64_t result;

	if (!thread)
		return 0;
	thread->in_call = false;
	flags = flags_of(activity, dkt_record_int(record, counted->fields[0]));
	if (!(flags & (ACTIVITY_CALL_READS | ACTIVITY_CALL_WRITES)))
		return 0;
	result = dkt_record_int(record, counted->fields[1]);
	if (result <= 0)
		return 0;
	if (flags & ACTIVITY_CALL_READS)
		thread->task.read += (uint64_t)result;
	if (flags & ACTIVITY_CALL_WRITES)
		thread->task.written += (uint64_t)result;
	return 0;
}

int calls_take(struct activity *activity, struct activity_frame *frame)
{
	frame->calls = malloc((activity->by_pid.n + 1) * sizeof(*frame->calls));
	if (!frame->calls)
		return -ENOMEM;
	for (size_t i = 0; i < activity->n_threads; i++) {
		struct thread *thread = &activity->threads[i];
		struct activity_call *call = &frame->calls[frame->n_calls];

		if (!thread->task.pid || !thread->in_call)
			continue;
		proc_complete(activity, &thread->task);
		*call = thread->call;
		call->pid = thread->task.pid;
		call->process = thread->task.process;
		memcpy(call->comm, thread->task.comm, sizeof(call->comm));
		if (call->since < activity->gap)
			call->flags |= ACTIVITY_CALL_UNSURE;
		frame->n_calls++;
	}
	return 0;
}
