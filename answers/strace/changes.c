/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How system calls change the descriptors of a process. */
#include <fcntl.h>

#include "answers/strace/process.h"
#include "answers/strace/words.h"
#include "lib/base/buf.h"

/* A new descriptor: the result. */
static int opened(struct process *process, const struct call *call, char *name, bool closes)
{
	return process_set(process, (uint64_t)call->ret, name, closes);
}

static int open_path(struct process *process, const struct call *call, unsigned int path,
		     uint64_t flags)
{
	const char *text = path < call->n_args ? call->texts[path] : NULL, *dir = NULL;
	char *name = NULL;

	if (text && *text != '/' && path)
		dir = process_get(process, (uint32_t)call->args[0]);
	/* A path relative to a directory that is not known says little, but is not wrong. */
	if (text)
		name = dir ? dkt__format("%s/%s", dir, text) : strdup(text);
	if (text && !name)
		return -ENOMEM;
	return opened(process, call, name, flags & O_CLOEXEC);
}

static int do_open(struct process *process, const struct call *call)
{
	return open_path(process, call, 0, call->args[1]);
}

static int do_creat(struct process *process, const struct call *call)
{
	return open_path(process, call, 0, 0);
}

static int do_openat(struct process *process, const struct call *call)
{
	return open_path(process, call, 1, call->args[2]);
}

/* The flags are in a struct that the trace does not have. */
static int do_openat2(struct process *process, const struct call *call)
{
	return open_path(process, call, 1, O_CLOEXEC);
}

static int do_socket(struct process *process, const struct call *call)
{
	struct dkt_buf *buf;
	const char *text;
	char *name;
	size_t len;
	int err = dkt_buf_new(&buf);

	if (err)
		return err;
	dkt_buf_str(buf, "socket:");
	call_words(ARG_FAMILY, call->args[0], MACHINE_GENERIC, buf);
	dkt_buf_str(buf, ",");
	call_words(ARG_SOCKTYPE, call->args[1] & 0xf, MACHINE_GENERIC, buf);
	text = dkt_buf_data(buf, &len);
	name = strndup(text, len);
	dkt_buf_free(buf);
	return name ? opened(process, call, name, call->args[1] & O_CLOEXEC) : -ENOMEM;
}

/* The new socket has the kind of the one that listens, and another address: "TCP". */
static int accepted(struct process *process, const struct call *call, bool closes)
{
	const char *name = process_get(process, (uint32_t)call->args[0]);
	const char *address = name ? strstr(name, ":[") : NULL;
	char *kind = address ? strndup(name, (size_t)(address - name)) : name ? strdup(name) : NULL;

	return name && !kind ? -ENOMEM : opened(process, call, kind, closes);
}

static int do_accept(struct process *process, const struct call *call)
{
	return accepted(process, call, false);
}

static int do_accept4(struct process *process, const struct call *call)
{
	return accepted(process, call, call->args[3] & O_CLOEXEC);
}

static int do_dup(struct process *process, const struct call *call)
{
	return process_set_copy(process, (uint64_t)call->ret,
				process_get(process, (uint32_t)call->args[0]), false);
}

static int do_dup3(struct process *process, const struct call *call)
{
	return process_set_copy(process, (uint64_t)call->ret,
				process_get(process, (uint32_t)call->args[0]),
				call->args[2] & O_CLOEXEC);
}

static int do_close(struct process *process, const struct call *call)
{
	return process_set(process, (uint32_t)call->args[0], NULL, false);
}

/* CLOSE_RANGE_CLOEXEC, which headers of kernels before 5.11 lack. */
#define CLOSE_RANGE_CLOSES 4

static int do_close_range(struct process *process, const struct call *call)
{
	uint64_t last = DKT__MIN((uint64_t)(uint32_t)call->args[1] + 1, process->n);

	for (uint64_t fd = (uint32_t)call->args[0]; fd < last; fd++) {
		if (call->args[2] & CLOSE_RANGE_CLOSES)
			process->list[fd].closes = true;
		else
			process_set(process, fd, NULL, false);
	}
	return 0;
}

static int do_fcntl(struct process *process, const struct call *call)
{
	uint32_t fd = (uint32_t)call->args[0], cmd = (uint32_t)call->args[1];

	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
		return process_set_copy(process, (uint64_t)call->ret, process_get(process, fd),
					cmd == F_DUPFD_CLOEXEC);
	if (cmd == F_SETFD && fd < process->n)
		process->list[fd].closes = call->args[2] & FD_CLOEXEC;
	return 0;
}

static int do_exec(struct process *process, const struct call *call)
{
	(void)call;
	for (size_t i = 0; i < process->n; i++)
		if (process->list[i].closes)
			process_set(process, i, NULL, false);
	return 0;
}

/* As /proc shows them. */
static int do_eventfd(struct process *process, const struct call *call)
{
	return opened(process, call, strdup("anon_inode:[eventfd]"), false);
}

static int do_epoll(struct process *process, const struct call *call)
{
	return opened(process, call, strdup("anon_inode:[eventpoll]"), false);
}

static int do_timerfd(struct process *process, const struct call *call)
{
	return opened(process, call, strdup("anon_inode:[timerfd]"), false);
}

static int do_signalfd(struct process *process, const struct call *call)
{
	return opened(process, call, strdup("anon_inode:[signalfd]"), false);
}

static int do_inotify(struct process *process, const struct call *call)
{
	return opened(process, call, strdup("anon_inode:inotify"), false);
}

static const struct descriptor_change changes[] = {
	{ "accept", do_accept, ADDRESS_OF_RESULT },
	{ "accept4", do_accept4, ADDRESS_OF_RESULT },
	{ "bind", NULL, ADDRESS_OF_ARGUMENT },
	{ "close", do_close, ADDRESS_SAME },
	{ "close_range", do_close_range, ADDRESS_SAME },
	{ "connect", NULL, ADDRESS_OF_ARGUMENT },
	{ "creat", do_creat, ADDRESS_SAME },
	{ "dup", do_dup, ADDRESS_SAME },
	{ "dup2", do_dup, ADDRESS_SAME },
	{ "dup3", do_dup3, ADDRESS_SAME },
	{ "epoll_create", do_epoll, ADDRESS_SAME },
	{ "epoll_create1", do_epoll, ADDRESS_SAME },
	{ "eventfd", do_eventfd, ADDRESS_SAME },
	{ "eventfd2", do_eventfd, ADDRESS_SAME },
	{ "execve", do_exec, ADDRESS_SAME },
	{ "execveat", do_exec, ADDRESS_SAME },
	{ "fcntl", do_fcntl, ADDRESS_SAME },
	{ "fcntl64", do_fcntl, ADDRESS_SAME },
	{ "inotify_init", do_inotify, ADDRESS_SAME },
	{ "inotify_init1", do_inotify, ADDRESS_SAME },
	{ "listen", NULL, ADDRESS_OF_ARGUMENT },
	{ "open", do_open, ADDRESS_SAME },
	{ "openat", do_openat, ADDRESS_SAME },
	{ "openat2", do_openat2, ADDRESS_SAME },
	{ "signalfd", do_signalfd, ADDRESS_SAME },
	{ "signalfd4", do_signalfd, ADDRESS_SAME },
	{ "socket", do_socket, ADDRESS_SAME },
	{ "timerfd_create", do_timerfd, ADDRESS_SAME },
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct descriptor_change *)row)->call);
}

const struct descriptor_change *descriptor_change(const char *name)
{
	return bsearch(name, changes, ARRAY_SIZE(changes), sizeof(*changes), compare);
}
