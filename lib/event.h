/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event's data, and the catalogue of all events. */
#pragma once

#include "lib/base/guess.h"
#include "lib/ctx.h"

struct dkt__plan; /* plan.c */

struct dkt_event {
	struct dkt_ctx *ctx;
	const char *system;
	const char *name;
	/* Twice its index in the catalogue, or an odd number; only events without a format share one. */
	size_t slot;
	int id; /* 0: not read yet */
	int guess; /* its earlier ID, not verified; 0: none */
	int load_err; /* the error of an earlier attempt to read the format */
	const char *format; /* the format file's text if a file gave it */
	size_t format_len;
	struct tep_event *tep; /* NULL before the format is read */
	struct dkt_field *fields;
	const struct dkt_field **field_list; /* pointers to the fields, in the same allocation */
	size_t n_fields;
	bool bare; /* the print format was kept from libtraceevent */
	char *print; /* the format file's text after "print fmt:", NULL if it has none */
	struct dkt__plan *plan; /* NULL before the first record is printed */
	void (*plan_free)(struct dkt__plan *plan);
	struct dkt_event *next; /* the next event that is unknown, or defined by callers */
};

/* A call stack that a record carries, as the data of a stack event's record. */
struct dkt_stack {
	struct dkt_event *event; /* ftrace:kernel_stack, ftrace:user_stack */
	const void *data;
	uint32_t size;
	uint32_t own; /* callers at its beginning that number does not stand for */
	uint64_t number; /* dkt__record_stack_number() */
	const struct dkt_stack *next; /* NULL: the last one */
};

/* Reads and parses the format file once. */
int dkt__event_load(struct dkt_event *event);

/* Tries the names of all events. */
void dkt__guess_events(struct dkt__guess *guess, struct dkt_ctx *ctx);

/* Tries the fields of n events; of equally similar names the one that most events have wins. */
void dkt__guess_fields(struct dkt__guess *guess, struct dkt_event *const *events, size_t n);

/* Returns an event of that name in any system; sets *n to their number. */
struct dkt_event *dkt__event_anywhere(struct dkt_ctx *ctx, const char *name, size_t *n);

/* Returns -ENOENT, with an error message that suggests a similar event. */
int dkt__no_event(struct dkt_ctx *ctx, const char *system, const char *name);

/* Returns the context's handle for parsed formats; NULL if memory is out. */
struct tep_handle *dkt__tep(struct dkt_ctx *ctx);
void dkt__tep_free(struct dkt_ctx *ctx);

/* Frees the catalogue, which is read again when it is next needed. */
void dkt__events_free(struct dkt_ctx *ctx);

/* Returns the events found so far by ID, MAX_ID of them; NULL: not read yet. */
struct dkt_event **dkt__event_table(struct dkt_ctx *ctx);

/* struct trace_entry of include/linux/trace_events.h begins every record. */
struct dkt__entry {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt;
	int32_t pid;
};

/* An event described by a file. Its pointers must live as long as the context. */
struct dkt__given {
	const char *system;
	const char *text; /* its format */
	size_t len;
};

/* Appends an event to such a list, of copies that live as long as the context. -ENOMEM */
int dkt__given_add(struct dkt_ctx *ctx, struct dkt__given **list, size_t *n, const char *system,
		   const char *text, size_t len);

/* Sets *out to the format with another ID, which the caller frees; NULL: it has no ID. -ENOMEM */
int dkt__format_renumber(const char *text, int id, char **out);

/*
 * Uses these events as the context's catalogue instead of those in tracefs. Reads only names and IDs;
 * a format is parsed when its event is first needed.
 */
int dkt__events_given(struct dkt_ctx *ctx, const struct dkt__given *list, size_t n);

/*
 * Adds events to that catalogue that were not in it: the source has just read their formats. Skips
 * a format that cannot be parsed, whose records count as those of an unknown event.
 */
int dkt__events_given_more(struct dkt_ctx *ctx, const struct dkt__given *list, size_t n);

/* Defines an event, even if the context has another one with that name. format is copied. */
int dkt__event_add(struct dkt_ctx *ctx, const char *system, const char *name, const char *format,
		   size_t len, struct dkt_event **event);

/* Parses the text of a format file for the event. */
int dkt__event_take_format(struct dkt_event *event, const char *text, size_t len);
void dkt__event_clear(struct dkt_event *event);

/* Gets the text of the event's format file, which the caller frees. */
int dkt__event_text(struct dkt_event *event, char **text, size_t *len);

/* A record's type is 16 bits (common_type). */
#define MAX_ID 65536

/* Names the likely events of the records, whose IDs are read first. Takes ownership of the array. */
void dkt__events_likely(struct dkt_ctx *ctx, struct dkt_event **events, size_t n);

/*
 * Adds an event that has left the kernel to the catalogue, unless it has one with that ID. The kernel gives
 * this ID to no event.
 */
int dkt__event_retired(struct dkt_ctx *ctx, const char *system, const char *name, int id,
		       const char *format, size_t len);

/* Stores an earlier ID of the event, which is used once the format confirms it. */
void dkt__event_guess(struct dkt_event *event, int id);

/* Returns the event with that ID if it is known or guessed; reads nothing. */
struct dkt_event *dkt__event_known(struct dkt_ctx *ctx, int id);
