/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes as people name them: the threads that they have. */
#include "log/threads.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "log/option_words.h"

#define BOOT_SIZE 40

/* All threads of a process, each behind a blank. */
static int add_threads(struct dkt_ctx *ctx, long pid, FILE *out, bool first)
{
	char path[40];
	DIR *dir __cleanup(closedir) = NULL;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%ld/task", pid);
	dir = opendir(path);
	if (!dir)
		return dkt_fail(ctx, -ESRCH, "there is no process %ld", pid);
	while ((entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		fprintf(out, "%s%s", first ? "" : " ", entry->d_name);
		first = false;
	}
	return 0;
}

int threads_read(struct dkt_ctx *ctx, const char *text, char **threads)
{
	const char *from = text;
	FILE *out;
	char *end;
	size_t len;
	int err = 0;

	*threads = NULL;
	out = open_memstream(threads, &len);
	if (!out)
		return -ENOMEM;
	do {
		long pid = strtol(from, &end, 10);

		if (end == from || pid <= 0 || pid > INT32_MAX || (*end && *end != ','))
			err = dkt_fail(ctx, -EINVAL,
				       "'%.60s' is no list of processes, as 1234 or 1234,1235",
				       text);
		else
			err = add_threads(ctx, pid, out, from == text);
		from = end + 1;
	} while (!err && *end);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (err) {
		free(*threads);
		*threads = NULL;
	}
	return err;
}

int threads_numbers(struct dkt_ctx *ctx, const char *text, pid_t **pids, size_t *n)
{
	char *end;

	*n = 0;
	*pids = calloc(strlen(text) / 2 + 1, sizeof(**pids));
	if (!*pids)
		return -ENOMEM;
	for (; *text; text = end) {
		long pid = strtol(text, &end, 10);

		if (end == text || pid <= 0 || pid > INT32_MAX)
			return dkt_fail(ctx, -EINVAL, "'%.40s' is no list of threads", text);
		(*pids)[(*n)++] = (pid_t)pid;
		end += *end == ' ';
	}
	return 0;
}

/* The process of a thread, 0: it is gone. */
static int process_of(int thread)
{
	char path[40], line[128];
	int process = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", thread);
	f = fopen(path, "re");
	while (f && !process && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &process) != 1)
			process = 0;
	if (f)
		fclose(f);
	return process;
}

int threads_processes(const char *text, char **processes)
{
	size_t len;
	FILE *out = open_memstream(processes, &len);
	const char *before = "";
	char *end;

	if (!out)
		return -ENOMEM;
	for (; *text; text = end + (*end == ' ')) {
		int thread = (int)strtol(text, &end, 10);

		if (end == text)
			break;
		/* The thread that has the number of its process stands for all of them. */
		if (process_of(thread) != thread)
			continue;
		fprintf(out, "%s%d", before, thread);
		before = ",";
	}
	if (fclose(out))
		return -ENOMEM;
	if (!**processes) {
		free(*processes);
		*processes = NULL;
	}
	return 0;
}

static void read_boot(char boot[BOOT_SIZE])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || !fgets(boot, BOOT_SIZE, f))
		*boot = '\0';
	if (f)
		fclose(f);
	boot[strcspn(boot, "\n")] = '\0';
}

void threads_print(FILE *out, const char *processes, bool children)
{
	char boot[BOOT_SIZE];

	read_boot(boot);
	fprintf(out, "%s%s", processes, children ? " --children" : "");
	option_word_print(out, "--boot", *boot ? boot : NULL);
}

int threads_check_boot(struct dkt_ctx *ctx, const char *boot)
{
	char now[BOOT_SIZE];

	read_boot(now);
	if (!boot || !strcmp(boot, now))
		return 0;
	return dkt_fail(ctx, -ESRCH, "its processes are those of another boot");
}
