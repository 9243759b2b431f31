/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data that function_graph lines take from earlier lines: the process and the function. */
#pragma once

#include "event.h"
#include "tracetext/line.h"

struct dkt__text_calls {
	/* From that place of the file on the CPU runs the process, in order of places. */
	struct dkt__text_task {
		uint64_t at;
		uint32_t cpu;
		int32_t pid;
	} * tasks;
	size_t n_tasks;
	struct dkt__text_open **open; /* functions of a process or CPU that have not returned */
};

/* Notes a line of the kind TASK. -ENOMEM. */
int dkt__text_calls_task(struct dkt__text_calls *calls, uint64_t at, const struct dkt__line *line);

/* The process of the line at that place; 0: it is not known. */
int32_t dkt__text_calls_pid(const struct dkt__text_calls *calls, uint64_t at, uint32_t cpu);

/*
 * Fills the record of funcgraph_entry or funcgraph_exit behind its common fields. Returns its size; 0:
 * there is no memory.
 */
uint32_t dkt__text_calls_put(struct dkt__text_calls *calls, struct dkt_ctx *ctx,
			     const struct dkt__line *line, struct dkt_event *event, uint8_t *data);

void dkt__text_calls_clear(struct dkt__text_calls *calls);
