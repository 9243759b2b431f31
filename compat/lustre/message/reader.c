/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The messages of one kernel's records, whichever of its events they are from and however many
 * records each of them has.
 */
#include "compat/lustre/message/reader.h"

#include "compat/lustre/message/joiner.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"
#include "lib/inside.h"

struct known {
	const struct dkt_event *event; /* NULL: not asked for yet */
	const struct message *message; /* NULL: not a message */
};

struct message_reader {
	struct dkt_ctx *ctx;
	struct message_joiner *joiner;
	struct known *by_index; /* of dkt__event_index() */
	size_t n_by_index;
	struct known other; /* the last event without an index */
	struct known *all; /* all messages, which own their fields */
	size_t n_all;
	uint64_t *last; /* by CPU: the time of the last record that is not a part of a message */
	size_t n_last;
};

int dkl_message_reader_new(struct dkt_ctx *ctx, struct message_reader **out)
{
	struct message_reader *reader = calloc(1, sizeof(*reader));

	*out = NULL;
	if (!reader)
		return dkt__no_memory(ctx);
	reader->ctx = ctx;
	reader->joiner = dkl_message_joiner_new();
	if (!reader->joiner) {
		free(reader);
		return dkt__no_memory(ctx);
	}
	*out = reader;
	return 0;
}

void dkl_message_reader_free(struct message_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->n_all; i++)
		dkl_message_free((struct message *)(uintptr_t)reader->all[i].message);
	dkl_message_joiner_free(reader->joiner);
	free(reader->all);
	free(reader->by_index);
	free(reader->last);
	free(reader);
}

/* ---- events ---- */

/* Looks for the event among all messages, which are few, or adds it there. */
static const struct message *find(struct message_reader *reader, struct dkt_event *event)
{
	struct known new = { .event = event };
	struct message *message;

	for (size_t i = 0; i < reader->n_all; i++)
		if (reader->all[i].event == event)
			return reader->all[i].message;
	new.message = message = dkl_message_new(reader->ctx, event, reader->joiner);
	if (!message || !dkt__append(reader->all, reader->n_all, new))
		return message;
	dkl_message_free(message);
	return NULL;
}

const struct message *dkl_message_reader_get(struct message_reader *reader, struct dkt_event *event)
{
	const size_t index = dkt__event_index(event);
	struct known *known = &reader->other;

	/* Without memory for the list, the event is only looked for again. */
	if (index != SIZE_MAX)
		known = dkt__reach(reader->by_index, reader->n_by_index, index) ?: known;
	/* A newer event can have the index of one that has left the kernel. */
	if (known->event != event)
		*known = (struct known){ event, find(reader, event) };
	return known->message;
}

/* ---- records ---- */

bool dkl_message_reader_keep(struct message_reader *reader, const struct dkt_record *record)
{
	uint64_t *last = dkt__reach(reader->last, reader->n_last, record->cpu);
	const struct message *message =
		record->event ? dkl_message_reader_get(reader, record->event) : NULL;
	bool part = message && dkl_message_joiner_take(reader->joiner, message, record);

	if (last && !part)
		*last = record->ts;
	return part;
}

bool dkl_message_reader_left(struct message_reader *reader, struct dkt_record *record)
{
	for (size_t cpu = 0; cpu < reader->n_last; cpu++) {
		if (!dkl_message_joiner_left(reader->joiner, (uint32_t)cpu, reader->last[cpu],
					     record))
			continue;
		reader->last[cpu] = record->ts;
		return true;
	}
	return false;
}
