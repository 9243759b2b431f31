/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call chains (perf record -g). A sample has all addresses in one list. Its record carries them as
 * a kernel stack and a user stack, in the form of the kernel tracer's own stack records.
 */
#include "lib/debuginfo/dwarf_inline.h"
#include "lib/event.h"
#include "lib/perfdata.h"
#include "lib/source/own_format.h"

/* perf_event_header.size is 16 bits; unwound callers are not in the sample. */
#define MAX_CALLERS (UINT16_MAX / 8 + DKT__PERF_UNWOUND * (1 + DWARF_INLINE_MAX))

/* An unknown kind of stack. */
#define NOWHERE DKT__PERF_STACKS

int dkt__perf_chain_define(struct dkt__perf *perf)
{
	static const char *const formats[] = { DKT__FORMAT_KERNEL_STACK, DKT__FORMAT_USER_STACK };
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(formats); i++)
		err = dkt__append(perf->given, perf->n_given,
				  (struct dkt__given){ .system = "ftrace",
						       .text = formats[i],
						       .len = strlen(formats[i]) });
	return err;
}

void dkt__perf_chain_events(struct dkt__perf *perf)
{
	static const char *const names[] = {
		[DKT__PERF_KERNEL] = "kernel_stack", [DKT__PERF_PROGRAM] = "user_stack"
	};

	for (int i = 0; i < DKT__PERF_STACKS; i++) {
		struct dkt_event *event =
			dkt_event_find(perf->streams.base.ctx, "ftrace", names[i]);
		const struct dkt_field *caller = event ? dkt_event_field(event, "caller") : NULL;

		/* The file's own event may have another layout. */
		if (caller && caller->offset == DKT__STACK_CALLERS &&
		    caller->element == perf->streams.base.ctx->long_size && dkt_event_id(event) > 0)
			perf->stacks[i].event = event;
	}
}

void dkt__perf_chain_clear(struct dkt__perf *perf)
{
	for (int i = 0; i < DKT__PERF_STACKS; i++)
		free(perf->stacks[i].data);
}

/* Returns the stack that follows a mark: enum perf_callchain_context. */
static int stack_of(uint64_t mark)
{
	return mark == PERF_CONTEXT_KERNEL ? DKT__PERF_KERNEL :
	       mark == PERF_CONTEXT_USER   ? DKT__PERF_PROGRAM :
					     NOWHERE;
}

/* Returns the stack of the addresses before any mark. */
static int first_stack(const struct dkt__perf_item *item)
{
	uint16_t mode = item->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_KERNEL ? DKT__PERF_KERNEL :
	       mode == PERF_RECORD_MISC_USER   ? DKT__PERF_PROGRAM :
						 NOWHERE;
}

/* False: memory is out. */
static bool reach(struct dkt__perf *perf, struct dkt__perf_stack *stack)
{
	if (!stack->data)
		stack->data = calloc(1, DKT__STACK_CALLERS + MAX_CALLERS * sizeof(uint64_t));
	if (!stack->data)
		dkt__no_memory(perf->streams.base.ctx);
	return stack->data;
}

/* Adds an address that stands for a name, or has none. */
static int add_name(struct dkt__perf *perf, int which, uint64_t address)
{
	struct dkt__perf_stack *stack = &perf->stacks[which];
	size_t size = perf->streams.base.ctx->long_size;
	uint32_t half;

	if (!reach(perf, stack))
		return -ENOMEM;
	half = (uint32_t)address;
	memcpy(stack->data + DKT__STACK_CALLERS + stack->n++ * size,
	       size == sizeof(half) ? (const void *)&half : (const void *)&address, size);
	return 0;
}

static int add_caller(struct dkt__perf *perf, int which, int32_t pid, uint64_t address)
{
	/* Address 0 is the end of the stack, which the unwinder did not recognize. */
	if (!perf->stacks[which].event || !address)
		return 0;
	address = dkt__perf_maps_name(perf, which == DKT__PERF_KERNEL ? -1 : pid, address);
	return add_name(perf, which, address);
}

/* Adds a function of an unwound chain, after those that were inlined into it. */
static int add_function(struct dkt__perf *perf, int32_t pid, uint64_t address)
{
	size_t n;
	const uint64_t *names = dkt__perf_inline_names(perf, pid, address, &n);
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = add_name(perf, DKT__PERF_PROGRAM, names[i]);
	return err ? err : add_caller(perf, DKT__PERF_PROGRAM, pid, address);
}

/* Adds n addresses in this machine's byte order. */
static int add_each(struct dkt__perf *perf, enum dkt__perf_callers_kind kind, int32_t pid,
		    const uint8_t *addresses, uint32_t n)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < n; i++) {
		uint64_t address;

		memcpy(&address, addresses + (size_t)i * sizeof(address), sizeof(address));
		err = kind == DKT__PERF_UNWOUND_CALLERS ? add_function(perf, pid, address) :
							  add_caller(perf, (int)kind, pid, address);
	}
	return err;
}

static uint64_t *names_in(struct dkt__perf_stack *stack)
{
	return (uint64_t *)(void *)(stack->data + DKT__STACK_CALLERS) + stack->n;
}

/*
 * Adds a whole stack, whose callers may be those of an earlier sample. own: the number of addresses at its
 * beginning that are different in each sample.
 */
static int add_stack(struct dkt__perf *perf, enum dkt__perf_callers_kind kind, int32_t pid,
		     const uint8_t *addresses, uint32_t n, uint32_t own)
{
	const int which = kind == DKT__PERF_KERNEL_CALLERS ? DKT__PERF_KERNEL : DKT__PERF_PROGRAM;
	struct dkt__perf_stack *stack = &perf->stacks[which];
	struct dkt__perf_callers callers = { .kind = kind,
					     .maps = dkt__perf_maps_of(
						     perf, which == DKT__PERF_KERNEL ? -1 : pid),
					     .addresses = addresses + own * sizeof(uint64_t),
					     .n = n - own };
	const bool whole = !stack->n;
	uint32_t first;
	int err;

	if (!stack->event || !reach(perf, stack))
		return stack->event ? -ENOMEM : 0;
	err = add_each(perf, kind, pid, addresses, own);
	stack->own = first = stack->n;
	if (err || !callers.n)
		return err;
	if (dkt__perf_callers_find(perf, &callers)) {
		memcpy(names_in(stack), callers.names, callers.n_names * sizeof(uint64_t));
		stack->n += callers.n_names;
	} else {
		callers.names = names_in(stack);
		err = add_each(perf, kind, pid, callers.addresses, callers.n);
		callers.n_names = stack->n - first;
		if (!err)
			dkt__perf_callers_keep(perf, &callers);
	}
	stack->number = whole ? callers.number : 0;
	return err;
}

/* Adds the callers that the program's saved stack tells. */
static int add_unwound(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	uint64_t addresses[DKT__PERF_UNWOUND];
	size_t n;

	/* An address that stands for a name takes eight bytes. */
	if (!perf->stacks[DKT__PERF_PROGRAM].event || perf->streams.base.ctx->long_size != 8)
		return 0;
	n = dkt__perf_unwind(perf, item, addresses);
	return add_stack(perf, DKT__PERF_UNWOUND_CALLERS, item->pid, (const uint8_t *)addresses,
			 (uint32_t)n, DKT__MIN((uint32_t)n, 1u));
}

/* The fixed part of a stack record. */
struct head {
	struct dkt__entry entry;
	int32_t size;
};

/* Attaches the found stacks to the record. */
static void carry(struct dkt__perf *perf, struct dkt_record *record)
{
	const struct dkt_stack *next = NULL;

	for (int i = DKT__PERF_STACKS; i--;) {
		struct dkt__perf_stack *stack = &perf->stacks[i];
		struct head head;

		if (!stack->n)
			continue;
		head = (struct head){ .entry = { .type = (uint16_t)dkt_event_id(stack->event),
						 .flags = record->flags,
						 .preempt = record->preempt,
						 .pid = record->pid },
				      .size = (int32_t)stack->n };
		memcpy(stack->data, &head, sizeof(head));
		stack->carried =
			(struct dkt_stack){ .event = stack->event,
					    .data = stack->data,
					    .size = DKT__STACK_CALLERS +
						    stack->n * perf->streams.base.ctx->long_size,
					    .own = stack->own,
					    .number = stack->number,
					    .next = next };
		next = &stack->carried;
	}
	record->stacks = next;
}

/* Adds the addresses of a chain one by one. */
static int add_chain(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, item->chain, (size_t)item->n_chain * 8);
	int which = first_stack(item), err = 0;
	bool in_program = false;

	while (!err && dkt__cursor_left(&cur)) {
		uint64_t address;

		memcpy(&address, cur.p, sizeof(address));
		cur.p += sizeof(address);
		if (dkt__unlikely(perf->swap))
			address = bswap_64(address);

		/* The program comes last: without frame pointers, what looks like a mark in it is garbage. */
		if (address >= PERF_CONTEXT_MAX && in_program)
			continue;
		in_program |= address == PERF_CONTEXT_USER;
		if (address >= PERF_CONTEXT_MAX)
			which = stack_of(address);
		else if (which != NOWHERE)
			err = add_caller(perf, which, item->pid, address);
	}
	return err;
}

/* Returns a word in the file's byte order. */
static uint64_t word_at(const struct dkt__perf_item *item, uint32_t i)
{
	uint64_t word;

	memcpy(&word, item->chain + (size_t)i * sizeof(word), sizeof(word));
	return word;
}

/*
 * Finds the next stack of a chain from *at on, with a mark before it. Returns false if it has another form: then
 * the addresses are added one by one.
 */
static bool next_stack(const struct dkt__perf_item *item, uint32_t *at, int *which, uint32_t *first)
{
	*which = stack_of(word_at(item, *at));
	*first = ++*at;
	if (*which == NOWHERE)
		return false;
	while (*at < item->n_chain && word_at(item, *at) < PERF_CONTEXT_MAX)
		++*at;
	/* The program comes last. */
	return *at == item->n_chain || *which != DKT__PERF_PROGRAM;
}

static bool is_regular(const struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	int which;
	uint32_t first;

	if (perf->swap || perf->streams.base.ctx->long_size != 8)
		return false;
	for (uint32_t at = 0; at < item->n_chain;)
		if (!next_stack(item, &at, &which, &first))
			return false;
	return true;
}

/* Adds the stacks of a chain. The place where the sample was taken is in the first one. */
static int add_stacks(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	uint32_t at = 0, first;
	int which, err = 0;

	while (!err && at < item->n_chain) {
		const bool innermost = !at;

		next_stack(item, &at, &which, &first);
		err = add_stack(perf, (enum dkt__perf_callers_kind)which, item->pid,
				item->chain + (size_t)first * sizeof(uint64_t), at - first,
				innermost && at > first);
	}
	return err;
}

static int add_words(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	if (!item->n_chain)
		return 0;
	return is_regular(perf, item) ? add_stacks(perf, item) : add_chain(perf, item);
}

/* The number of words in place of a chain that was recorded later: a mark and its cookie. */
#define DEFERRED 2

/* Gets the cookie at the end of a chain. False: it has none. */
static bool find_cookie(const struct dkt__perf *perf, const struct dkt__perf_item *item,
			uint64_t *cookie)
{
	const uint64_t mark = perf->swap ? bswap_64(DKT__PERF_DEFERRED_MARK) :
					   DKT__PERF_DEFERRED_MARK;

	if (item->n_chain < DEFERRED || word_at(item, item->n_chain - DEFERRED) != mark)
		return false;
	*cookie = word_at(item, item->n_chain - 1);
	if (perf->swap)
		*cookie = bswap_64(*cookie);
	return true;
}

/* Adds a chain whose end, that of the program, was recorded later. */
static int add_deferred(struct dkt__perf *perf, const struct dkt__perf_item *item, uint64_t cookie)
{
	struct dkt__perf_item part = *item;
	int err;

	part.n_chain -= DEFERRED;
	err = add_words(perf, &part);
	part.n_chain = dkt__perf_deferred_find(perf, cookie, &part.chain);
	return err ? err : add_words(perf, &part);
}

int dkt__perf_chain_take(struct dkt__perf *perf, const struct dkt__perf_item *item,
			 struct dkt_record *sample)
{
	uint64_t cookie;
	int err;

	for (int i = 0; i < DKT__PERF_STACKS; i++) {
		perf->stacks[i].n = perf->stacks[i].own = 0;
		perf->stacks[i].number = 0;
	}
	err = dkt__unlikely(find_cookie(perf, item, &cookie)) ? add_deferred(perf, item, cookie) :
								add_words(perf, item);
	if (!err && dkt__unlikely(item->stack))
		err = add_unwound(perf, item);
	carry(perf, sample);
	return err;
}
