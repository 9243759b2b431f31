/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorded threads, and the processes and options as a user names them. */
#include "compat/log/threads.h"

#include "compat/lustre/programs.h"
#include "lib/base/guess.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/util.h"

static int add_process(struct dkt_ctx *ctx, int64_t pid, struct threads *threads)
{
	char path[40];
	DIR *dir __cleanup(closedir) = NULL;
	struct dirent *entry;
	int64_t thread;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%lld/task", (long long)pid);
	dir = opendir(path);
	if (!dir)
		return dkt_fail(ctx, -ESRCH, "there is no process %lld", (long long)pid);
	while (!err && (entry = readdir(dir)))
		if (!dkt__parse_int(entry->d_name, 1, INT32_MAX, &thread))
			err = dkt__append(threads->list, threads->n, (pid_t)thread);
	return err;
}

/* Reads a number that is followed by the separator or the end, and moves *p past both. */
static int take_pid(const char **p, char separator, int64_t *pid)
{
	int err = dkt__take_s64(p, NULL, DKT__DEC, pid);

	if (err || *pid <= 0 || *pid > INT32_MAX)
		return -EINVAL;
	if (!**p)
		return 0;
	return *(*p)++ == separator && **p ? 0 : -EINVAL;
}

int dkl_threads_check_list(struct dkt_ctx *ctx, const char *text)
{
	const char *p = text;
	int64_t pid;

	do {
		if (take_pid(&p, ',', &pid))
			return dkt_fail(ctx, -EINVAL,
					"'%.60s' is not a list of processes such as 1234,1235",
					text);
	} while (*p);
	return 0;
}

int dkl_threads_of_processes(struct dkt_ctx *ctx, const char *text, struct threads *threads)
{
	int64_t pid;
	int err = dkl_threads_check_list(ctx, text);

	while (!err && *text) {
		err = take_pid(&text, ',', &pid);
		if (!err)
			err = add_process(ctx, pid, threads);
	}
	return err;
}

/* True if the thread still exists and has one of the names. */
static bool is_named(pid_t thread, const struct dkt__strings *names)
{
	char *name __cleanup(free) = NULL;
	char path[40];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)thread);
	if (dkt__read_file(path, SIZE_MAX, &name, &len))
		return false;
	name[strcspn(name, "\n")] = '\0';
	return dkl_programs_have(names, name);
}

/* Adds the threads of all processes; those that exit meanwhile do not count. */
static int add_all(struct dkt_ctx *ctx, struct threads *threads)
{
	DIR *dir __cleanup(closedir) = opendir("/proc");
	struct dirent *entry;
	int64_t pid;
	int err = dir ? 0 : dkt_fail(ctx, -errno, "read /proc: %s", strerror(errno));

	while (!err && (entry = readdir(dir))) {
		if (dkt__parse_int(entry->d_name, 1, INT32_MAX, &pid))
			continue;
		err = add_process(ctx, pid, threads);
		err = err == -ESRCH ? 0 : err;
	}
	return err;
}

int dkl_threads_of_programs(struct dkt_ctx *ctx, const char *text, struct threads *threads)
{
	struct dkt__strings names = { 0 };
	struct threads all = { 0 };
	const size_t before = threads->n;
	int err = dkl_programs_read(ctx, text, &names);

	if (!err)
		err = add_all(ctx, &all);
	for (size_t i = 0; !err && i < all.n; i++)
		if (is_named(all.list[i], &names))
			err = dkt__append(threads->list, threads->n, all.list[i]);
	if (!err && threads->n == before)
		err = dkt_fail(ctx, -ESRCH, "there is no thread with the name '%.60s'", text);
	dkl_threads_clear(&all);
	dkt__strings_clear(&names);
	return dkt__with_words(ctx, err);
}

int dkl_threads_parse(const char *text, struct threads *threads)
{
	int64_t thread;
	int err;

	do {
		err = take_pid(&text, ' ', &thread);
		if (!err)
			err = dkt__append(threads->list, threads->n, (pid_t)thread);
	} while (!err && *text);
	return err;
}

void dkl_threads_print(FILE *out, const struct threads *threads)
{
	for (size_t i = 0; i < threads->n; i++)
		fprintf(out, "%s%d", i ? " " : "", (int)threads->list[i]);
}

char *dkl_threads_text(const struct threads *threads, bool children)
{
	char *text = NULL;
	size_t len;
	FILE *out = threads->n ? open_memstream(&text, &len) : NULL;

	if (!out)
		return NULL;
	dkl_threads_print(out, threads);
	fputs(children ? " and what they start" : "", out);
	return dkt__text_end(out, 0, &text) ? NULL : text;
}

int dkl_threads_copy(struct threads *to, const struct threads *from)
{
	int err = 0;

	*to = (struct threads){ 0 };
	for (size_t i = 0; !err && i < from->n; i++)
		err = dkt__append(to->list, to->n, from->list[i]);
	return err;
}

bool dkl_threads_same(const struct threads *a, const struct threads *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->list, b->list, a->n * sizeof(*a->list)));
}

void dkl_threads_clear(struct threads *threads)
{
	free(threads->list);
	*threads = (struct threads){ 0 };
}

int dkl_thread_process(int thread)
{
	char *text __cleanup(free) = NULL;
	char path[40];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/status", thread);
	return dkt__read_file(path, SIZE_MAX, &text, &len) ? 0 : (int)dkt__line_u64(text, "Tgid:");
}

int dkl_threads_processes(const struct threads *threads, char **processes)
{
	size_t len;
	FILE *out = open_memstream(processes, &len);
	const char *before = "";

	for (size_t i = 0; out && i < threads->n; i++) {
		const int thread = threads->list[i];

		/* A process is named by its main thread, which has the same ID. */
		if (dkl_thread_process(thread) != thread)
			continue;
		fprintf(out, "%s%d", before, thread);
		before = ",";
	}
	return dkt__text_end_some(out, 0, processes);
}

void dkl_threads_print_processes(FILE *out, const char *processes, bool children)
{
	char boot[DKT__BOOT_SIZE];

	dkt__boot_id(boot);
	fprintf(out, "%s%s", processes, children ? " --children" : "");
	dkl_option_word_print(out, "--boot", *boot ? boot : NULL);
}

int dkl_threads_check_boot(struct dkt_ctx *ctx, const char *boot)
{
	char now[DKT__BOOT_SIZE];

	dkt__boot_id(now);
	if (!boot || !strcmp(boot, now))
		return 0;
	return dkt_fail(ctx, -ESRCH, "its processes belong to another boot");
}

#define SPACES " \t"

static const struct option_word *find(const struct option_word *known, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static int unknown(struct dkt_ctx *ctx, const struct option_word *known, size_t n, const char *word)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, word, strlen(word));
	for (size_t i = 0; i < n; i++)
		dkt__guess_try(&guess, known[i].name);
	return dkt_fail(ctx, -EINVAL, "unknown option '%.60s'%s", word, dkt__guess_words(&guess));
}

int dkl_option_words(struct dkt_ctx *ctx, char *line, const struct option_word *known,
		     size_t n_known, char ***rest, size_t *n)
{
	char *word, *save = NULL;

	*n = 0;
	*rest = calloc(strlen(line) / 2 + 2, sizeof(**rest));
	if (!*rest)
		return -ENOMEM;
	for (word = strtok_r(line, SPACES, &save); word; word = strtok_r(NULL, SPACES, &save)) {
		const struct option_word *option;

		if (strncmp(word, "--", 2)) {
			(*rest)[(*n)++] = word;
			continue;
		}
		option = find(known, n_known, word);
		if (!option)
			return unknown(ctx, known, n_known, word);
		if (option->flag) {
			*option->flag = true;
			continue;
		}
		*option->value = strtok_r(NULL, SPACES, &save);
		if (!*option->value)
			return dkt_fail(ctx, -EINVAL, "%s needs a value", word);
	}
	return 0;
}

void dkl_option_word_print(FILE *out, const char *name, const char *value)
{
	if (value)
		fprintf(out, " %s %s", name, value);
}
