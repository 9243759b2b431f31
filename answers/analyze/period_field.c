/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the values of fields for periods. */
#include "answers/analyze/period_field.h"

#include "lib/base/every_field.h"
#include "lib/base/memory.h"

static bool is_number(const struct dkt_field *field)
{
	if (field->flags & DKT_FIELD_ARRAY)
		return false;
	return field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
}

struct period_reader period_reader(struct dkt_event *event, const char *name)
{
	static const enum period_reads every[] = {
		[DKT__EVERY_NONE] = PERIOD_READS_NOTHING,
		[DKT__EVERY_COMM] = PERIOD_READS_COMM,
		[DKT__EVERY_PID] = PERIOD_READS_PID,
		[DKT__EVERY_CPU] = PERIOD_READS_CPU,
	};
	const enum period_reads reads = every[dkt__every_field(name, strlen(name))];
	const struct dkt_field *field = dkt_event_field(event, name);

	/* The event's own comm need not be the current process. */
	if (field && !(field->flags & DKT_FIELD_COMMON)) {
		if (is_number(field))
			return (struct period_reader){ PERIOD_READS_NUMBER, field };
		if (field->flags & DKT_FIELD_STRING)
			return (struct period_reader){ PERIOD_READS_TEXT, field };
		return (struct period_reader){ 0 };
	}
	if (reads)
		return (struct period_reader){ reads, NULL };
	return field ? (struct period_reader){ PERIOD_READS_NUMBER, field } :
		       (struct period_reader){ 0 };
}

static struct dkt_variable number(int64_t value)
{
	return (struct dkt_variable){ .known = true, .number = value };
}

static int keep_text(struct analyze *a, const char *text, size_t len, struct dkt_variable *value)
{
	text = texts_keep(&a->texts, text, len);
	if (!text)
		return dkt__no_memory(a->ctx);
	*value = (struct dkt_variable){ .known = true, .text = text, .len = strlen(text) };
	return 0;
}

int period_read(struct analyze *a, const struct period_reader *reader,
		const struct analysis_record *r, struct dkt_variable *value)
{
	const struct dkt_record *record = r->record;
	const char *text;
	size_t len;

	*value = (struct dkt_variable){ 0 };
	switch (reader->reads) {
	case PERIOD_READS_NUMBER:
		*value = number(dkt_record_int(record, reader->field));
		return 0;
	case PERIOD_READS_PID:
		*value = number(record->pid);
		return 0;
	case PERIOD_READS_CPU:
		*value = number(record->cpu);
		return 0;
	case PERIOD_READS_TEXT:
		text = dkt_record_bytes(record, reader->field, &len);
		return keep_text(a, text, len, value);
	case PERIOD_READS_COMM:
		text = dkt_source_comm(r->source, record);
		return keep_text(a, text, strlen(text), value);
	case PERIOD_READS_NOTHING:
		break;
	}
	return 0;
}
