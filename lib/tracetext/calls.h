/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data that function_graph lines take from earlier lines: the process and the function. */
#pragma once

#include "lib/event.h"
#include "lib/tracetext/line.h"

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
