/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of the processes that run when sampling begins: their threads, names and code. */
#include <sys/mman.h>
#include <sys/uio.h>

#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/sampler.h"

/* So much is written at once. */
#define PIECE (1u << 20)

/* A name of the kernel's has at most so many bytes, with the NUL; kworkers show more. */
#define COMM_MAX 16

struct task_record {
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time;
};

struct map_record {
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

/* ---- records ---- */

void dkt__sampler_put_head(struct dkt_buf *buf, uint32_t type, uint16_t misc, size_t size)
{
	const struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + size + sizeof(struct dkt__sampler_tail)),
	};

	dkt__buf_add(buf, &header, sizeof(header));
}

void dkt__sampler_put_text(struct dkt_buf *buf, const char *text)
{
	static const char zeroes[8];
	const size_t len = strlen(text);

	dkt__buf_add(buf, text, len);
	dkt__buf_add(buf, zeroes, dkt__sampler_text_size(text) - len);
}

/* The time 0 is before all others, and the ID 0 is none, as perf has it. */
void dkt__sampler_put_tail(struct dkt_buf *buf)
{
	static const struct dkt__sampler_tail tail;

	dkt__buf_add(buf, &tail, sizeof(tail));
}

int dkt__sampler_put_end(struct dkt__sampler *sampler, struct dkt_buf *buf)
{
	struct iovec piece = { .iov_base = buf->data, .iov_len = buf->len };
	struct perf_event_header head;

	if (buf->err)
		return dkt__no_memory(sampler->ctx);
	for (size_t at = 0; at < buf->len; at += head.size) {
		memcpy(&head, buf->data + at, sizeof(head));
		dkt__sampler_record(sampler, (const void *)(buf->data + at));
	}
	buf->len = 0;
	return piece.iov_len ? dkt__sampler_file_add(sampler, &piece, 1) : 0;
}

/* ---- threads ---- */

/* A process, as /proc tells about it. */
struct process {
	pid_t pid, parent;
};

static void put_thread(struct dkt_buf *buf, const struct process *process, pid_t tid)
{
	char path[64], name[COMM_MAX + 1] = "";
	const bool first = tid == process->pid;
	const struct task_record task = {
		.pid = (uint32_t)process->pid,
		.tid = (uint32_t)tid,
		.parent = (uint32_t)(first ? process->parent : process->pid),
		.parent_tid = (uint32_t)(first ? process->parent : process->pid),
	};
	char *text __cleanup(free) = NULL;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)process->pid, (int)tid);
	if (dkt__read_file(path, PIECE, &text, &len))
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(name, sizeof(name), "%.*s", COMM_MAX - 1, text);
	dkt__sampler_put_head(buf, PERF_RECORD_FORK, 0, sizeof(task));
	dkt__buf_add(buf, &task, sizeof(task));
	dkt__sampler_put_tail(buf);
	dkt__sampler_put_head(buf, PERF_RECORD_COMM, 0,
			      2 * sizeof(uint32_t) + dkt__sampler_text_size(name));
	dkt__buf_add(buf, &task.pid, sizeof(task.pid));
	dkt__buf_add(buf, &task.tid, sizeof(task.tid));
	dkt__sampler_put_text(buf, name);
	dkt__sampler_put_tail(buf);
}

static void put_threads(struct dkt_buf *buf, const struct process *process)
{
	char path[40];
	DIR *dir __cleanup(closedir) = NULL;
	struct dirent *entry;
	int64_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process->pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (!dkt__parse_int(entry->d_name, 1, INT32_MAX, &tid))
			put_thread(buf, process, (pid_t)tid);
}

/* Finds the process of a thread, and its parent. False: it has exited. */
static bool find_process(pid_t thread, struct process *process)
{
	char path[40];
	char *text __cleanup(free) = NULL;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)thread);
	if (dkt__read_file(path, PIECE, &text, &len))
		return false;
	process->pid = (pid_t)dkt__line_u64(text, "Tgid:");
	process->parent = (pid_t)dkt__line_u64(text, "PPid:");
	return process->pid;
}

/* ---- mappings ---- */

/* Takes a number in hexadecimal and the character after it. */
static bool take_hex(const char **p, char end, uint64_t *value)
{
	return !dkt__take_u64(p, NULL, DKT__HEX, value) && *(*p)++ == end;
}

/* Parses "5581c0a00000-5581c0a21000 r-xp 00002000 fe:00 1234    /usr/bin/x"; sets *name to the last word. */
static bool parse_map(const char *line, struct map_record *map, const char **name)
{
	const char *p = line, *mode;
	uint64_t end, major, minor;

	if (!take_hex(&p, '-', &map->start) || !take_hex(&p, ' ', &end) || end < map->start)
		return false;
	mode = p;
	if (strnlen(mode, 5) < 5 || mode[4] != ' ')
		return false;
	p += 5;
	if (!take_hex(&p, ' ', &map->offset) || !take_hex(&p, ':', &major) ||
	    !take_hex(&p, ' ', &minor) || dkt__take_u64(&p, NULL, DKT__DEC, &map->inode))
		return false;
	map->size = end - map->start;
	map->major = (uint32_t)major;
	map->minor = (uint32_t)minor;
	map->protection = (mode[0] == 'r' ? PROT_READ : 0) | (mode[1] == 'w' ? PROT_WRITE : 0) |
			  (mode[2] == 'x' ? PROT_EXEC : 0);
	map->flags = mode[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	*name = p + strspn(p, " ");
	return true;
}

/* Puts a mapping. A name longer than a record's limit is not in any file system. */
static void put_map(struct dkt_buf *buf, const struct map_record *map, const char *name)
{
	const uint16_t kind = map->protection & PROT_EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA;

	if (strlen(name) >= DKT__SAMPLER_RECORD / 2)
		return;
	name = *name ? name : "//anon";
	dkt__sampler_put_head(buf, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | kind,
			      sizeof(*map) + dkt__sampler_text_size(name));
	dkt__buf_add(buf, map, sizeof(*map));
	dkt__sampler_put_text(buf, name);
	dkt__sampler_put_tail(buf);
}

/* Puts the mappings of code, and with data all that can be read. */
static void put_maps(struct dkt_buf *buf, const struct process *process, bool data)
{
	const uint32_t wanted = data ? PROT_EXEC | PROT_READ : PROT_EXEC;
	char path[40];
	FILE *f __cleanup(fclose) = NULL;
	char *line __cleanup(free) = NULL;
	size_t room = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		struct map_record map = { .pid = (uint32_t)process->pid,
					  .tid = (uint32_t)process->pid };
		const char *name;

		line[strcspn(line, "\n")] = '\0';
		if (parse_map(line, &map, &name) && map.protection & wanted)
			put_map(buf, &map, name);
	}
}

static int put_process(struct dkt__sampler *sampler, struct dkt_buf *buf,
		       const struct process *process, bool code)
{
	put_threads(buf, process);
	if (code)
		put_maps(buf, process, dkt__sampler_wants_data(sampler));
	return buf->len < PIECE ? 0 : dkt__sampler_put_end(sampler, buf);
}

/* Threads that only wake others have names, but no code. */
static int put_all(struct dkt__sampler *sampler, struct dkt_buf *buf, bool code)
{
	DIR *dir __cleanup(closedir) = opendir("/proc");
	struct dirent *entry;
	struct process process;
	int64_t pid;
	int err = 0;

	while (!err && dir && (entry = readdir(dir)))
		if (!dkt__parse_int(entry->d_name, 1, INT32_MAX, &pid) &&
		    find_process((pid_t)pid, &process))
			err = put_process(sampler, buf, &process, code);
	return err;
}

static int put_chosen(struct dkt__sampler *sampler, struct dkt_buf *buf)
{
	struct dkt__keymap done = { .n_words = 1 };
	struct process process;
	bool added = false;
	int err = 0;

	for (size_t i = 0; !err && i < sampler->opts.n_threads; i++) {
		uint64_t key;

		if (!find_process(sampler->opts.threads[i], &process))
			continue;
		key = (uint64_t)process.pid;
		if (dkt__keymap_add(&done, &key, &added) == DKT__KEYMAP_NONE)
			err = dkt__no_memory(sampler->ctx);
		else if (added)
			err = put_process(sampler, buf, &process, true);
	}
	dkt__keymap_clear(&done);
	return err;
}

int dkt__sampler_processes_write(struct dkt__sampler *sampler)
{
	struct dkt_buf buf = { 0 };
	int err = dkt__sampler_kernel_put(sampler, &buf);

	if (!err && sampler->opts.n_threads && sampler->opts.off_cpu)
		err = put_all(sampler, &buf, false);
	/* The command is still this program, before it executes its own. */
	if (!err && !sampler->opts.waits)
		err = sampler->opts.n_threads ? put_chosen(sampler, &buf) :
						put_all(sampler, &buf, true);
	if (!err)
		err = dkt__sampler_put_end(sampler, &buf);
	free(buf.data);
	return err;
}
