/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls that the user wants: by name, duration, result and CPU. */
#include "ctl/app/groups.h"
#include "ctl/strace/strace.h"
#include "lib/base/buf.h"
#include "lib/base/glob.h"
#include "lib/base/parse.h"

#define CPU_MAX 65535

/* ---- options ---- */

static int read_cpus(struct strace_choice *choice, const char *text)
{
	int *list __cleanup(free) = NULL;
	size_t n;

	if (dkt__parse_list(text, CPU_MAX, &list, &n))
		return app_usage("--cpu: '%s' is not a list of CPUs; write 0-3,5", text);
	choice->n_cpus = CPU_MAX + 1;
	choice->cpus = calloc((size_t)choice->n_cpus, sizeof(*choice->cpus));
	if (!choice->cpus)
		return app_usage("out of memory");
	for (size_t i = 0; i < n; i++)
		choice->cpus[list[i]] = true;
	return 0;
}

int strace_choice_read(struct strace_choice *choice, const struct app *app)
{
	int rc = OPT(app, strace)->took ?
			 opt_durations(OPT(app, strace)->took, &choice->least, &choice->most) :
			 0;

	choice->by_duration = OPT(app, strace)->took;
	choice->errors = OPT(app, strace)->errors;
	choice->by_filter = OPT(app, select)->filter;
	return rc || !OPT(app, select)->cpu ? rc : read_cpus(choice, OPT(app, select)->cpu);
}

/* ---- names ---- */

static int no_call(struct dkt_ctx *ctx, const char *word)
{
	static const char *const sets[] = { "file", "process", "network", "net",    "signal",
					    "ipc",  "desc",    "memory",  "creds",  "clock",
					    "stat", "lstat",   "fstat",   "statfs", "pure" };
	struct dkt__guess guess;
	const char *name;
	const char *reason;
	size_t at;

	dkt__guess_start(&guess, word, strlen(word));
	for (int i = 0; i < STRACE_CALLS; i++)
		if ((name = dkt_syscall_name(ctx, i)))
			dkt__guess_try(&guess, name);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		if (!strcmp(word + (*word == '%'), sets[i]))
			return dkt_fail(
				ctx, -EINVAL,
				"--calls: '%s' is a set of strace(1): name its calls, such as"
				" open*,*stat*,read*",
				word);
	reason = dkt__glob_check(word, &at);
	if (reason)
		return dkt_fail(ctx, -EINVAL, "--calls: '%s': %s", word, reason);
	return dkt_fail(ctx, -ENOENT, "--calls: this machine has no system call '%s'%s", word,
			dkt__guess_words(&guess));
}

static int take_word(struct strace_choice *choice, struct dkt_ctx *ctx, const char *word, bool want)
{
	bool found = false;
	const char *name;

	for (int i = 0; i < STRACE_CALLS; i++) {
		name = dkt_syscall_name(ctx, i);
		if (!name || !dkt__glob(word, name))
			continue;
		choice->by_number[i] = want;
		found = true;
	}
	return found ? 0 : no_call(ctx, word);
}

int strace_choice_calls(struct strace_choice *choice, struct dkt_ctx *ctx, const char *words)
{
	/* The words of strace(1) begin so. */
	const char *list = strncmp(words, "trace=", 6) ? words : words + 6;
	bool all_but = *list == '!';
	char *copy __cleanup(free) = strdup(list + all_but), *save = NULL;
	int err = copy ? 0 : -ENOMEM;

	choice->any = true;
	choice->others = all_but;
	memset(choice->by_number, all_but, sizeof(choice->by_number));
	if (!err && !copy[strspn(copy, ", ")])
		return dkt_fail(ctx, -EINVAL, "--calls: '%s' names no system call", words);
	for (char *word = err ? NULL : strtok_r(copy, ", ", &save); !err && word;
	     word = strtok_r(NULL, ", ", &save))
		err = take_word(choice, ctx, word + (*word == '!'), !all_but && *word != '!');
	return err;
}

/* ---- calls ---- */

static bool has_number(const struct strace_choice *choice, const struct call *call)
{
	if (!choice->any)
		return true;
	if (call->number < 0 || call->number >= STRACE_CALLS || !call->kind->name)
		return choice->others;
	return choice->by_number[call->number];
}

static bool has_duration(const struct strace_choice *choice, const struct call *call, uint64_t now)
{
	uint64_t ns;

	if (!choice->by_duration)
		return true;
	if (call->state == CALL_ENDED)
		ns = call->end - call->begin;
	else if (call->state == CALL_UNFINISHED && choice->most == UINT64_MAX)
		ns = now - call->begin;
	else
		return false;
	return ns >= choice->least && ns <= choice->most;
}

bool strace_choice_has(const struct strace_choice *choice, const struct call *call, uint64_t now)
{
	return (!choice->by_filter || (call->selected && !call->refused)) &&
	       has_number(choice, call) && (!choice->errors || call_failed(call)) &&
	       has_duration(choice, call, now) &&
	       (!choice->cpus || (call->cpu < (uint32_t)choice->n_cpus && choice->cpus[call->cpu]));
}

bool strace_choice_exits(const struct strace_choice *choice)
{
	return !choice->by_filter && !choice->errors && !choice->by_duration && !choice->cpus;
}

/*
 * Without execve, nothing would tell where the command begins, and without exit and exit_group how threads
 * end.
 */
static bool needs(const struct strace_choice *choice, struct dkt_ctx *ctx, int number, bool names)
{
	const char *name;

	if (choice->by_number[number])
		return true;
	name = dkt_syscall_name(ctx, number);
	return name &&
	       (!strncmp(name, "execve", strlen("execve")) ||
		!strncmp(name, "exit", strlen("exit")) || (names && descriptors_needs(name)));
}

char *strace_choice_filter(const struct strace_choice *choice, struct dkt_ctx *ctx, bool names)
{
	char *text = NULL;
	const char *before = "";
	size_t len;
	FILE *f;

	if (!choice->any)
		return NULL;
	f = open_memstream(&text, &len);
	if (!f)
		return NULL;
	for (int i = 0; i < STRACE_CALLS; i++) {
		bool wanted = needs(choice, ctx, i, names);

		if (wanted == choice->others || (!wanted && !dkt_syscall_name(ctx, i)))
			continue;
		fprintf(f, choice->others ? "%sid != %d" : "%sid == %d", before, i);
		before = choice->others ? " && " : " || ";
		/* The return from a signal handler has the number -1. */
		if (wanted && !strcmp(dkt_syscall_name(ctx, i), "rt_sigreturn"))
			fprintf(f, " || id == -1");
	}
	return fclose(f) || !*text ? (free(text), NULL) : text;
}

void strace_choice_clear(struct strace_choice *choice)
{
	free(choice->cpus);
}
