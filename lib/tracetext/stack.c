/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks in the text of a trace: gives addresses to functions known only by name. */
#include "lib/base/parse.h"
#include "lib/tracetext/rows.h"

#include "lib/source/own_format.h"
#include "lib/symbol.h"

#define KERNEL "kernel_stack"
#define USER   "user_stack"

uint64_t dkt__frame_address(struct dkt_ctx *ctx, const char *p, size_t len)
{
	const char *at;
	uint64_t address;

	while (len && *p == ' ')
		p++, len--;
	if (len > 2 && p[0] == '<') {
		at = p + 1;
		dkt__take_u64(&at, p + len - 1, DKT__HEX, &address);
		return address;
	}
	return dkt__symbol_create(ctx, p, len);
}

/* "[dash]+0x7af2" is a place in a file, where no function is known; all else is a name. */
static uint64_t user_frame_address(struct dkt_ctx *ctx, const char *p, size_t len)
{
	const char *end = p + len, *close = p[0] == '[' ? memrchr(p, ']', len) : NULL;
	const char *at = close ? close + 1 : end;
	uint64_t offset;

	if (end - at > 3 && !memcmp(at, "+0x", 3)) {
		at++;
		if (!dkt__take_u64(&at, end, DKT__HEX, &offset) && at == end)
			return dkt__symbol_create_file(ctx, p, (size_t)(close + 1 - p), offset);
	}
	return dkt__symbol_create_whole(ctx, p, len);
}

int dkt__text_stacks_names(struct dkt__text_names *names)
{
	return dkt__text_get(names, KERNEL) && dkt__text_get(names, USER) ? 0 : -ENOMEM;
}

void dkt__text_stacks_start(struct dkt__text_stacks *stacks)
{
	stacks->kernel.n = stacks->user.n = 0;
}

int dkt__text_stacks_add(struct dkt__text_stacks *stacks, struct dkt_ctx *ctx,
			 const struct dkt__line *frame)
{
	bool is_number = frame->text_len > 2 && !memcmp(frame->text, "0x", 2);
	const char *at = frame->text;
	uint64_t address = 0;
	bool is_place = memmem(frame->text, frame->text_len, "+0x", 3);
	struct dkt__text_stack *to;
	bool is_user;

	if (is_number)
		dkt__take_u64(&at, at + frame->text_len, DKT__HEX, &address);
	is_user = stacks->user.n || (is_number ? !(address >> 63) : is_place);
	to = is_user ? &stacks->user : &stacks->kernel;
	if (!to->data)
		to->data = calloc(1, DKT__STACK_CALLERS + DKT__FRAMES_MAX * sizeof(address));
	if (!to->data)
		return -ENOMEM;
	if (to->n == DKT__FRAMES_MAX)
		return 0;
	if (!is_number && is_user)
		address = user_frame_address(ctx, frame->text, frame->text_len);
	else if (!is_number)
		address = dkt__frame_address(ctx, frame->text, frame->text_len);
	memcpy(to->data + DKT__STACK_CALLERS + to->n++ * sizeof(address), &address,
	       sizeof(address));
	return 0;
}

static int carry(struct dkt__text_stack *stack, struct dkt__text_names *names, const char *name,
		 struct dkt_record *record)
{
	const struct dkt__text_name *text_name;

	if (!stack->n)
		return 0;
	text_name = dkt__text_get(names, name);
	if (!text_name)
		return -ENOMEM;
	if (!text_name->n)
		return 0;
	memcpy(stack->data, record->data, 8);
	memcpy(stack->data + 8, &stack->n, sizeof(stack->n));
	stack->carried = (struct dkt_stack){ .event = text_name->events[0],
					     .data = stack->data,
					     .size = DKT__STACK_CALLERS + 8 * stack->n,
					     .next = record->stacks };
	record->stacks = &stack->carried;
	return 0;
}

int dkt__text_stacks_carry(struct dkt__text_stacks *stacks, struct dkt__text_names *names,
			   struct dkt_record *record)
{
	int err = carry(&stacks->user, names, USER, record);

	return err ? err : carry(&stacks->kernel, names, KERNEL, record);
}

void dkt__text_stacks_clear(struct dkt__text_stacks *stacks)
{
	free(stacks->kernel.data);
	free(stacks->user.data);
}
