/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A message of Lustre's log as the analyses read it, whatever kind of source it is from. */
#include "compat/lustre_log/line.h"

#include "compat/lustre/binary/event.h"
#include "compat/lustre/log_source.h"
#include "compat/lustre/log_text.h"
#include "compat/lustre/message.h"
#include "lib/base/error.h"
#include "lib/base/memory.h"

struct line_reader {
	uint32_t host;
	bool log; /* the source is a text or binary log, see dkl_log_source_is() */
	struct dkt_buf *text;
	struct message_reader *messages; /* of the pipeline's part */
};

static void reader_free(struct line_reader *reader)
{
	if (!reader)
		return;
	dkt_buf_free(reader->text);
	free(reader);
}

/* A reader for records of one file. */
static int reader_new(struct pipeline_part *part, uint32_t host, struct line_reader **out)
{
	struct line_reader *reader = calloc(1, sizeof(*reader));

	*out = NULL;
	if (!reader || dkt_buf_new(&reader->text) || dkl_pipeline_messages(part)) {
		reader_free(reader);
		return dkt__no_memory(part->ctx);
	}
	reader->host = host;
	reader->log = dkl_log_source_is(part->source);
	reader->messages = part->messages;
	*out = reader;
	return 0;
}

/* Reads an event that has the fields of a message, such as that of Lustre's tracepoint. */
static bool read_message(struct line_reader *reader, const struct dkt_record *record,
			 struct log_line *line)
{
	const struct message *message = dkl_message_reader_get(reader->messages, record->event);
	struct message_key key;
	size_t len;

	if (!message || dkl_message_reader_keep(reader->messages, record))
		return false;
	dkl_message_key(message, record, 0, &key);
	line->classes = key.classes;
	line->subsystems = key.subsystems;
	line->number = key.line;
	line->file = (struct part){ key.file, key.file_len };
	line->function = (struct part){ key.function, key.function_len };
	dkt_buf_reset(reader->text);
	dkl_message_put_text(message, record, reader->text);
	line->text.p = dkt_buf_data(reader->text, &len);
	while (len && line->text.p[len - 1] == '\n')
		len--;
	line->text.len = len;
	return true;
}

bool dkl_line_is_start(const struct log_line *line)
{
	return part_begins(&line->text, LOG_TEXT_START);
}

bool dkl_line_any(struct dkt_ctx *ctx)
{
	static const char *const names[][2] = { { "lustre_debug", "lustre_debug_msg" },
						{ "dktrace", "cdebug" },
						{ "libcfs", "libcfs_debug_msg" } };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct dkt_event *event = dkt_event_find(ctx, names[i][0], names[i][1]);

		if (event && dkl_message_is(event))
			return true;
		free(dkt__error_take(ctx));
	}
	return false;
}

bool dkl_line_read(struct line_reader *reader, const struct dkt_record *record,
		   struct log_line *line)
{
	struct record_head head;
	struct record_texts texts;

	line->time = record->ts;
	line->host = reader->host;
	line->cpu = record->cpu;
	line->pid = record->pid;
	line->record = record;
	if (!reader->log || !dkl_record_event_read(record, &head, &texts))
		return read_message(reader, record, line);
	line->classes = head.mask;
	line->subsystems = head.subsystem;
	line->number = head.line;
	line->file = (struct part){ texts.file, texts.file_len };
	line->function = (struct part){ texts.function, texts.function_len };
	line->text = (struct part){ texts.text, texts.text_len };
	return true;
}

/* ---- one for each file of a pipeline ---- */

int dkl_line_readers_init(struct line_readers *readers, const struct pipeline *line)
{
	int err = 0;

	*readers = (struct line_readers){ .of = calloc(line->n, sizeof(*readers->of)) };
	if (!readers->of)
		return dkt__no_memory(line->ctx);
	for (size_t i = 0; !err && i < line->n; i++) {
		err = reader_new(&line->parts[i], (uint32_t)i, &readers->of[i]);
		readers->n = i + 1;
	}
	return err;
}

void dkl_line_readers_clear(struct line_readers *readers)
{
	for (size_t i = 0; i < readers->n; i++)
		reader_free(readers->of[i]);
	free(readers->of);
	*readers = (struct line_readers){ 0 };
}
