/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks in the text of a trace: gives addresses to functions known only by name. */
#pragma once

#include "lib/tracetext/format.h"

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
