/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a text's lines. */
#pragma once

#include "lib/event.h"
#include "lib/tracetext/derive.h"
#include "lib/tracetext/line.h"

/* The system of the events whose first field is the text of a line. */
#define DKT__TEXT_SYSTEM "text"

/* Several systems can have an event of the same name. At most this many are tried. */
#define DKT__TEXT_SAME 4

/* The longest name of an event, with sys_enter_ before it. */
#define DKT__TEXT_NAME 128

/* The events of lines with the same name. */
struct dkt__text_name {
	char name[DKT__TEXT_NAME];
	struct dkt_event *events[DKT__TEXT_SAME]; /* may have printed such lines */
	size_t n;
	struct dkt_event *plain; /* has the text as its first field */
	const struct dkt__text_known *known; /* the text that its lines have; NULL: unknown */
	const char *line; /* the text of its first line */
	size_t line_len;
	struct dkt__derived_keys keys; /* the other fields of plain, if nothing else is known */
	uint64_t unread; /* records returned without the fields that the event has */
	uint64_t bare; /* the same without any field but the text, of an unknown event */
};

struct dkt__text_names {
	struct dkt__text_name *list;
	size_t n;
	uint32_t *slots; /* by hash: index in list + 1; 0: free */
	bool retval; /* a function_graph line has a return value */
};

/*
 * Stores the name of a line's event. If the line has no name, the text may show it; otherwise the
 * name is "text".
 */
void dkt__text_name(const struct dkt__line *line, char name[DKT__TEXT_NAME]);

/* Finds the name, or adds it. If the list is full, returns its first name. NULL: out of memory. */
struct dkt__text_name *dkt__text_get(struct dkt__text_names *names, const char *name);
void dkt__text_names_clear(struct dkt__text_names *names);

/* True if no format is known but perhaps that of a saved tree. */
bool dkt__text_is_unknown(const struct dkt__text_name *name);

/* Where the fields of dkt__text_name.keys begin in a record of the plain event. */
#define DKT__TEXT_KEYS 16

/* Appends the format of an event without the fields that the event does not print. */
int dkt__text_printed(struct dkt_event *event, struct dkt_buf *buf);

/*
 * Creates the context's catalogue of events for the names. Formats come from the saved tracefs tree
 * that kernel is open on, unless it is NULL, from the texts that are known, and from the lines of
 * system calls. Never from the running kernel: it need not be the one that printed the text.
 */
int dkt__text_formats(struct dkt_ctx *ctx, struct dkt__text_names *names, struct dkt_ctx *kernel);
