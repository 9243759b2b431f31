/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The context: the state of one user of the library. */
#pragma once

#include <event-parse.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/opts.h"
#include "lib/inside.h"

/* TEP_FIELD_IS_RELATIVE and TEP_PRINT_CPUMASK, which libtraceevent's headers before 1.7 lack. */
#define DKT__TEP_RELATIVE  256
#define DKT__PRINT_CPUMASK ((enum tep_print_arg_type)17)

struct dkt__events; /* event.c */
struct dkt__symbols; /* symbol.c */
struct dkt__call_args; /* plan/call_args.c */
struct dkt__intervals; /* intervals/definitions.c */
struct dkt__end; /* ctx.c */

/* More than the number of any system call but those of MIPS, which have no names here. */
#define DKT__SYSCALLS 1024

struct dkt_ctx {
	char *root; /* the directory asked for, NULL: find it */
	char *dir; /* the tracefs directory in use */
	int dirfd; /* -1 before dkt_tracefs_open() */
	char *error;
	bool no_memory; /* memory is out, so that the error message is a constant */
	bool starved; /* memory ran out in a call that returns no error; reading ends with -ENOMEM */
	dkt_log_fn log;
	void *log_data;
	dkt_progress_fn progress;
	void *progress_data;
	bool given; /* the events come from a file, not from a kernel */
	bool saved; /* the directory is not a tracefs but a copy of one */
	bool big_endian; /* byte order of its records */
	uint8_t long_size; /* bytes of a long in that kernel */
	const char *machine; /* as in uname(2); "": unknown */
	uint32_t arch; /* libseccomp's for the machine, 0: none; valid with syscalls */
	const char **syscalls; /* names looked up so far, by number; "": no name. NULL: none yet */
	struct tep_handle *tep; /* format.c: parsed formats, added when events are first used */
	size_t plan_bytes; /* memory of its events' plans */
	bool tep_strings; /* printk_formats has been read into tep */
	struct dkt__events *events;
	struct dkt_event *defined; /* by callers, the last one first */
	struct dkt__symbols *symbols;
	const char *symbols_dir; /* with programs by build ID; NULL: none was given */
	struct dkt__call_args *call_args;
	struct dkt__intervals *intervals; /* the ready-made ones; NULL: not read yet */
	struct dkt__arena memory; /* objects that live as long as the context */
	struct dkt__end *ends; /* the last one first */
	void *lowered; /* cap_t: capabilities before dkt__caps_lower(); NULL: not lowered */
	int fs_uid, fs_gid; /* the IDs of files before that */
	unsigned int n_lowered; /* calls of dkt__caps_lower() since then without dkt__caps_raise() */
};

/* True if the events may come from a file instead of a kernel. */
static inline bool dkt__ctx_foreign(const struct dkt_ctx *ctx)
{
	return ctx->given || ctx->saved;
}

/* Returns zeroed memory that lives as long as the context, or NULL if memory is out. */
void *dkt__ctx_keep(struct dkt_ctx *ctx, size_t n);

/* Returns a copy of len bytes with a NUL after it, which lives as long as the context. */
char *dkt__ctx_strndup(struct dkt_ctx *ctx, const char *text, size_t len);

/*
 * Sets the machine of the records, as uname -m prints it, which decides the names of system calls.
 * "": unknown, system calls have no names.
 */
int dkt__ctx_machine(struct dkt_ctx *ctx, const char *machine);

/*
 * Calls fn(data) once at the end of the context, however often it is requested, in reverse order.
 * -ENOMEM: it will not be called.
 */
int dkt__ctx_at_end(struct dkt_ctx *ctx, void (*fn)(void *data), void *data);

/* -EINVAL with an error message: flags has unknown bits. */
int dkt__flags_check(struct dkt_ctx *ctx, const char *what, unsigned int flags, unsigned int known);

/*
 * A public call begins with its check of pointers, and returns -EINVAL if one of them is NULL.
 * dkt__clear() zeroes the target of an out-pointer and returns the pointer; list out-pointers
 * first.
 */
#define dkt__needs(ctx, given)                                                                     \
	do {                                                                                       \
		if (dkt__unlikely(!(given)))                                                       \
			return dkt__null(ctx, __func__);                                           \
	} while (0)
#define dkt__clear(out)                                                                            \
	({                                                                                         \
		__typeof__(out) clear_ = (out);                                                    \
                                                                                                   \
		if (clear_)                                                                        \
			*clear_ = (__typeof__(*clear_)){ 0 };                                      \
		clear_;                                                                            \
	})
int dkt__null(struct dkt_ctx *ctx, const char *call);

/*
 * The caller's struct for a result has sz bytes, fewer or more than here if the caller was built
 * with another header. dkt__blank() zeroes it, as dkt__clear() does; dkt__fill() fills it and
 * returns 0.
 */
#define dkt__blank(out, sz)                                                                        \
	({                                                                                         \
		__typeof__(out) blank_ = (out);                                                    \
                                                                                                   \
		if (blank_)                                                                        \
			memset(blank_, 0, sz);                                                     \
		blank_;                                                                            \
	})
#define dkt__fill(out, sz, from)                                                                   \
	({                                                                                         \
		const __typeof__(*(out)) *from_ = (from);                                          \
                                                                                                   \
		memcpy(out, from_, DKT__MIN(sz, sizeof(*from_)));                                  \
		0;                                                                                 \
	})

/* Appends a text to the report of a file's damage. */
void dkt__damage(char **damage, const char *fmt, va_list ap) DKT_PRINTF(2, 0);
