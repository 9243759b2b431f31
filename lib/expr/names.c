/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of numbers: those in an event's print format, and those known on every Linux. */
#include <fcntl.h>
#include <signal.h>

#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/expr.h"
#include "lib/plan.h"

/* Limits recursion: a hostile print format can nest deeper than any of the kernel's. */
#define MAX_DEPTH 100

/* As in the kernel (include/linux/err.h). */
#define MAX_ERRNO 4095

struct lookup {
	const char *field;
	const char *name;
	uint64_t *value;
	struct dkt__guess *guess;
};

/* ---- print formats ---- */

static bool names_field(const struct tep_print_arg *arg, const char *field, int depth)
{
	if (!arg || depth > MAX_DEPTH)
		return false;
	switch (arg->type) {
	case TEP_PRINT_FIELD:
		return arg->field.name && !strcmp(arg->field.name, field);
	case TEP_PRINT_TYPE:
		return names_field(arg->typecast.item, field, depth + 1);
	case TEP_PRINT_OP:
		return names_field(arg->op.left, field, depth + 1) ||
		       names_field(arg->op.right, field, depth + 1);
	default:
		return false;
	}
}

static bool find_symbol(const struct tep_print_flag_sym *symbol, const struct lookup *lookup)
{
	for (; symbol; symbol = symbol->next) {
		if (!symbol->str || !symbol->value)
			continue;
		dkt__guess_try(lookup->guess, symbol->str);
		if (strcmp(symbol->str, lookup->name) != 0)
			continue;
		if (!dkt__parse_u64(symbol->value, DKT__AS_C, lookup->value))
			return true;
	}
	return false;
}

static bool walk(const struct tep_print_arg *arg, const struct lookup *lookup, int depth)
{
	if (depth > MAX_DEPTH)
		return false;
	for (; arg; arg = arg->next) {
		bool found = false;

		switch (arg->type) {
		case TEP_PRINT_FLAGS:
			found = names_field(arg->flags.field, lookup->field, 0) &&
				find_symbol(arg->flags.flags, lookup);
			break;
		case TEP_PRINT_SYMBOL:
			found = names_field(arg->symbol.field, lookup->field, 0) &&
				find_symbol(arg->symbol.symbols, lookup);
			break;
		case TEP_PRINT_OP:
			found = walk(arg->op.left, lookup, depth + 1) ||
				walk(arg->op.right, lookup, depth + 1);
			break;
		case TEP_PRINT_TYPE:
			found = walk(arg->typecast.item, lookup, depth + 1);
			break;
		default:
			break;
		}
		if (found)
			return true;
	}
	return false;
}

bool dkt__expr_print_name(struct dkt_event *event, const char *field, const char *name,
			  uint64_t *value, struct dkt__guess *guess)
{
	struct lookup lookup = { .field = field, .name = name, .value = value, .guess = guess };
	const struct dkt__plan *plan = event->tep ? dkt__plan_get(event) : NULL;

	if (!plan)
		return false;
	/* libtraceevent's parser supports some print formats that dktrace's does not. */
	return walk(plan->args ? plan->args : event->tep->print_fmt.args, &lookup, 0);
}

/* ---- names that every Linux knows ---- */

struct named {
	const char *name;
	int value;
};

#define NAMED(name) { #name, name },

/* clang-format off */
/* Second names, which dkt__error_name() does not return. */
static const struct named errors[] = { NAMED(EWOULDBLOCK) NAMED(EDEADLOCK) };

static const struct named signals[] = {
	NAMED(SIGHUP) NAMED(SIGINT) NAMED(SIGQUIT) NAMED(SIGILL) NAMED(SIGTRAP) NAMED(SIGABRT)
	NAMED(SIGBUS) NAMED(SIGFPE) NAMED(SIGKILL) NAMED(SIGUSR1) NAMED(SIGSEGV) NAMED(SIGUSR2)
	NAMED(SIGPIPE) NAMED(SIGALRM) NAMED(SIGTERM) NAMED(SIGCHLD) NAMED(SIGCONT) NAMED(SIGSTOP)
	NAMED(SIGTSTP) NAMED(SIGTTIN) NAMED(SIGTTOU) NAMED(SIGURG) NAMED(SIGXCPU) NAMED(SIGXFSZ)
	NAMED(SIGVTALRM) NAMED(SIGPROF) NAMED(SIGWINCH) NAMED(SIGIO) NAMED(SIGPWR) NAMED(SIGSYS)
};

/* O_LARGEFILE is missing: the C library defines it as 0 on 64 bits, unlike the kernel. */
static const struct named opens[] = {
	NAMED(O_RDONLY) NAMED(O_WRONLY) NAMED(O_RDWR) NAMED(O_CREAT) NAMED(O_EXCL) NAMED(O_NOCTTY)
	NAMED(O_TRUNC) NAMED(O_APPEND) NAMED(O_NONBLOCK) NAMED(O_DSYNC) NAMED(O_ASYNC)
	NAMED(O_DIRECT) NAMED(O_DIRECTORY) NAMED(O_NOFOLLOW) NAMED(O_NOATIME) NAMED(O_CLOEXEC)
	NAMED(O_SYNC) NAMED(O_PATH) NAMED(O_TMPFILE)
};
/* clang-format on */

static bool try_name(const struct lookup *lookup, const char *name, int value)
{
	if (!name)
		return false;
	dkt__guess_try(lookup->guess, name);
	if (strcmp(name, lookup->name) != 0)
		return false;
	*lookup->value = (uint64_t)value;
	return true;
}

static bool find_named(const struct named *named, size_t n, const struct lookup *lookup)
{
	for (size_t i = 0; i < n; i++)
		if (try_name(lookup, named[i].name, named[i].value))
			return true;
	return false;
}

static bool find_syscall(struct dkt_ctx *ctx, const struct lookup *lookup)
{
	for (int i = 0; i < DKT__SYSCALLS; i++)
		if (try_name(lookup, dkt_syscall_name(ctx, i), i))
			return true;
	return false;
}

static bool find_error(const struct lookup *lookup)
{
	for (int err = 1; err <= MAX_ERRNO; err++)
		if (try_name(lookup, dkt__error_name(err), err))
			return true;
	return find_named(errors, ARRAY_SIZE(errors), lookup);
}

bool dkt__expr_built_in(const struct dkt_event *event, const char *field, const char *name,
			uint64_t *value, struct dkt__guess *guess)
{
	struct lookup lookup = { .field = field, .name = name, .value = value, .guess = guess };
	bool is_raw = !strcmp(event->system, "raw_syscalls");
	bool is_syscall = !strcmp(event->system, "syscalls");

	if ((is_raw && !strcmp(field, "id")) || !strcmp(field, "__syscall_nr"))
		return find_syscall(event->ctx, &lookup);
	if (is_syscall && strstr(event->name, "_open") && !strcmp(field, "flags") &&
	    find_named(opens, ARRAY_SIZE(opens), &lookup))
		return true;
	if (!strcmp(field, "sig") && find_named(signals, ARRAY_SIZE(signals), &lookup))
		return true;
	return find_error(&lookup);
}
