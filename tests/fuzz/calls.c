/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the joining of system calls from hostile records, the learning of names, and the text. */
#include "answers/strace/stack.h"
#include "answers/strace/text.h"

#include "tests/fuzz/replay.h"
#include "tests/helper/call_events.h"

struct room {
	struct descriptors *names;
	struct dkt_buf *buf;
	size_t calls;
};

static int take(void *data, const struct call *call)
{
	struct room *r = data;
	const struct call_text text = {
		.descriptors = r->names, .machine = (enum call_machine)((unsigned int)call->tid % 3)
	};
	const char *bytes;
	size_t len;

	must(call->kind && call->n_args <= CALL_ARGS);
	must(call->stacks && call->stacks->kernel.n <= 16 && call->stacks->user.n <= 16);
	dkt_buf_reset(r->buf);
	call_text(&text, call, r->buf);
	bytes = dkt_buf_data(r->buf, &len);
	/* Nothing of a record controls the terminal. */
	for (size_t i = 0; i < len; i++)
		must((unsigned char)bytes[i] >= ' ' && bytes[i] != 0x7f);
	r->calls++;
	return descriptors_learn(r->names, call);
}

static int take_task(void *data, const struct call_task *task)
{
	return descriptors_task(((struct room *)data)->names, task);
}

/* A record is its event, thread and size, a byte each, then its bytes; event 255: a gap. */
static void add_all(struct calls *calls, struct dkt_event *const *events, const uint8_t *data,
		    size_t size)
{
	for (uint64_t ts = 1; size >= 3; ts++) {
		struct dkt_record record = { .ts = ts, .pid = data[1] % 8, .stream = data[1] >> 6 };
		size_t len = data[2] % 128;
		uint8_t *exact;

		if (data[0] != 255)
			record.event = events[data[0] % CALL_EVENTS];
		data += 3;
		size -= 3;
		record.size = (uint32_t)(len < size ? len : size);
		/* So that a sanitizer sees a read past the end. */
		exact = malloc(record.size + !record.size);
		must(exact);
		memcpy(exact, data, record.size);
		record.data = exact;
		must(!calls_add(calls, &record));
		free(exact);
		data += record.size;
		size -= record.size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	DKT_OPTS(dkt_ctx_opts, opts, .machine = "x86_64");
	struct room r = { 0 };
	const struct calls_opts calls_opts = {
		.call = take, .task = take_task, .data = &r, .texts = true, .stacks = true
	};
	struct dkt_event *events[CALL_EVENTS];
	struct calls_info info;
	struct dkt_ctx *ctx;
	struct calls *calls;

	must(!dkt_ctx_new(&opts, &ctx) && !call_events_define(ctx, events));
	must(!descriptors_new(&r.names) && !dkt_buf_new(&r.buf));
	must(!calls_new(ctx, &calls_opts, &calls));
	add_all(calls, events, data, size);
	must(!calls_finish(calls));
	calls_info(calls, &info);
	must(info.ended + info.lost + info.unfinished + info.no_begin + info.no_end == r.calls);
	calls_free(calls);
	descriptors_free(r.names);
	dkt_buf_free(r.buf);
	dkt_ctx_free(ctx);
	return 0;
}
