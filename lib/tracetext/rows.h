/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a trace, and its lines that are records. */
#pragma once

#include "lib/source.h"
#include "lib/source/comms.h"
#include "lib/source/file.h"
#include "lib/tracetext/calls.h"
#include "lib/tracetext/format.h"
#include "lib/tracetext/stack.h"

#define DKT__TEXT_RECORD_MAX 65536
#define DKT__TEXT_CPUS_MAX   (UINT16_MAX + 1)

/* A line that is a record or a gap. */
struct dkt__text_row {
	uint64_t ts;
	uint64_t at : 63; /* offset in the file */
	uint64_t exit : 1; /* the row is the exit of a leaf function, whose line is its entry too */
};

struct dkt__text {
	struct dkt_source base; /* first */
	struct dkt__window window;
	struct dkt__file file;
	struct dkt__text_row *rows;
	size_t n, next;
	struct dkt__text_names names;
	struct dkt__text_calls calls;
	struct dkt__comms comms;
	struct dkt_loss *loss; /* by CPU */
	uint64_t before; /* lost before the first record */
	bool told; /* the gap for these has been returned */
	char unused[256],
		damage[256]; /* what could not be read, of unknown events and of others, for users */
	struct dkt__text_stacks stacks; /* of the record that was returned last */
	uint8_t data[DKT__TEXT_RECORD_MAX];
};

/* Parses the line at offset at. Returns the offset of the next line. */
uint64_t dkt__text_line(const struct dkt__file *file, uint64_t at, struct dkt__line *line);

/*
 * Finds the rows, sorts them by time, and collects the names of their events. Also stores losses,
 * changes of processes, and the number of invalid lines. -ENOMEM: out of memory.
 */
int dkt__text_scan(struct dkt__text *text);

/*
 * Stores for each name the known text that most of its lines have. The tree's own format comes first;
 * kernel is NULL without a tree. -ENOMEM: out of memory.
 */
int dkt__text_choose(struct dkt__text *text, struct dkt_ctx *kernel);

/* Collects the fields that the lines of unknown events name. -ENOMEM: out of memory. */
int dkt__text_derive(struct dkt__text *text);
