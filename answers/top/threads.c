/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads: found by number or in /proc, forgotten when they end, summed by process. */
#include "answers/top/state.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"

/* A thread without a record for so long may have ended without one. */
#define QUIET_NS UINT64_C(10000000000)

/* After a loss, look for ended threads at most so often. */
#define LOSS_NS UINT64_C(2000000000)

static uint64_t key_of(int32_t pid)
{
	return (uint32_t)pid;
}

uint32_t thread_get(struct activity *activity, int32_t pid)
{
	const uint64_t key = key_of(pid);
	uint32_t entry;
	struct thread *thread;
	bool added;

	if (!pid)
		return DKT__KEYMAP_NONE;
	if (activity->by_pid.n >= ACTIVITY_MAX) {
		entry = dkt__keymap_find(&activity->by_pid, &key);
		activity->unfollowed += entry == DKT__KEYMAP_NONE;
		return entry;
	}
	entry = dkt__keymap_add(&activity->by_pid, &key, &added);
	if (entry == DKT__KEYMAP_NONE || !added)
		return entry;
	thread = dkt__reach(activity->threads, activity->n_threads, entry);
	if (!thread) {
		dkt__keymap_remove(&activity->by_pid, &key);
		return DKT__KEYMAP_NONE;
	}
	*thread = (struct thread){ .task = { .pid = pid } };
	return entry;
}

struct thread *thread_of(struct activity *activity, const struct dkt_record *record)
{
	const struct cpu *cpu = &activity->cpus[record->cpu];
	const bool runs = cpu->known && cpu->pid == record->pid;
	struct thread *thread =
		thread_at(activity, runs ? cpu->thread : thread_get(activity, record->pid));

	if (thread)
		thread->seen = record->ts;
	return thread;
}

/* ---- the threads that exist, from /proc ---- */

#define STATUS_MAX (64 << 10)

static int read_proc(const struct activity *activity, int64_t pid, const char *name, char **text)
{
	char *path __cleanup(free) =
		dkt__format("%s/%lld/%s", activity->proc, (long long)pid, name);
	size_t len;

	return path ? dkt__read_file(path, STATUS_MAX, text, &len) : -ENOMEM;
}

static bool proc_exists(const struct activity *activity, int32_t pid)
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

/* ---- the end of a thread ---- */

static bool has_counts(const struct activity_task *task)
{
	return task->cpu || task->wait || task->calls || task->read || task->written;
}

int thread_end(struct activity *activity, uint32_t entry)
{
	struct thread *thread = thread_at(activity, entry);
	const uint64_t key = key_of(thread->task.pid);
	int err = 0;

	if (has_counts(&thread->task)) {
		if (activity->n_ended < ACTIVITY_MAX)
			err = dkt__append(activity->ended, activity->n_ended, thread->task);
		else
			activity->unfollowed++;
	}
	for (size_t i = 0; i < activity->n_cpus; i++)
		if (activity->cpus[i].thread == entry)
			activity->cpus[i].known = false;
	*thread = (struct thread){ 0 };
	dkt__keymap_remove(&activity->by_pid, &key);
	return err;
}

int threads_sweep(struct activity *activity, uint64_t now)
{
	const bool lost = activity->gap > activity->swept;
	int err = 0;

	if (now - activity->swept < (lost ? LOSS_NS : QUIET_NS))
		return 0;
	for (uint32_t i = 0; !err && i < activity->n_threads; i++) {
		const struct thread *thread = &activity->threads[i];

		if (thread->task.pid && !thread->on_cpu && thread->seen < activity->swept &&
		    !proc_exists(activity, thread->task.pid))
			err = thread_end(activity, i);
	}
	activity->swept = now;
	return err;
}

/* ---- the counts of an interval ---- */

static void reset(struct activity_task *task)
{
	task->cpu = task->wait = 0;
	task->calls = task->read = task->written = 0;
}

static void add_counts(struct activity_task *to, const struct activity_task *task)
{
	to->threads += task->threads;
	dkt__add_ns(&to->cpu, task->cpu);
	dkt__add_ns(&to->wait, task->wait);
	to->calls += task->calls;
	to->read += task->read;
	to->written += task->written;
}

static int sum_processes(struct activity_frame *frame, struct dkt__keymap *map)
{
	for (size_t i = 0; i < frame->n_threads; i++) {
		const struct activity_task *task = &frame->threads[i];
		const uint64_t key[2] = { key_of(task->process), task->serial };
		struct activity_task *process;
		uint32_t entry;
		bool added;

		entry = dkt__keymap_add(map, key, &added);
		if (entry == DKT__KEYMAP_NONE)
			return -ENOMEM;
		process = &frame->processes[entry];
		if (added) {
			*process = *task;
			process->pid = task->process;
			frame->n_processes++;
		} else {
			add_counts(process, task);
		}
		/* The process has the name of its first thread. */
		if (task->pid == task->process)
			memcpy(process->comm, task->comm, sizeof(process->comm));
	}
	return 0;
}

int threads_take(struct activity *activity, struct activity_frame *frame)
{
	const size_t most = activity->by_pid.n + activity->n_ended;
	struct dkt__keymap map = { .n_words = 2 };
	int err;

	frame->threads = malloc((most + 1) * sizeof(*frame->threads));
	frame->processes = malloc((most + 1) * sizeof(*frame->processes));
	if (!frame->threads || !frame->processes)
		return -ENOMEM;
	for (size_t i = 0; i < activity->n_threads; i++) {
		struct activity_task *task = &activity->threads[i].task;

		if (!task->pid)
			continue;
		proc_complete(activity, task);
		task->threads = 1;
		frame->threads[frame->n_threads++] = *task;
		reset(task);
	}
	for (size_t i = 0; i < activity->n_ended; i++) {
		struct activity_task *task = &activity->ended[i];

		if (!task->process)
			task->process = task->pid;
		task->threads = 0;
		frame->threads[frame->n_threads++] = *task;
	}
	free(activity->ended);
	activity->ended = NULL;
	activity->n_ended = 0;
	err = sum_processes(frame, &map);
	dkt__keymap_clear(&map);
	return err;
}
