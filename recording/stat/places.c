/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the threads and CPUs to count on. */
#include "recording/stat/places.h"

#include "compat/log/threads.h"
#include "compat/lustre/programs.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

#define ONLINE   "/sys/devices/system/cpu/online"
#define CPU_MOST 8191

void stat_places_clear(struct stat_places *places)
{
	free(places->list);
	free(places->group_of);
	free(places->groups);
	*places = (struct stat_places){ 0 };
}

/* ---- groups ---- */

static int add_place(struct stat_places *places, pid_t pid, int cpu, size_t group)
{
	size_t n = places->n;
	int err = dkt__append(places->group_of, n, group);

	return err ? err :
		     dkt__append(places->list, places->n,
				 (struct dkt__counted){ .pid = pid, .cpu = cpu });
}

static int add_group(struct stat_places *places, pid_t tid, int cpu, const char *comm)
{
	struct stat_group group = { .tid = tid, .cpu = cpu };

	snprintf(group.comm, sizeof(group.comm), "%s", comm);
	return dkt__append(places->groups, places->n_groups, group);
}

/* ---- CPUs ---- */

static int online_cpus(struct dkt_ctx *ctx, int **cpus, size_t *n)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	int err = dkt__read_file(ONLINE, SIZE_MAX, &text, &len);

	*cpus = NULL;
	if (!err) {
		text[strcspn(text, "\n")] = '\0';
		err = dkt__parse_list(text, CPU_MOST, cpus, n);
	}
	return err ? dkt_fail(ctx, err, "find the CPUs that are online: read %s: %s", ONLINE,
			      strerror(-err)) :
		     0;
}

/* Adds a place for the threads of pid on each CPU, and a group for each. */
static int add_cpus(struct dkt_ctx *ctx, struct stat_places *places, const pid_t *pids,
		    size_t n_pids)
{
	int *cpus __cleanup(free) = NULL;
	size_t n = 0;
	int err = online_cpus(ctx, &cpus, &n);

	for (size_t i = 0; !err && i < n; i++) {
		err = add_group(places, -1, cpus[i], "");
		for (size_t k = 0; !err && k < n_pids; k++)
			err = add_place(places, pids[k], cpus[i], i);
	}
	return dkt__with_words(ctx, err);
}

/* ---- threads ---- */

/* A thread that exits meanwhile has no name, and is left out. */
static bool read_comm(pid_t tid, char comm[16])
{
	char *text __cleanup(free) = NULL;
	char path[32];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (dkt__read_file(path, SIZE_MAX, &text, &len))
		return false;
	text[strcspn(text, "\n")] = '\0';
	snprintf(comm, 16, "%s", text);
	return true;
}

static int add_threads(struct stat_places *places, enum stat_by by, const struct threads *threads)
{
	int err = by == STAT_BY_THREAD ? 0 : add_group(places, -1, -1, "");

	for (size_t i = 0; !err && i < threads->n; i++) {
		char comm[16] = "";

		if (by == STAT_BY_THREAD) {
			if (!read_comm(threads->list[i], comm))
				continue;
			err = add_group(places, threads->list[i], -1, comm);
		}
		if (!err)
			err = add_place(places, threads->list[i], -1, places->n_groups - 1);
	}
	return err;
}

/* Adds all processes of the machine. */
static int every_thread(struct dkt_ctx *ctx, struct threads *threads)
{
	DIR *proc __cleanup(closedir) = opendir("/proc");
	struct dirent *entry;
	int64_t pid;
	int err = 0;

	if (!proc)
		return dkt_fail(ctx, -errno, "find threads: open /proc: %s", strerror(errno));
	while (!err && (entry = readdir(proc))) {
		if (dkt__parse_int(entry->d_name, 1, INT32_MAX, &pid))
			continue;
		err = dkl_threads_of_processes(ctx, entry->d_name, threads);
		/* It has exited since. */
		err = err == -ESRCH ? 0 : err;
	}
	return err;
}

/* Keeps the threads of these names. */
static int keep_named(struct dkt_ctx *ctx, const char *names, struct threads *threads)
{
	struct dkt__strings programs = { 0 };
	size_t n = 0;
	int err = dkl_programs_read(ctx, names, &programs);

	for (size_t i = 0; !err && i < threads->n; i++) {
		char comm[16];

		if (read_comm(threads->list[i], comm) && dkl_programs_have(&programs, comm))
			threads->list[n++] = threads->list[i];
	}
	dkt__strings_clear(&programs);
	if (err)
		return err;
	threads->n = n;
	return n ? 0 : dkt_fail(ctx, -ESRCH, "no thread is named '%s' now", names);
}

bool stat_places_exist(const struct stat_places *places)
{
	for (size_t i = 0; i < places->n; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/proc/%d", places->list[i].pid);
		if (places->list[i].pid == -1 || !access(path, F_OK))
			return true;
	}
	return false;
}

static int add_chosen(struct dkt_ctx *ctx, struct stat_places *places, enum stat_by by,
		      const struct threads *threads)
{
	return by == STAT_BY_CPU ? add_cpus(ctx, places, threads->list, threads->n) :
				   dkt__with_words(ctx, add_threads(places, by, threads));
}

int stat_places_threads(struct dkt_ctx *ctx, enum stat_by by, const char *pids, const char *comm,
			struct stat_places *places)
{
	struct threads threads = { 0 };
	int err = pids ? dkl_threads_of_processes(ctx, pids, &threads) :
			 every_thread(ctx, &threads);

	if (!err && comm)
		err = keep_named(ctx, comm, &threads);
	if (!err)
		err = add_chosen(ctx, places, by, &threads);
	dkl_threads_clear(&threads);
	return err;
}

int stat_places_process(struct dkt_ctx *ctx, enum stat_by by, pid_t pid, struct stat_places *places)
{
	const struct threads threads = { .list = &pid, .n = 1 };

	return add_chosen(ctx, places, by, &threads);
}

int stat_places_machine(struct dkt_ctx *ctx, enum stat_by by, struct stat_places *places)
{
	static const pid_t all = -1;
	int err;

	if (by == STAT_BY_THREAD)
		return stat_places_threads(ctx, by, NULL, NULL, places);
	err = add_cpus(ctx, places, &all, 1);
	if (err || by == STAT_BY_CPU)
		return err;
	/* One group for all. */
	places->groups[0] = (struct stat_group){ .tid = -1, .cpu = -1 };
	places->n_groups = 1;
	memset(places->group_of, 0, places->n * sizeof(*places->group_of));
	return 0;
}
