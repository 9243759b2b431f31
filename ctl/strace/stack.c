/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the stacks of calls: functions of the kernel and of programs. */
#include <json.h>

#include "ctl/out/bar.h"
#include "ctl/strace/strace.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* ---- frames ---- */

static void put_offset(uint64_t offset, struct dkt_buf *buf)
{
	if (!offset)
		return;
	dkt_buf_str(buf, "+0x");
	dkt__buf_hex(buf, offset, 0, ' ');
}

static void put_words(const char *text, struct dkt_buf *buf)
{
	dkt_buf_text(buf, text, strlen(text));
}

static void put_program(const struct strace_origin *origin, const struct call *call,
			uint64_t address, struct dkt_buf *buf)
{
	struct map_place place;

	if (!origin->maps || !maps_find(origin->maps, call->tid, address, &place)) {
		dkt_buf_str(buf, "0x");
		dkt__buf_hex(buf, address, 0, ' ');
		return;
	}
	/* A version, as in "read@GLIBC_2.2.5", is no part of the name. */
	if (place.function)
		dkt_buf_text(buf, place.function, strcspn(place.function, "@"));
	else
		put_words(place.module, buf);
	put_offset(place.offset, buf);
	if (!place.function)
		return;
	dkt_buf_str(buf, " (");
	put_words(place.module, buf);
	dkt_buf_str(buf, ")");
}

static void put_frame(const struct strace_origin *origin, const struct call *call, uint64_t address,
		      bool user, struct dkt_buf *buf)
{
	uint64_t offset;
	const char *name = dkt__stack_symbol(origin->ctx, address, user, &offset);
	const char *module = name ? dkt__symbol_module(origin->ctx, address) : NULL;

	if (!name) {
		put_program(origin, call, address, buf);
		return;
	}
	put_words(name, buf);
	put_offset(offset, buf);
	if (!module)
		return;
	dkt_buf_str(buf, " [");
	put_words(module, buf);
	dkt_buf_str(buf, "]");
}

static const struct call_stack *stack_of(const struct call *call, bool user)
{
	return user ? &call->stacks->user : &call->stacks->kernel;
}

/* Returns the number of the innermost functions that only record the stack. */
static uint32_t skipped(const struct strace_origin *origin, const struct call_stack *stack,
			bool user)
{
	uint32_t n = 0;

	while (!user && n + 1 < stack->n) {
		const char *name = dkt_symbol_name(origin->ctx, stack->frames[n], NULL);

		if (!name || !dkt__symbol_is_tracer(name))
			break;
		n++;
	}
	return n;
}

/* ---- text ---- */

static void put_frames(const struct strace_origin *origin, const struct call *call, bool user,
		       struct dkt_buf *buf)
{
	const struct call_stack *stack = stack_of(call, user);

	for (uint32_t i = skipped(origin, stack, user); i < stack->n; i++) {
		dkt_buf_str(buf, "        ");
		put_frame(origin, call, stack->frames[i], user, buf);
		dkt_buf_str(buf, "\n");
	}
}

void strace_stacks_text(const struct strace_origin *origin, const struct call *call,
			struct dkt_buf *buf)
{
	const struct call_stacks *stacks = call->stacks;
	char waited[UNIT_SIZE];

	if (stacks->kernel.n && stacks->waited && !call->lost) {
		duration_text(stacks->waited, waited);
		dkt_buf_printf(buf, "    waited %s in:\n", waited);
	} else if (stacks->kernel.n) {
		dkt_buf_str(buf, stacks->waited ? "    waited in:\n" : "    in the kernel:\n");
	}
	put_frames(origin, call, false, buf);
	if (stacks->user.n)
		dkt_buf_str(buf, "    called from:\n");
	put_frames(origin, call, true, buf);
}

/* ---- programs ---- */

struct json_object *strace_stack_json(const struct strace_origin *origin, const struct call *call,
				      bool user)
{
	const struct call_stack *stack = stack_of(call, user);
	struct json_object *list = stack->n ? json_object_new_array() : NULL;
	struct dkt_buf *buf = NULL;
	size_t len;

	if (!list || dkt_buf_new(&buf))
		return list;
	for (uint32_t i = skipped(origin, stack, user); i < stack->n; i++) {
		dkt_buf_reset(buf);
		put_frame(origin, call, stack->frames[i], user, buf);
		const char *text = dkt_buf_data(buf, &len);

		json_object_array_add(list, json_object_new_string_len(text ?: "", (int)len));
	}
	dkt_buf_free(buf);
	return list;
}

void strace_stack_folded(const struct strace_origin *origin, const struct call *call, bool user,
			 struct dkt_buf *buf)
{
	const struct call_stack *stack = stack_of(call, user);
	uint32_t from = skipped(origin, stack, user);

	for (uint32_t i = stack->n; i > from; i--) {
		put_frame(origin, call, stack->frames[i - 1], user, buf);
		if (i - 1 > from)
			dkt_buf_str(buf, ";");
	}
}
