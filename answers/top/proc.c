/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads that exist, from /proc. */
#include "answers/top/state.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"

#define STATUS_MAX (64 << 10)

static int read_proc(const struct activity *activity, int64_t pid, const char *name, char **text)
{
	char *path __cleanup(free) =
		dkt__format("%s/%lld/%s", activity->proc, (long long)pid, name);
	size_t len;

	return path ? dkt__read_file(path, STATUS_MAX, text, &len) : -ENOMEM;
}

bool proc_exists(const struct activity *activity, int32_t pid)
{
	char *path __cleanup(free) = dkt__format("%s/%d", activity->proc, pid);

	/* Without memory it is better kept. */
	return !path || !access(path, F_OK);
}

static void read_comm(const struct activity *activity, struct activity_task *task)
{
	char *comm __cleanup(free) = NULL;

	if (!read_proc(activity, task->pid, "comm", &comm))
		snprintf(task->comm, sizeof(task->comm), "%.*s", (int)strcspn(comm, "\n"), comm);
}

void proc_complete(const struct activity *activity, struct activity_task *task)
{
	char *text __cleanup(free) = NULL;

	if (!task->process && !read_proc(activity, task->pid, "status", &text))
		task->process = (int32_t)dkt__line_u64(text, "Tgid:");
	/* It has ended: it is shown as a process of its own. */
	if (!task->process)
		task->process = task->pid;
	if (!task->comm[0])
		read_comm(activity, task);
}

/*
 * "NUMBER 0xARG... 0xSTACK 0xCODE", or "running". It may have begun in the moment before this is read:
 * then its record comes later, and tells the time.
 */
static void scan_call(struct activity *activity, struct thread *thread)
{
	uint64_t words[ACTIVITY_ARGS + 2] = { 0 };
	char *text __cleanup(free) = NULL;
	const char *p;
	int64_t number;

	if (read_proc(activity, thread->task.pid, "syscall", &text))
		return;
	p = text;
	if (dkt__take_s64(&p, NULL, DKT__DEC, &number) || number < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words) && *p == ' '; i++) {
		p++;
		if (dkt__take_u64(&p, NULL, DKT__AS_C, &words[i]))
			return;
	}
	/* A thread of the kernel has no code that called: all its words are 0. */
	if (!words[ACTIVITY_ARGS + 1])
		return;
	call_begin(activity, thread, number, activity->first);
	thread->call.flags |= ACTIVITY_CALL_OLDER;
	for (size_t i = 0; i < ACTIVITY_ARGS; i++)
		thread->call.args[i] = (unsigned long)words[i];
}

static void scan_thread(struct activity *activity, int64_t process, int64_t pid)
{
	struct thread *thread = thread_at(activity, thread_get(activity, (int32_t)pid));

	if (!thread)
		return;
	thread->task.process = (int32_t)process;
	if (!thread->task.comm[0])
		read_comm(activity, &thread->task);
	/* The records about its calls are newer. */
	if (!thread->seen)
		scan_call(activity, thread);
}

/* Calls scan for each number in the directory. */
static int each_number(struct activity *activity, const char *path, int64_t process,
		       void (*scan)(struct activity *activity, int64_t process, int64_t pid))
{
	DIR *dir __cleanup(closedir) = opendir(path);
	struct dirent *entry;
	int64_t pid;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (!dkt__parse_int(entry->d_name, 1, INT32_MAX, &pid))
			scan(activity, process ? process : pid, pid);
	return 0;
}

static void scan_process(struct activity *activity, int64_t process, int64_t pid)
{
	char *path __cleanup(free) = dkt__format("%s/%lld/task", activity->proc, (long long)pid);

	/* It may have ended since its directory was listed. */
	if (path)
		each_number(activity, path, process, scan_thread);
}

int proc_scan(struct activity *activity)
{
	int err = each_number(activity, activity->proc, 0, scan_process);

	return err ? dkt_fail(activity->ctx, err, "read %s", activity->proc) : 0;
}
