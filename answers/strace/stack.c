/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call stacks that are recorded during a system call. */
#include "answers/strace/stack.h"

#include "lib/base/util.h"

/* The kernel's own limit for a stack in a record is lower. */
#define FRAMES_MAX 1024

void call_stacks_reset(struct call_stacks *stacks)
{
	stacks->kernel.n = 0;
	stacks->user.n = 0;
	stacks->waiting.n = 0;
	stacks->since = 0;
	stacks->waited = 0;
}

void call_stacks_sleep(struct call_stacks *stacks, uint64_t ts)
{
	stacks->waiting.n = 0;
	stacks->since = ts;
}

void call_stacks_run(struct call_stacks *stacks, uint64_t ts)
{
	uint64_t waited = ts - stacks->since;
	struct call_stack stack = stacks->waiting;

	if (stacks->since && stack.n && ts > stacks->since && waited > stacks->waited) {
		stacks->waiting = stacks->kernel;
		stacks->kernel = stack;
		stacks->waited = waited;
	}
	stacks->since = 0;
}

static int reserve(struct call_stack *stack, uint32_t n)
{
	uint64_t *frames = n <= stack->room ? stack->frames :
					      realloc(stack->frames, n * sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	stack->frames = frames;
	stack->room = DKT__MAX(n, stack->room);
	return 0;
}

/* The array of addresses extends to the end of the record; the kernel may end it with ULONG_MAX. */
static int fill(struct call_stack *stack, const struct call_int *first,
		const struct dkt_record *record)
{
	const uint64_t end = first->size == 4 ? UINT32_MAX : UINT64_MAX;
	struct call_int frame = *first;
	uint32_t n;

	stack->n = 0;
	if (!call_int_has(record, first))
		return 0;
	n = DKT__MIN((record->size - first->at) / first->size, (uint32_t)FRAMES_MAX);
	if (reserve(stack, n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++, frame.at += frame.size) {
		uint64_t address = call_int(record, &frame);

		if (!address || address == end)
			break;
		stack->frames[stack->n++] = address;
	}
	return 0;
}

int call_stacks_add(struct call_stacks *stacks, const struct call_event *event,
		    const struct dkt_record *record, bool late)
{
	struct call_stack *stack = &stacks->kernel;

	if (event->role == CALL_USER_STACK)
		stack = &stacks->user;
	else if (stacks->since)
		stack = &stacks->waiting;
	else if (stacks->waited)
		return 0;
	return late && stack->n ? 0 : fill(stack, &event->frames, record);
}

void call_stacks_clear(struct call_stacks *stacks)
{
	free(stacks->kernel.frames);
	free(stacks->user.frames);
	free(stacks->waiting.frames);
}
