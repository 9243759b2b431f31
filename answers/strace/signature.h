/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of the arguments and of the result of each system call. */
#pragma once

#include <stddef.h>

#define CALL_ARGS 6

/* How an argument is shown. Those of the second list have words: words.h. */
enum call_arg {
	ARG_NONE, /* after the last argument */
	ARG_INT,
	ARG_UINT,
	ARG_LONG,
	ARG_SIZE,
	ARG_OFFSET,
	ARG_HEX,
	ARG_POINTER,
	ARG_BUFFER, /* an address that the text omits */
	ARG_FD,
	ARG_DIRFD, /* a descriptor or AT_FDCWD */
	ARG_PATH,
	ARG_STRING,
	ARG_MODE,
	ARG_PID,
	ARG_UID,
	ARG_IOCTL,
	ARG_FCNTL_ARG, /* depends on the command before it */

	ARG_WORDS,
	ARG_ACCESS = ARG_WORDS,
	ARG_ADVICE,
	ARG_ARCH_PRCTL,
	ARG_AT,
	ARG_BPF,
	ARG_CLOCK,
	ARG_CLONE,
	ARG_CLOSE_RANGE,
	ARG_EPOLL,
	ARG_EPOLL_FLAGS,
	ARG_EVENTFD,
	ARG_FADVISE,
	ARG_FALLOC,
	ARG_FAMILY,
	ARG_FCNTL,
	ARG_FLOCK,
	ARG_FUTEX,
	ARG_IDTYPE,
	ARG_INOTIFY,
	ARG_INOTIFY_FLAGS,
	ARG_ITIMER,
	ARG_MAP,
	ARG_MEMBARRIER,
	ARG_MEMFD,
	ARG_MLOCKALL,
	ARG_MOUNT,
	ARG_MREMAP,
	ARG_MSG,
	ARG_MSYNC,
	ARG_OPEN,
	ARG_PRCTL,
	ARG_PRIORITY,
	ARG_PROT,
	ARG_PTRACE,
	ARG_RANDOM,
	ARG_RENAME,
	ARG_RLIMIT,
	ARG_RUSAGE,
	ARG_RWF,
	ARG_SCHED,
	ARG_SECCOMP,
	ARG_SHUT,
	ARG_SIGHOW,
	ARG_SIGNAL,
	ARG_SIGNALFD,
	ARG_SOCKTYPE,
	ARG_SOCK_FLAGS,
	ARG_SOL,
	ARG_SPLICE,
	ARG_STATX,
	ARG_SYNC_RANGE,
	ARG_TIMER,
	ARG_TIMERFD,
	ARG_UMOUNT,
	ARG_WAIT,
	ARG_WHENCE,
	ARG_XATTR,
	ARG_KINDS,
};

enum call_return {
	RETURN_NUMBER,
	RETURN_FD,
	RETURN_POINTER,
	RETURN_MODE,
	RETURN_NEVER, /* the thread ends in the call */
};

struct call_signature {
	const char *name;
	enum call_return returns;
	unsigned char args[CALL_ARGS]; /* enum call_arg */
};

/* Returns NULL if the name is unknown. */
const struct call_signature *call_signature(const char *name);

/* Returns row i of the table, NULL after the last one. */
const struct call_signature *call_signature_at(size_t i);
