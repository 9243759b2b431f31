/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of fields that periods are told apart by, and that they show. */
#pragma once

#include "answers/analyze/running.h"

enum period_reads {
	PERIOD_READS_NOTHING, /* the event lacks the field */
	PERIOD_READS_NUMBER,
	PERIOD_READS_TEXT,
	PERIOD_READS_PID,
	PERIOD_READS_CPU,
	PERIOD_READS_COMM,
};

/* A field of one event. */
struct period_reader {
	enum period_reads reads;
	const struct dkt_field *field;
};

/* Finds a field as filters do: one of the event's own, or PID, CPU or COMM. */
struct period_reader period_reader(struct dkt_event *event, const char *name);

static inline bool period_has_field(struct dkt_event *event, const char *name)
{
	return period_reader(event, name).reads != PERIOD_READS_NOTHING;
}

/* Reads the value. Equal texts have equal addresses. Returns -ENOMEM, or 0. */
int period_read(struct analyze *a, const struct period_reader *reader,
		const struct analysis_record *r, struct dkt_variable *value);

/* The value as a word of a key. False: it is not known. */
static inline bool period_word(const struct dkt_variable *value, uint64_t *word)
{
	*word = value->text ? (uintptr_t)value->text : (uint64_t)value->number;
	return value->known;
}

static inline bool period_same(const struct dkt_variable *a, const struct dkt_variable *b)
{
	return a->known == b->known && a->text == b->text && a->number == b->number;
}
