/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of numbers: those in an event's print format, and those known on every Linux. */
#include <fcntl.h>
#include <signal.h>

#include "base/parse.h"
#include "event.h"
#include "expr.h"
#include "plan.h"
#include "syscall.h"

/* A print format nests as deep as its C expression; a hostile one deeper. */
#define MAX_DEPTH 100

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
	/* libtraceevent may have parsed what this parser cannot. */
	return walk(plan->args ? plan->args : event->tep->print_fmt.args, &lookup, 0);
}

/* ---- names that every Linux knows ---- */

struct named {
	const char *name;
	int value;
};

#define NAMED(name)            { #name, name },
#define KERNEL_NAMED(name, nr) { #name, nr },

/* clang-format off */
static const struct named errnos[] = {
	NAMED(EPERM) NAMED(ENOENT) NAMED(ESRCH) NAMED(EINTR) NAMED(EIO) NAMED(ENXIO) NAMED(E2BIG)
	NAMED(ENOEXEC) NAMED(EBADF) NAMED(ECHILD) NAMED(EAGAIN) NAMED(EWOULDBLOCK) NAMED(ENOMEM)
	NAMED(EACCES) NAMED(EFAULT) NAMED(ENOTBLK) NAMED(EBUSY) NAMED(EEXIST) NAMED(EXDEV)
	NAMED(ENODEV) NAMED(ENOTDIR) NAMED(EISDIR) NAMED(EINVAL) NAMED(ENFILE) NAMED(EMFILE)
	NAMED(ENOTTY) NAMED(ETXTBSY) NAMED(EFBIG) NAMED(ENOSPC) NAMED(ESPIPE) NAMED(EROFS)
	NAMED(EMLINK) NAMED(EPIPE) NAMED(EDOM) NAMED(ERANGE) NAMED(EDEADLK) NAMED(EDEADLOCK)
	NAMED(ENAMETOOLONG) NAMED(ENOLCK) NAMED(ENOSYS) NAMED(ENOTEMPTY) NAMED(ELOOP) NAMED(ENOMSG)
	NAMED(EIDRM) NAMED(ECHRNG) NAMED(EL2NSYNC) NAMED(EL3HLT) NAMED(EL3RST) NAMED(ELNRNG)
	NAMED(EUNATCH) NAMED(ENOCSI) NAMED(EL2HLT) NAMED(EBADE) NAMED(EBADR) NAMED(EXFULL)
	NAMED(ENOANO) NAMED(EBADRQC) NAMED(EBADSLT) NAMED(EBFONT) NAMED(ENOSTR) NAMED(ENODATA)
	NAMED(ETIME) NAMED(ENOSR) NAMED(ENONET) NAMED(ENOPKG) NAMED(EREMOTE) NAMED(ENOLINK)
	NAMED(EADV) NAMED(ESRMNT) NAMED(ECOMM) NAMED(EPROTO) NAMED(EMULTIHOP) NAMED(EDOTDOT)
	NAMED(EBADMSG) NAMED(EOVERFLOW) NAMED(ENOTUNIQ) NAMED(EBADFD) NAMED(EREMCHG) NAMED(ELIBACC)
	NAMED(ELIBBAD) NAMED(ELIBSCN) NAMED(ELIBMAX) NAMED(ELIBEXEC) NAMED(EILSEQ) NAMED(ERESTART)
	NAMED(ESTRPIPE) NAMED(EUSERS) NAMED(ENOTSOCK) NAMED(EDESTADDRREQ) NAMED(EMSGSIZE)
	NAMED(EPROTOTYPE) NAMED(ENOPROTOOPT) NAMED(EPROTONOSUPPORT) NAMED(ESOCKTNOSUPPORT)
	NAMED(EOPNOTSUPP) NAMED(EPFNOSUPPORT) NAMED(EAFNOSUPPORT) NAMED(EADDRINUSE)
	NAMED(EADDRNOTAVAIL) NAMED(ENETDOWN) NAMED(ENETUNREACH) NAMED(ENETRESET) NAMED(ECONNABORTED)
	NAMED(ECONNRESET) NAMED(ENOBUFS) NAMED(EISCONN) NAMED(ENOTCONN) NAMED(ESHUTDOWN)
	NAMED(ETOOMANYREFS) NAMED(ETIMEDOUT) NAMED(ECONNREFUSED) NAMED(EHOSTDOWN)
	NAMED(EHOSTUNREACH) NAMED(EALREADY) NAMED(EINPROGRESS) NAMED(ESTALE) NAMED(EUCLEAN)
	NAMED(ENOTNAM) NAMED(ENAVAIL) NAMED(EISNAM) NAMED(EREMOTEIO) NAMED(EDQUOT) NAMED(ENOMEDIUM)
	NAMED(EMEDIUMTYPE) NAMED(ECANCELED) NAMED(ENOKEY) NAMED(EKEYEXPIRED) NAMED(EKEYREVOKED)
	NAMED(EKEYREJECTED) NAMED(EOWNERDEAD) NAMED(ENOTRECOVERABLE) NAMED(ERFKILL)
	NAMED(EHWPOISON)
	/* Only in the kernel (include/linux/errno.h): the call does not return to user space. */
	KERNEL_NAMED(ERESTARTSYS, 512) KERNEL_NAMED(ERESTARTNOINTR, 513)
	KERNEL_NAMED(ERESTARTNOHAND, 514) KERNEL_NAMED(ENOIOCTLCMD, 515)
	KERNEL_NAMED(ERESTART_RESTARTBLOCK, 516) KERNEL_NAMED(EPROBE_DEFER, 517)
	KERNEL_NAMED(EOPENSTALE, 518) KERNEL_NAMED(ENOPARAM, 519) KERNEL_NAMED(EBADHANDLE, 521)
	KERNEL_NAMED(ENOTSYNC, 522) KERNEL_NAMED(EBADCOOKIE, 523) KERNEL_NAMED(ENOTSUPP, 524)
	KERNEL_NAMED(ETOOSMALL, 525) KERNEL_NAMED(ESERVERFAULT, 526) KERNEL_NAMED(EBADTYPE, 527)
	KERNEL_NAMED(EJUKEBOX, 528) KERNEL_NAMED(EIOCBQUEUED, 529)
	KERNEL_NAMED(ERECALLCONFLICT, 530)
};

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

static bool find_named(const struct named *named, size_t n, const struct lookup *lookup)
{
	for (size_t i = 0; i < n; i++) {
		dkt__guess_try(lookup->guess, named[i].name);
		if (strcmp(named[i].name, lookup->name) != 0)
			continue;
		*lookup->value = (uint64_t)named[i].value;
		return true;
	}
	return false;
}

static bool find_syscall(struct dkt_ctx *ctx, const struct lookup *lookup)
{
	const char *name;

	for (int i = 0; i < DKT__SYSCALLS; i++) {
		name = dkt_syscall_name(ctx, i);
		if (!name)
			continue;
		dkt__guess_try(lookup->guess, name);
		if (strcmp(name, lookup->name) != 0)
			continue;
		*lookup->value = (uint64_t)i;
		return true;
	}
	return false;
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
	return find_named(errnos, ARRAY_SIZE(errnos), &lookup);
}
