/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages that have two records: one of the call, with all of the text, and one of the function.
 *
 * The second follows on the first, but interrupts may come between, and the process may go on
 * elsewhere. They are known by the process and its stack.
 */
#include "message_calls.h"

#include <string.h>

#include "util.h"

/* More are not under way at once; the oldest one is forgotten. */
#define MAX_CALLS 256

/* A process that is stopped between the two goes on in that time, ns. */
#define WINDOW UINT64_C(1000000000)

struct call {
	uint64_t stack;
	const struct message *message;
	struct dkt_record rec; /* its data are a copy */
};

struct message_calls {
	struct call calls[MAX_CALLS];
	size_t n;
	struct call last; /* of the record that was taken last; message NULL: it had none */
	uint64_t ts; /* of that record */
	uint32_t cpu;
	const void *data;
};

struct message_calls *message_calls_new(void)
{
	return calloc(1, sizeof(struct message_calls));
}

static void clear(struct call *call)
{
	free((void *)(uintptr_t)call->rec.data);
	*call = (struct call){ 0 };
}

void message_calls_free(struct message_calls *calls)
{
	size_t i;

	if (!calls)
		return;
	for (i = 0; i < calls->n; i++)
		clear(&calls->calls[i]);
	clear(&calls->last);
	free(calls);
}

/* Out of the list; who takes it frees it. */
static struct call take_out(struct message_calls *calls, size_t i)
{
	struct call call = calls->calls[i];

	calls->n--;
	memmove(&calls->calls[i], &calls->calls[i + 1], (calls->n - i) * sizeof(call));
	return call;
}

void message_calls_forget(struct message_calls *calls, const struct message *message)
{
	struct call call;
	size_t i;

	if (!calls)
		return;
	for (i = calls->n; i-- > 0;) {
		if (calls->calls[i].message != message)
			continue;
		call = take_out(calls, i);
		clear(&call);
	}
	if (calls->last.message == message)
		clear(&calls->last);
}

static void keep(struct message_calls *calls, const struct message *message,
		 const struct dkt_record *rec, uint64_t stack)
{
	struct call call = { .stack = stack, .message = message, .rec = *rec };
	void *data = malloc(rec->size + 1);

	/* Without memory the message is shown without the text of its call. */
	if (!data)
		return;
	memcpy(data, rec->data, rec->size);
	call.rec.data = data;
	if (calls->n == MAX_CALLS) {
		struct call oldest = take_out(calls, 0);

		clear(&oldest);
	}
	calls->calls[calls->n++] = call;
}

bool message_calls_take(struct message_calls *calls, const struct message *message,
			const struct dkt_record *rec)
{
	uint64_t stack;
	bool is_call;
	size_t i;

	if (!calls || !message_half(message, rec, &stack, &is_call))
		return false;
	/* Asked once more. */
	if (rec->ts == calls->ts && rec->cpu == calls->cpu && rec->data == calls->data)
		return is_call;
	clear(&calls->last);
	for (i = calls->n; i-- > 0;)
		if (calls->calls[i].stack == stack && calls->calls[i].rec.pid == rec->pid)
			break;
	/* One that is there when the next one comes has no second record. */
	if (i < calls->n) {
		calls->last = take_out(calls, i);
		if (is_call || rec->ts - calls->last.rec.ts > WINDOW)
			clear(&calls->last);
	}
	if (is_call)
		keep(calls, message, rec, stack);
	calls->ts = rec->ts;
	calls->cpu = rec->cpu;
	calls->data = rec->data;
	return is_call;
}

const struct message *message_calls_get(const struct message_calls *calls,
					const struct dkt_record *rec,
					const struct dkt_record **call)
{
	if (!calls || rec->ts != calls->ts || rec->cpu != calls->cpu)
		return NULL;
	*call = &calls->last.rec;
	return calls->last.message;
}
