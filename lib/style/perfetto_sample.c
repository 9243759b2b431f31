/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of perf as Perfetto's samples of call stacks. Each name, frame and stack is written once. */
#include "lib/style/perfetto.h"

/* The kernel itself, as perf names it. */
#define KERNEL  "[kernel.kallsyms]"
#define UNKNOWN "[unknown]"

/* The functions of a stack; the kernel records fewer. */
#define DEPTH_MAX 1024u

/* IDs begin at 1. */
static uint64_t iid_of(uint32_t number)
{
	return (uint64_t)number + 1;
}

/* Returns the ID of a text, which is written if it is new; 0: no memory. */
static uint64_t intern_text(struct dkt__intern *texts, uint32_t kind, const char *text,
			    struct dkt_buf *buf)
{
	const uint32_t n = texts->n;
	const uint32_t number = dkt__intern(texts, text, (uint32_t)strlen(text));

	if (number == UINT32_MAX)
		return 0;
	if (texts->n > n)
		dkt__perfetto_intern(buf, kind, iid_of(number), text);
	return iid_of(number);
}

/* A file is one mapping: only the names of its functions are known. */
static uint64_t intern_file(struct perfetto_samples *samples, const char *file, struct dkt_buf *buf)
{
	const uint32_t n = samples->files.n;
	const uint64_t iid = intern_text(&samples->files, INTERNED_PATHS, file, buf);
	size_t mapping;

	if (!iid || samples->files.n == n)
		return iid;
	mapping = dkt__proto_open(buf, INTERNED_MAPPINGS);
	dkt__proto_uint(buf, MAPPING_IID, iid);
	dkt__proto_uint(buf, MAPPING_PATH_IID, iid);
	dkt__proto_close(buf, mapping);
	return iid;
}

static uint64_t intern_frame(struct perfetto_samples *samples, const char *function,
			     const char *file, struct dkt_buf *buf)
{
	const uint64_t key[] = { intern_text(&samples->functions, INTERNED_FUNCTIONS, function,
					     buf),
				 intern_file(samples, file, buf) };
	const uint32_t n = samples->frames.n;
	const uint32_t number = dkt__intern(&samples->frames, key, sizeof(key));
	size_t frame;

	if (!key[0] || !key[1] || number == UINT32_MAX)
		return 0;
	if (samples->frames.n == n)
		return iid_of(number);
	frame = dkt__proto_open(buf, INTERNED_FRAMES);
	dkt__proto_uint(buf, FRAME_IID, iid_of(number));
	dkt__proto_uint(buf, FRAME_FUNCTION_IID, key[0]);
	dkt__proto_uint(buf, FRAME_MAPPING_IID, key[1]);
	/* Perfetto takes frames with one place for the same one. */
	dkt__proto_uint(buf, FRAME_REL_PC, number);
	dkt__proto_close(buf, frame);
	return iid_of(number);
}

static uint64_t intern_address(struct perfetto_samples *samples, struct dkt_ctx *ctx,
			       uint64_t address, bool user, struct dkt_buf *buf)
{
	const char *name = dkt__stack_symbol(ctx, address, user, NULL);
	const char *module = name ? dkt__symbol_module(ctx, address) : NULL;

	return intern_frame(samples, name ?: UNKNOWN, module ?: user ? UNKNOWN : KERNEL, buf);
}

/* Adds the frames of a stack to the list, the outermost first. -ENOMEM. */
static int add_frames(struct perfetto_samples *samples, struct dkt_ctx *ctx,
		      const struct dkt_stack *stack, struct dkt_buf *buf)
{
	const bool user = dkt__stack_is_user(stack->event);
	uint32_t n = 0;

	while (n < DEPTH_MAX && dkt__stack_caller(stack, n))
		n++;
	while (n) {
		const uint64_t iid =
			intern_address(samples, ctx, dkt__stack_caller(stack, --n), user, buf);

		if (!iid)
			return -ENOMEM;
		dkt__buf_add(&samples->stack, &iid, sizeof(iid));
	}
	return samples->stack.err;
}

/* Returns the ID of the stack in samples->stack; 0: no memory. */
static uint64_t intern_stack(struct perfetto_samples *samples, struct dkt_buf *buf)
{
	const uint32_t n = samples->stacks.n;
	const uint32_t number =
		dkt__intern(&samples->stacks, samples->stack.data, (uint32_t)samples->stack.len);
	size_t stack;

	if (number == UINT32_MAX || samples->stacks.n == n)
		return number == UINT32_MAX ? 0 : iid_of(number);
	stack = dkt__proto_open(buf, INTERNED_CALLSTACKS);
	dkt__proto_uint(buf, CALLSTACK_IID, iid_of(number));
	for (size_t at = 0; at < samples->stack.len; at += sizeof(uint64_t)) {
		uint64_t frame;

		memcpy(&frame, samples->stack.data + at, sizeof(frame));
		dkt__proto_uint(buf, CALLSTACK_FRAME_IIDS, frame);
	}
	dkt__proto_close(buf, stack);
	return iid_of(number);
}

bool dkt__perfetto_is_sample(const struct dkt_record *record)
{
	return record->event && record->stacks && !strcmp(record->event->system, "perf");
}

int dkt__perfetto_sample(struct perfetto_samples *samples, struct dkt_ctx *ctx,
			 const struct dkt_record *record, struct dkt_buf *buf)
{
	const struct dkt_field *process = dkt_event_field(record->event, "tgid");
	const size_t packet = dkt__perfetto_packet(buf, record->ts, SEQUENCE_FLAGS_NEEDS_STATE);
	const size_t interned = dkt__proto_open(buf, PACKET_INTERNED_DATA);
	bool in_kernel = false;
	uint64_t iid;
	size_t sample;
	int err = 0;

	samples->stack.len = 0;
	/* The program's stack is outside of the kernel's. */
	for (int user = 1; user >= 0; user--)
		for (const struct dkt_stack *stack = record->stacks; !err && stack;
		     stack = stack->next) {
			if (dkt__stack_is_user(stack->event) != user)
				continue;
			in_kernel |= !user;
			err = add_frames(samples, ctx, stack, buf);
		}
	iid = err ? 0 : intern_stack(samples, buf);
	dkt__proto_close(buf, interned);
	sample = dkt__proto_open(buf, PACKET_PERF_SAMPLE);
	dkt__proto_uint(buf, SAMPLE_CPU, record->cpu);
	dkt__proto_uint(buf, SAMPLE_PID,
			process ? (uint64_t)dkt_record_int(record, process) :
				  (uint32_t)record->pid);
	dkt__proto_uint(buf, SAMPLE_TID, (uint32_t)record->pid);
	dkt__proto_uint(buf, SAMPLE_CALLSTACK_IID, iid);
	dkt__proto_uint(buf, SAMPLE_CPU_MODE, in_kernel ? CPU_MODE_KERNEL : CPU_MODE_USER);
	dkt__proto_close(buf, sample);
	dkt__proto_close(buf, packet);
	return iid ? buf->err : -ENOMEM;
}

void dkt__perfetto_samples_clear(struct perfetto_samples *samples)
{
	dkt__intern_clear(&samples->functions);
	dkt__intern_clear(&samples->files);
	dkt__intern_clear(&samples->frames);
	dkt__intern_clear(&samples->stacks);
	free(samples->stack.data);
}
