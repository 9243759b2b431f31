/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of processes for a recording. The kernel keeps the last few that it saw (saved_cmdlines), so
 * they are read again and again; at the end the threads that still live give theirs.
 */
#include <ctype.h>
#include <sys/stat.h>

#include "lib/base/parse.h"
#include "lib/base/when.h"
#include "lib/recorder.h"
#include "lib/tracedat.h"
#include "lib/tracedat/pack.h"
#include "lib/tracefs.h"

/*
 * How many names to read in a second, on average. Kernels since 6.8 keep some 6,500 names instead of 128:
 * reading all of them each second took a fifth of the time of recording 100,000 events.
 */
#define NAMES_PER_SECOND 1000

/* The longest time until they are read again, in s. */
#define NAMES_LATEST 10

/* If one in so many names is new, the next ones are read at once, before the kernel replaces them. */
#define MANY_NEW 8

/* True if someone may be reading the records now, without the names that come later. */
static bool is_stream(const struct dkt_recorder *r)
{
	struct stat st;

	return !fstat(r->fd, &st) && !S_ISREG(st.st_mode);
}

/* Adds a line to the text unless the file has that name of that process. Returns true if it is new. */
static bool add_name(struct dkt_recorder *r, struct dkt_buf *text, int32_t pid, const char *name,
		     size_t len)
{
	const char *known = dkt__comms_get(&r->names, pid);

	if (known && strlen(known) == len && !memcmp(known, name, len))
		return false;
	if (!dkt__comms_set(&r->names, pid, name, len))
		dkt_buf_printf(text, "%d %.*s\n", pid, (int)len, name);
	return true;
}

static void add_saved(struct dkt_recorder *r, struct dkt_buf *text)
{
	char *saved __cleanup(free) = NULL, *rest, *line;
	unsigned int n = 0, n_new = 0;

	if (dkt__tfs_read(r->ctx, &saved, NULL, "saved_cmdlines"))
		return;
	for (rest = saved; (line = strsep(&rest, "\n"));) {
		const char *name = line;
		uint64_t pid;

		if (dkt__take_u64(&name, NULL, DKT__DEC, &pid) || *name != ' ' || pid >= INT32_MAX)
			continue;
		n++;
		n_new += add_name(r, text, (int32_t)pid, name + 1, strlen(name + 1));
	}
	r->names_due = dkt__monotonic_ns();
	if (n_new < n / MANY_NEW && !is_stream(r))
		r->names_due += DKT__MIN(n / NAMES_PER_SECOND, NAMES_LATEST) * DKT__NSEC_PER_SEC;
}

static void add_thread(struct dkt_recorder *r, struct dkt_buf *text, int32_t pid)
{
	char path[40], name[32];
	FILE *f __cleanup(fclose) = NULL;

	if (dkt__comms_get(&r->names, pid))
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f))
		add_name(r, text, pid, name, strcspn(name, "\n"));
}

/* Adds the threads of a process, or all processes if pid is 0. */
static void add_living(struct dkt_recorder *r, struct dkt_buf *text, int32_t pid)
{
	char path[40];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), pid ? "/proc/%d/task" : "/proc", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		uint64_t id;

		if (dkt__parse_u64(entry->d_name, DKT__DEC, &id) || id > INT32_MAX)
			continue;
		if (pid)
			add_thread(r, text, (int32_t)id);
		else
			add_living(r, text, (int32_t)id);
	}
	if (dir)
		closedir(dir);
}

int dkt__recorder_names(struct dkt_recorder *r, bool all)
{
	struct dkt_buf text = { 0 }, section = { 0 };
	uint8_t length[8];
	int err = 0;

	if (all || dkt__monotonic_ns() >= r->names_due)
		add_saved(r, &text);
	if (all && !r->ctx->root)
		add_living(r, &text, 0);
	if (text.len) {
		dkt__put_bytes(length, text.len, 8, r->ctx->big_endian);
		dkt__buf_add(&section, length, 8);
		dkt__buf_add(&section, text.data, text.len);
		err = text.err ? dkt__no_memory(r->ctx) :
				 dkt__recorder_put(r, DAT_CMDLINES, &section);
	}
	free(text.data);
	free(section.data);
	return err;
}
