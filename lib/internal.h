/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libdktrace's rooms share and nobody outside sees. */
#ifndef DKT_INTERNAL_H
#define DKT_INTERNAL_H

#include <event-parse.h>

#include <dktrace/dktrace.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/guess.h"

/* ---- context ---- */

struct dkt__events; /* event.c */
struct dkt__symbols; /* symbol.c */
struct dkt__end; /* ctx.c */

struct dkt_ctx {
	char *root; /* the directory asked for, NULL: find it */
	char *dir; /* the tracefs directory in use */
	int dirfd; /* -1 before dkt_tracefs_open() */
	bool mounted; /* we mounted it */
	char *error;
	dkt_log_fn log;
	void *log_data;
	dkt_progress_fn progress;
	void *progress_data;
	bool given; /* a file gave the catalogue: no kernel is asked for anything */
	bool saved; /* the directory is not a tracefs but a copy of one */
	bool big_endian; /* byte order of its records */
	uint8_t long_size; /* bytes of a long in that kernel */
	struct tep_handle *tep; /* format.c: parsed formats, filled as events are met */
	size_t plan_bytes; /* that the plans of its events take */
	bool tep_strings; /* and printk_formats has been read into it */
	struct dkt__events *events;
	struct dkt_event *defined; /* by callers, the last one first */
	struct dkt__symbols *symbols;
	struct dkt__arena memory; /* what lives as long as this */
	struct dkt__end *ends; /* the last one first */
	void *lowered; /* cap_t: capabilities before dkt_caps_lower(); NULL: not lowered */
};

/* Whether what it says of events need not come from a kernel. */
static inline bool dkt__ctx_foreign(const struct dkt_ctx *ctx)
{
	return ctx->given || ctx->saved;
}

/* Zeroed memory that lives as long as the context. NULL when memory is out. */
void *dkt__ctx_keep(struct dkt_ctx *ctx, size_t n);

/*
 * Has fn(data) called at the end of the context, once however often it is asked for. The last one that was
 * added is called first. -ENOMEM: it will not be called.
 */
int dkt__ctx_at_end(struct dkt_ctx *ctx, void (*fn)(void *data), void *data);

/* Adds words to what is wrong with a file, behind those that are there. */
void dkt__damage(char **damage, const char *fmt, va_list ap) DKT_PRINTF(2, 0);

/* ---- instance ---- */

struct dkt_instance {
	struct dkt_ctx *ctx;
	char *name; /* NULL: the top one */
	char *prefix; /* "instances/NAME/" or "" */
	bool is_new;
	int cpus;
};

/* ---- events ---- */

struct dkt__plan; /* plan.c */

struct dkt_event {
	struct dkt_ctx *ctx;
	const char *system;
	const char *name;
	size_t index;
	int id; /* 0: not read yet */
	int guess; /* the number it had once, not yet looked at; 0: none */
	int load_err; /* of an earlier try to read the format */
	const char *format; /* the format file's text if a file gave it */
	size_t format_len;
	struct tep_event *tep; /* NULL before the format is read */
	struct dkt_field *fields;
	size_t n_fields;
	bool bare; /* libtraceevent was not given the print format */
	char *print; /* the format file's text after "print fmt:", NULL if it has none */
	struct dkt__plan *plan; /* NULL before the first record is printed */
	void (*plan_free)(struct dkt__plan *plan);
	struct dkt_event *next; /* of those that callers defined */
};

/* A stack of calls that a record carries, as the data of a stack event's record. */
struct dkt_stack {
	struct dkt_event *event; /* ftrace:kernel_stack, ftrace:user_stack */
	const void *data;
	uint32_t size;
	const struct dkt_stack *next; /* NULL: the last one */
};

/* Whether its records are recorded in the instance; one that only triggers watch is off. */
bool dkt__event_is_on(struct dkt_instance *in, const struct dkt_event *event);

/* Reads and parses the format file once. */
int dkt__event_load(struct dkt_event *event);

/* Tries the names of all events. */
void dkt__guess_events(struct dkt__guess *guess, struct dkt_ctx *ctx);

/* Tries the fields of n events; of several that are equally near, the one that most events have. */
void dkt__guess_fields(struct dkt__guess *guess, struct dkt_event *const *events, size_t n);

/* -ENOENT, with words: there is no such event, and which one was perhaps meant. */
int dkt__no_event(struct dkt_ctx *ctx, const char *system, const char *name);

#endif
