/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins messages of several records: keeps the first ones until the record that shows the message.
 *
 * That record follows at once, but interrupts may come between, and the process may move to another
 * CPU. The records are matched by process and stack.
 */
#include "compat/lustre/message/joiner.h"

#include "lib/base/util.h"

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

struct message_joiner {
	struct part list[MAX_PARTS];
	size_t n;
	struct part last[MESSAGE_CALL + 1]; /* parts of the last record, by kind */
	uint64_t ts; /* of that record */
	uint32_t cpu;
	const void *data;
	struct part left; /* the last result of dkl_message_joiner_left() */
};

struct message_joiner *dkl_message_joiner_new(void)
{
	return calloc(1, sizeof(struct message_joiner));
}

static void clear(struct part *part)
{
	free((void *)(uintptr_t)part->rec.data);
	*part = (struct part){ 0 };
}

static void clear_last(struct message_joiner *joiner)
{
	for (size_t i = 0; i < ARRAY_SIZE(joiner->last); i++)
		clear(&joiner->last[i]);
}

void dkl_message_joiner_free(struct message_joiner *joiner)
{
	if (!joiner)
		return;
	for (size_t i = 0; i < joiner->n; i++)
		clear(&joiner->list[i]);
	clear_last(joiner);
	clear(&joiner->left);
	free(joiner);
}

/* Removes a part from the list; the caller frees it. */
static struct part take_out(struct message_joiner *joiner, size_t i)
{
	struct part part = joiner->list[i];

	joiner->n--;
	memmove(&joiner->list[i], &joiner->list[i + 1], (joiner->n - i) * sizeof(part));
	return part;
}

static void drop(struct message_joiner *joiner, size_t i)
{
	struct part part = take_out(joiner, i);

	clear(&part);
}

void dkl_message_joiner_forget(struct message_joiner *joiner, const struct message *message)
{
	for (size_t i = joiner ? joiner->n : 0; i-- > 0;)
		if (joiner->list[i].message == message)
			drop(joiner, i);
	for (size_t i = 0; joiner && i < ARRAY_SIZE(joiner->last); i++)
		if (joiner->last[i].message == message)
			clear(&joiner->last[i]);
	if (joiner && joiner->left.message == message)
		clear(&joiner->left);
}

static void keep(struct message_joiner *joiner, const struct part *part)
{
	void *data = malloc(part->rec.size + 1);

	/* Without memory, the message is printed without this part. */
	if (!data)
		return;
	memcpy(data, part->rec.data, part->rec.size);
	if (joiner->n == MAX_PARTS)
		drop(joiner, 0);
	joiner->list[joiner->n] = *part;
	joiner->list[joiner->n++].rec.data = data;
}

/*
 * Takes the parts of a message out of the list. A part that is still there when the next one of its
 * kind comes belongs to a message whose other records are lost.
 */
static void collect(struct message_joiner *joiner, const struct part *now)
{
	for (size_t i = joiner->n; i-- > 0;) {
		struct part *part = &joiner->list[i];

		if (part->stack != now->stack || part->rec.pid != now->rec.pid)
			continue;
		if (now->kind == part->kind ||
		    (now->kind == MESSAGE_WHOLE &&
		     (now->rec.ts - part->rec.ts > WINDOW || joiner->last[part->kind].message)))
			drop(joiner, i);
		else if (now->kind == MESSAGE_WHOLE)
			joiner->last[part->kind] = take_out(joiner, i);
	}
}

bool dkl_message_joiner_take(struct message_joiner *joiner, const struct message *message,
			     const struct dkt_record *rec)
{
	struct part part = { .message = message, .rec = *rec };

	if (joiner->left.message && rec->data == joiner->left.rec.data)
		return false;
	part.kind = dkl_message_part(message, rec, &part.stack);
	if (part.kind == MESSAGE_CALL && !dkl_message_is_complete(message, rec))
		return true;
	/* The caller asks about the same record again. */
	if (rec->ts == joiner->ts && rec->cpu == joiner->cpu && rec->data == joiner->data)
		return part.kind != MESSAGE_WHOLE;
	clear_last(joiner);
	joiner->ts = rec->ts;
	joiner->cpu = rec->cpu;
	joiner->data = rec->data;
	if (part.stack)
		collect(joiner, &part);
	if (part.kind != MESSAGE_WHOLE)
		keep(joiner, &part);
	return part.kind != MESSAGE_WHOLE;
}

const struct message *dkl_message_joiner_get(const struct message_joiner *joiner,
					     const struct dkt_record *whole, enum message_part kind,
					     const struct dkt_record **record)
{
	if (!joiner || whole->ts != joiner->ts || whole->cpu != joiner->cpu)
		return NULL;
	*record = &joiner->last[kind].rec;
	return joiner->last[kind].message;
}

bool dkl_message_joiner_left(struct message_joiner *joiner, uint32_t cpu, uint64_t after,
			     struct dkt_record *record)
{
	const struct part *newest = NULL;
	size_t best = 0;

	clear(&joiner->left);
	for (size_t i = 0; i < joiner->n; i++)
		if (joiner->list[i].rec.cpu == cpu && joiner->list[i].rec.ts > after)
			newest = &joiner->list[best = i];
	if (!newest)
		return false;
	/* Prefer the record of the call, which has the whole text. */
	for (size_t i = 0; i < joiner->n; i++)
		if (joiner->list[i].kind == MESSAGE_CALL &&
		    joiner->list[i].stack == newest->stack &&
		    joiner->list[i].rec.pid == newest->rec.pid)
			best = i;
	joiner->left = take_out(joiner, best);
	/* A probe within a function is a trap, which the kernel counts as an interrupt. */
	if (joiner->left.kind == MESSAGE_CALL && joiner->left.rec.flags & DKT_REC_NMI)
		joiner->left.rec.flags &= ~(DKT_REC_NMI | DKT_REC_HARDIRQ);
	*record = joiner->left.rec;
	return true;
}
