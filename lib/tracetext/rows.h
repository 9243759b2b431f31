/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a trace, and its lines that are records. */
#pragma once

#include "lib/source.h"
#include "lib/source/comms.h"
#include "lib/source/file.h"
#include "lib/tracetext/format.h"

/* ---- data that function_graph lines take from earlier lines: the process and the function ---- */

struct dkt__text_calls {
	/* From this offset in the file, the CPU runs the process. Sorted by offset. */
	struct dkt__text_task {
		uint64_t at;
		uint32_t cpu;
		int32_t pid;
	} * tasks;
	size_t n_tasks;
	struct dkt__text_open **open; /* functions of a process or CPU that have not returned */
};

/* Stores the change of process in a DKT__LINE_TASK line at offset at. -ENOMEM: out of memory. */
int dkt__text_calls_task(struct dkt__text_calls *calls, uint64_t at, const struct dkt__line *line);

/* Returns the PID of the process that the CPU runs at offset at. 0: unknown. */
int32_t dkt__text_calls_pid(const struct dkt__text_calls *calls, uint64_t at, uint32_t cpu);

/*
 * Fills the record of funcgraph_entry or funcgraph_exit after its common fields. Returns its size.
 * 0: out of memory.
 */
uint32_t dkt__text_calls_put(struct dkt__text_calls *calls, struct dkt_ctx *ctx,
			     const struct dkt__line *line, struct dkt_event *event, uint8_t *data);

void dkt__text_calls_clear(struct dkt__text_calls *calls);

/* ---- call stacks: functions known only by name get addresses ---- */

#define DKT__FRAMES_MAX 512

/* Returns the address in a function's text, or creates one that stands for its name. */
uint64_t dkt__frame_address(struct dkt_ctx *ctx, const char *p, size_t len);

/*
 * The stacks in the lines " => function" below a record that is not a stack itself. The style trace
 * writes the stacks of a record so: first kernel functions, then places in a program, such as
 * "FILE+0x12f0".
 */
struct dkt__text_stacks {
	struct dkt__text_stack {
		struct dkt_stack carried;
		uint8_t *data;
		uint32_t n;
	} kernel, user;
};

/* Adds the names of the stack events. Call it if there are such lines. -ENOMEM: out of memory. */
int dkt__text_stacks_names(struct dkt__text_names *names);

void dkt__text_stacks_start(struct dkt__text_stacks *stacks);

/* Adds the function in the next line. -ENOMEM: out of memory. */
int dkt__text_stacks_add(struct dkt__text_stacks *stacks, struct dkt_ctx *ctx,
			 const struct dkt__line *frame);

/* Attaches the stacks to the record. -ENOMEM: out of memory. */
int dkt__text_stacks_carry(struct dkt__text_stacks *stacks, struct dkt__text_names *names,
			   struct dkt_record *record);

void dkt__text_stacks_clear(struct dkt__text_stacks *stacks);

/* ---- the text ---- */

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
	bool has_decimals; /* numbers of system calls without 0x are decimal, see dkt__text_has_decimals() */
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
