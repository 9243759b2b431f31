/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins messages of several records: keeps the first ones until the record that shows the message.
 *
 * That record follows at once, but interrupts may come between, and the process may move to another
 * CPU. The records are matched by process and stack.
 */
#include "lustre/message/parts.h"

#include "base/util.h"

/* Limit of parts that wait for their message; the oldest one is then dropped. */
#define MAX_PARTS 256

/* Limit of the time between two records of a message, in ns. */
#define WINDOW UINT64_C(1000000000)

struct part {
	uint64_t stack;
	enum message_part kind;
	const struct message *message; /* NULL: unused */
	struct dkt_record rec; /* with a copy of the data */
};

struct message_parts {
	struct part list[MAX_PARTS];
	size_t n;
	struct part last[MESSAGE_CALL + 1]; /* parts of the last record, by kind */
	uint64_t ts; /* of that record */
	uint32_t cpu;
	const void *data;
	struct part left; /* the last result of message_parts_left() */
};

struct message_parts *message_parts_new(void)
{
	return calloc(1, sizeof(struct message_parts));
}

static void clear(struct part *part)
{
	free((void *)(uintptr_t)part->rec.data);
	*part = (struct part){ 0 };
}

static void clear_last(struct message_parts *parts)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts->last); i++)
		clear(&parts->last[i]);
}

void message_parts_free(struct message_parts *parts)
{
	if (!parts)
		return;
	for (size_t i = 0; i < parts->n; i++)
		clear(&parts->list[i]);
	clear_last(parts);
	clear(&parts->left);
	free(parts);
}

/* Removes a part from the list; the caller frees it. */
static struct part take_out(struct message_parts *parts, size_t i)
{
	struct part part = parts->list[i];

	parts->n--;
	memmove(&parts->list[i], &parts->list[i + 1], (parts->n - i) * sizeof(part));
	return part;
}

static void drop(struct message_parts *parts, size_t i)
{
	struct part part = take_out(parts, i);

	clear(&part);
}

void message_parts_forget(struct message_parts *parts, const struct message *message)
{
	for (size_t i = parts ? parts->n : 0; i-- > 0;)
		if (parts->list[i].message == message)
			drop(parts, i);
	for (size_t i = 0; parts && i < ARRAY_SIZE(parts->last); i++)
		if (parts->last[i].message == message)
			clear(&parts->last[i]);
	if (parts && parts->left.message == message)
		clear(&parts->left);
}

static void keep(struct message_parts *parts, const struct part *part)
{
	void *data = malloc(part->rec.size + 1);

	/* Without memory, the message is printed without this part. */
	if (!data)
		return;
	memcpy(data, part->rec.data, part->rec.size);
	if (parts->n == MAX_PARTS)
		drop(parts, 0);
	parts->list[parts->n] = *part;
	parts->list[parts->n++].rec.data = data;
}

/*
 * Takes the parts of a message out of the list. A part that is still there when the next one of its
 * kind comes belongs to a message whose other records are lost.
 */
static void collect(struct message_parts *parts, const struct part *now)
{
	for (size_t i = parts->n; i-- > 0;) {
		struct part *part = &parts->list[i];

		if (part->stack != now->stack || part->rec.pid != now->rec.pid)
			continue;
		if (now->kind == part->kind ||
		    (now->kind == MESSAGE_WHOLE &&
		     (now->rec.ts - part->rec.ts > WINDOW || parts->last[part->kind].message)))
			drop(parts, i);
		else if (now->kind == MESSAGE_WHOLE)
			parts->last[part->kind] = take_out(parts, i);
	}
}

bool message_parts_take(struct message_parts *parts, const struct message *message,
			const struct dkt_record *rec)
{
	struct part part = { .message = message, .rec = *rec };

	if (parts->left.message && rec->data == parts->left.rec.data)
		return false;
	part.kind = message_part(message, rec, &part.stack);
	/* The caller asks about the same record again. */
	if (rec->ts == parts->ts && rec->cpu == parts->cpu && rec->data == parts->data)
		return part.kind != MESSAGE_WHOLE;
	clear_last(parts);
	parts->ts = rec->ts;
	parts->cpu = rec->cpu;
	parts->data = rec->data;
	if (part.stack)
		collect(parts, &part);
	if (part.kind != MESSAGE_WHOLE)
		keep(parts, &part);
	return part.kind != MESSAGE_WHOLE;
}

const struct message *message_parts_get(const struct message_parts *parts,
					const struct dkt_record *whole, enum message_part kind,
					const struct dkt_record **record)
{
	if (!parts || whole->ts != parts->ts || whole->cpu != parts->cpu)
		return NULL;
	*record = &parts->last[kind].rec;
	return parts->last[kind].message;
}

bool message_parts_left(struct message_parts *parts, uint32_t cpu, uint64_t after,
			struct dkt_record *record)
{
	const struct part *newest = NULL;
	size_t best = 0;

	clear(&parts->left);
	for (size_t i = 0; i < parts->n; i++)
		if (parts->list[i].rec.cpu == cpu && parts->list[i].rec.ts > after)
			newest = &parts->list[best = i];
	if (!newest)
		return false;
	/* Prefer the record of the call, which has the whole text. */
	for (size_t i = 0; i < parts->n; i++)
		if (parts->list[i].kind == MESSAGE_CALL && parts->list[i].stack == newest->stack &&
		    parts->list[i].rec.pid == newest->rec.pid)
			best = i;
	parts->left = take_out(parts, best);
	/* A probe within a function is a trap, which the kernel counts as an interrupt. */
	if (parts->left.kind == MESSAGE_CALL && parts->left.rec.flags & DKT_REC_NMI)
		parts->left.rec.flags &= ~(DKT_REC_NMI | DKT_REC_HARDIRQ);
	*record = parts->left.rec;
	return true;
}
