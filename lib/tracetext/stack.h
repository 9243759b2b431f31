/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks in the text of a trace: gives addresses to functions known only by name. */
#pragma once

#include "tracetext/format.h"

#define DKT__FRAMES_MAX 512

/* The address in the text of a function's line, or one that stands for its name. */
uint64_t dkt__frame_address(struct dkt_ctx *ctx, const char *p, size_t len);

/*
 * The lines " => function" below a record that is not a stack itself, as the style trace writes what a
 * record carries: first functions of the kernel, then places in a program, "FILE+0x12f0".
 */
struct dkt__text_stacks {
	struct dkt__text_stack {
		struct dkt_stack carried;
		uint8_t *data;
		uint32_t n;
	} kernel, user;
};

/* There are such lines: the events of stacks are asked for. -ENOMEM. */
int dkt__text_stacks_names(struct dkt__text_names *names);

void dkt__text_stacks_start(struct dkt__text_stacks *stacks);

/* Takes the next line. -ENOMEM. */
int dkt__text_stacks_add(struct dkt__text_stacks *stacks, struct dkt_ctx *ctx,
			 const struct dkt__line *frame);

/* Gives the record what the lines said. -ENOMEM. */
int dkt__text_stacks_carry(struct dkt__text_stacks *stacks, struct dkt__text_names *names,
			   struct dkt_record *record);

void dkt__text_stacks_clear(struct dkt__text_stacks *stacks);
