/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A system call as text. */
#include "answers/strace/text.h"

#include <fcntl.h>
#include <linux/futex.h>

#include "lib/base/buf.h"
#include "lib/base/util.h"

/* ---- arguments ---- */

static enum call_arg kind_of(const struct call *call, unsigned int i)
{
	return call->kind->signature ? call->kind->signature->args[i] : ARG_HEX;
}

static void put_string(const char *string, struct dkt_buf *buf)
{
	dkt_buf_str(buf, "\"");
	while (*string) {
		size_t plain = strcspn(string, "\"\\");

		dkt_buf_text(buf, string, plain);
		string += plain;
		if (*string) {
			dkt_buf_str(buf, "\\");
			dkt__buf_add(buf, string++, 1);
		}
	}
	dkt_buf_str(buf, "\"");
}

static void put_hex(uint64_t value, struct dkt_buf *buf)
{
	dkt_buf_str(buf, "0x");
	dkt__buf_hex(buf, value, 0, ' ');
}

static void put_pointer(uint64_t value, struct dkt_buf *buf)
{
	if (value)
		put_hex(value, buf);
	else
		dkt_buf_str(buf, "NULL");
}

static void put_fd(const struct call_text *text, const struct call *call, int fd,
		   struct dkt_buf *buf)
{
	const char *name = text->descriptors ? descriptors_name(text->descriptors, call->tid, fd) :
					       NULL;

	dkt_buf_printf(buf, "%d", fd);
	if (!name)
		return;
	dkt_buf_str(buf, "<");
	dkt_buf_text(buf, name, strlen(name));
	dkt_buf_str(buf, ">");
}

static void put_fcntl(const struct call_text *text, const struct call *call, uint64_t value,
		      struct dkt_buf *buf)
{
	switch ((uint32_t)call->args[1]) {
	case F_SETFL:
		if (!call_words(ARG_OPEN, value, text->machine, buf))
			put_hex(value, buf);
		break;
	case F_SETFD:
		dkt_buf_str(buf, value == FD_CLOEXEC ? "FD_CLOEXEC" : value ? "?" : "0");
		break;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETOWN:
	case F_SETPIPE_SZ:
		dkt_buf_printf(buf, "%d", (int)value);
		break;
	default:
		put_pointer(value, buf);
	}
}

static void put_words(const struct call_text *text, enum call_arg kind, uint64_t value,
		      struct dkt_buf *buf)
{
	if (call_words(kind, value, text->machine, buf))
		return;
	if ((int32_t)value >= -1 && (int32_t)value < 10)
		dkt_buf_printf(buf, "%d", (int32_t)value);
	else
		put_hex((uint32_t)value, buf);
}

static void put_arg(const struct call_text *text, const struct call *call, unsigned int i,
		    struct dkt_buf *buf)
{
	enum call_arg kind = kind_of(call, i);
	uint64_t value = call->args[i];

	switch (kind) {
	case ARG_INT:
	case ARG_PID:
	case ARG_UID:
		dkt_buf_printf(buf, "%d", (int32_t)value);
		break;
	case ARG_UINT:
		dkt__buf_u64(buf, (uint32_t)value, 0, ' ');
		break;
	case ARG_LONG:
	case ARG_OFFSET:
		dkt_buf_printf(buf, "%lld", (long long)value);
		break;
	case ARG_SIZE:
		dkt__buf_u64(buf, value, 0, ' ');
		break;
	case ARG_DIRFD:
		if ((int32_t)value == AT_FDCWD) {
			dkt_buf_str(buf, "AT_FDCWD");
			break;
		}
		/* fallthrough */
	case ARG_FD:
		put_fd(text, call, (int32_t)value, buf);
		break;
	case ARG_PATH:
	case ARG_STRING:
		if (call->texts[i])
			put_string(call->texts[i], buf);
		else
			put_pointer(value, buf);
		break;
	case ARG_MODE:
		dkt_buf_printf(buf, "%#o", (uint32_t)value & 0177777);
		break;
	case ARG_IOCTL:
		call_ioctl((uint32_t)value, buf);
		break;
	case ARG_FCNTL_ARG:
		put_fcntl(text, call, value, buf);
		break;
	case ARG_POINTER:
	case ARG_BUFFER:
		put_pointer(value, buf);
		break;
	case ARG_HEX:
		if (value < 10)
			dkt__buf_u64(buf, value, 0, ' ');
		else
			put_hex(value, buf);
		break;
	default:
		put_words(text, kind, value, buf);
	}
}

/* ---- how many arguments ---- */

static unsigned int futex_args(uint64_t op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
		return 3;
	case FUTEX_WAIT:
		return 4;
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI:
		return 2;
	case FUTEX_LOCK_PI:
		return 4;
	default:
		return CALL_ARGS;
	}
}

static unsigned int fcntl_args(uint64_t cmd)
{
	switch ((uint32_t)cmd) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		return 2;
	default:
		return 3;
	}
}

/* Arguments that the call does not use have no meaning. */
static unsigned int count_args(const struct call *call)
{
	const struct call_signature *signature = call->kind->signature;
	unsigned int n = call->n_args;

	while (signature && n && signature->args[n - 1] == ARG_NONE)
		n--;
	if (!n)
		return 0;
	if (!signature || !strcmp(signature->name, "prctl"))
		while (n > 1 && !call->args[n - 1])
			n--;
	if (!signature)
		return n;
	if (!strncmp(signature->name, "futex", 6) && n > 1)
		return DKT__MIN(n, futex_args(call->args[1]));
	if (!strncmp(signature->name, "fcntl", 5) && n > 1)
		return DKT__MIN(n, fcntl_args(call->args[1]));
	/* The mode is for a new file only. */
	for (unsigned int i = 0; i + 1 < n; i++)
		if (signature->args[i] == ARG_OPEN && signature->args[i + 1] == ARG_MODE &&
		    !(call->args[i] & (O_CREAT | 020000000)))
			return i + 1;
	return n;
}

enum call_text_arg call_text_arg(const struct call_text *text, const struct call *call,
				 unsigned int i, struct dkt_buf *buf)
{
	if (i >= count_args(call))
		return CALL_TEXT_NO_MORE;
	if (kind_of(call, i) == ARG_BUFFER)
		return CALL_TEXT_OMITTED;
	put_arg(text, call, i, buf);
	return CALL_TEXT_SHOWN;
}

/* ---- the call ---- */

void call_text_name(const struct call *call, struct dkt_buf *buf)
{
	if (call->kind->name)
		dkt_buf_str(buf, call->kind->name);
	else
		dkt_buf_printf(buf, "syscall_0x%x", (unsigned int)call->number);
}

static void put_failure(const struct call_text *text, const struct call *call, struct dkt_buf *buf)
{
	const char *words, *name;
	bool restarts;

	name = call_error((int)-call->ret, text->machine, &words, &restarts);
	if (!name)
		dkt_buf_printf(buf, "-1 (errno %d)", (int)-call->ret);
	else
		dkt_buf_printf(buf, "%s %s (%s)", restarts ? "?" : "-1", name, words);
}

/* Appends the result: "3</etc/passwd>", "-1 ENOENT (No such file or directory)", "?". */
static void put_result(const struct call_text *text, const struct call *call, struct dkt_buf *buf)
{
	enum call_return returns = call->kind->signature ? call->kind->signature->returns :
							   RETURN_NUMBER;

	if (!call->end) {
		dkt_buf_str(buf, "?");
		return;
	}
	if (call_failed(call)) {
		put_failure(text, call, buf);
		return;
	}
	switch (returns) {
	case RETURN_FD:
		put_fd(text, call, (int)call->ret, buf);
		break;
	case RETURN_POINTER:
		put_hex((uint64_t)call->ret, buf);
		break;
	case RETURN_MODE:
		dkt_buf_printf(buf, "%#o", (unsigned int)call->ret);
		break;
	default:
		dkt_buf_printf(buf, "%lld", (long long)call->ret);
	}
}

static void put_args(const struct call_text *text, const struct call *call, struct dkt_buf *buf)
{
	enum call_text_arg shown = CALL_TEXT_OMITTED;
	bool any = false;

	dkt_buf_str(buf, "(");
	for (unsigned int i = 0; i < CALL_ARGS && shown != CALL_TEXT_NO_MORE; i++) {
		size_t before, after;

		dkt_buf_data(buf, &before);
		if (any && i < count_args(call) && kind_of(call, i) != ARG_BUFFER)
			dkt_buf_str(buf, ", ");
		shown = call_text_arg(text, call, i, buf);
		dkt_buf_data(buf, &after);
		any = any || after > before;
	}
}

void call_text(const struct call_text *text, const struct call *call, struct dkt_buf *buf)
{
	if (call->state == CALL_NO_BEGIN) {
		dkt_buf_str(buf, "<... ");
		call_text_name(call, buf);
		dkt_buf_str(buf, call->lost ? " resumed, its begin is lost> = " : " resumed> = ");
		put_result(text, call, buf);
		return;
	}
	call_text_name(call, buf);
	put_args(text, call, buf);
	if (call->state == CALL_UNFINISHED) {
		dkt_buf_str(buf,
			    call->lost ? " <unfinished, or its end is lost>" : " <unfinished ...>");
		return;
	}
	dkt_buf_str(buf, ") = ");
	put_result(text, call, buf);
	if (call->state == CALL_LOST)
		dkt_buf_str(buf, " <records between begin and end are lost>");
	else if (call->state == CALL_NO_END && call->lost)
		dkt_buf_str(buf, " <its end is lost>");
}
