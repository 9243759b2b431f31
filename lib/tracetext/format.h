/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a text's lines. */
#pragma once

#include "event.h"
#include "tracetext/line.h"

/* Where events are whose text is all that is known of them. */
#define DKT__TEXT_SYSTEM "text"

/* Events of one name in several systems: as many are tried. */
#define DKT__TEXT_SAME 4

/* The longest name of an event, with sys_enter_ before it. */
#define DKT__TEXT_NAME 128

/* The event of lines with the same name. */
struct dkt__text_name {
	char name[DKT__TEXT_NAME];
	struct dkt_event *events[DKT__TEXT_SAME]; /* that print such lines */
	size_t n;
	struct dkt_event *plain; /* takes the text as it is */
};

struct dkt__text_names {
	struct dkt__text_name *list;
	size_t n;
	uint32_t *slots; /* by hash: index and one */
	bool retval; /* exits of functions tell what they returned */
};

/* Finds the event of a line by its name; "text" if the line has none. */
void dkt__text_name(const struct dkt__line *line, char name[DKT__TEXT_NAME]);

/* Finds the name, or adds it; NULL: there is no memory. Beyond some thousands all are one. */
struct dkt__text_name *dkt__text_get(struct dkt__text_names *names, const char *name);
void dkt__text_names_clear(struct dkt__text_names *names);

/*
 * Makes the context's catalogue of the names: formats are those of the tree, NULL: of this kernel.
 * Only fields that their text has are in them.
 */
int dkt__text_formats(struct dkt_ctx *ctx, struct dkt__text_names *names, const char *tree);
