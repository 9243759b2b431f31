/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool's styles: the legacy style and the library's, behind one interface. */
#include "compat/lustre/style.h"

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/ticks.h"
#include "lib/base/util.h"
#include "lib/inside.h"

#define LEGACY "legacy"

struct style {
	struct legacy_style *legacy; /* knows classes and messages for all styles; NULL: no map */
	struct dkt_style *lib; /* NULL: the legacy style */
	int64_t wall; /* to be added to a record's time */
	const struct dkt_event *plain[64]; /* a cache of events that are not messages */
	const struct dkt_event *own; /* set by dkl_style_own() */
	const struct message *message; /* fields of its records */
	void (*own_line)(void *data, struct dkt_buf *buf);
	void *own_data;
	bool raw_text;
};

int dkl_style_get(size_t i, struct dkt_style_info *info)
{
	if (i)
		return dkt_style_get(i - 1, info, sizeof(*info));
	*info = (struct dkt_style_info){ .name = LEGACY, .words = "lines of Lustre's debug log" };
	return 0;
}

int dkl_style_find(const char *name, struct dkt_style_info *info)
{
	for (size_t i = 0; !dkl_style_get(i, info); i++)
		if (!name || !strcmp(info->name, name))
			return 0;
	return -ENOENT;
}

const char *dkl_style_guess(struct dkt__guess *guess, const char *name)
{
	struct dkt_style_info info;

	dkt__guess_start(guess, name, strlen(name));
	for (size_t i = 0; !dkl_style_get(i, &info); i++)
		dkt__guess_try(guess, info.name);
	return dkt__guess_words(guess);
}

/* Prints the text of a message, which its event's print format does not have. */
static bool message_text(void *data, const struct dkt_record *record, struct dkt_buf *buf)
{
	const struct style *style = data;
	const struct message *message = NULL;

	if (record->event == style->own)
		message = style->message;
	else if (style->legacy)
		message = dkl_legacy_style_message(style->legacy, record);
	if (message && buf)
		dkl_message_line(message, record, ") ", buf);
	return message;
}

static int style_init(struct style *style, struct dkt_ctx *ctx, const struct class_map *map,
		      struct message_reader *messages, const char *name,
		      const struct dkt_style_opts *opts)
{
	struct dkt_style_opts mine = *opts;
	int err = map ? dkl_legacy_style_new(ctx, map, messages, &style->legacy) : 0;

	style->raw_text = mine.raw_text;
	if (mine.source)
		style->wall = mine.source->wall;
	if (!err && map)
		dkl_legacy_style_raw_text(style->legacy, mine.raw_text);
	if (!err && map && mine.source && dkt__clock_ticks(mine.source->clock))
		dkl_legacy_style_ticks(style->legacy);
	if (err || !name || !strcmp(name, LEGACY))
		return err;
	mine.text = message_text;
	mine.data = style;
	return dkt_style_new(ctx, name, &mine, &style->lib);
}

int dkl_style_new(struct dkt_ctx *ctx, const struct class_map *map, struct message_reader *messages,
		  const char *name, const struct dkt_style_opts *opts, struct style **out)
{
	struct style *style = calloc(1, sizeof(*style));
	int err;

	*out = NULL;
	if (!style)
		return dkt__no_memory(ctx);
	err = style_init(style, ctx, map, messages, name, opts);
	if (err) {
		dkl_style_free(style);
		return err;
	}
	*out = style;
	return 0;
}

void dkl_style_free(struct style *style)
{
	if (!style)
		return;
	dkt_style_free(style->lib);
	dkl_legacy_style_free(style->legacy);
	free(style);
}

void dkl_style_own(struct style *style, const struct dkt_event *event,
		   const struct message *message, void (*line)(void *data, struct dkt_buf *buf),
		   void *data)
{
	style->own = event;
	style->message = message;
	style->own_line = line;
	style->own_data = data;
}

bool dkl_style_is_legacy(const struct style *style)
{
	return !style->lib;
}

int dkl_style_begin(struct style *style, struct dkt_buf *buf)
{
	return style->lib ? dkt_style_begin(style->lib, buf) : 0;
}

/* Returns the event's slot in the cache of events that are known not to be messages. */
static inline const struct dkt_event **plain_slot(struct style *style,
						  const struct dkt_event *event)
{
	size_t slot = ((uintptr_t)event / sizeof(void *) / 16) % ARRAY_SIZE(style->plain);

	return &style->plain[slot];
}

/* True if the record is a part of a message and is printed later. */
static bool keep_message(struct style *style, const struct dkt_record *record)
{
	if (style->legacy && dkl_legacy_style_message(style->legacy, record))
		return dkl_legacy_style_keep(style->legacy, record);
	*plain_slot(style, record->event) = record->event;
	return false;
}

/* In a log, a stack is a line of its own. */
static __attribute__((noinline)) void
put_stacks(struct style *style, const struct dkt_record *record, struct dkt_buf *buf)
{
	struct dkt_record stack;

	for (size_t i = 0; !dkt_record_stack(record, i, &stack); i++)
		dkl_legacy_style_line(style->legacy, &stack, style->wall, buf);
}

static inline int put_record(struct style *style, const struct dkt_record *record, const char *comm,
			     struct dkt_buf *buf)
{
	if (style->lib)
		return dkt_style_record(style->lib, record, comm, buf);
	if (style->legacy)
		dkl_legacy_style_line(style->legacy, record, style->wall, buf);
	if (style->legacy && record->stacks)
		put_stacks(style, record, buf);
	return dkt_buf_error(buf);
}

static int put_own(struct style *style, const struct dkt_record *record, const char *comm,
		   struct dkt_buf *buf)
{
	size_t from;

	if (style->lib)
		return dkt_style_record(style->lib, record, comm, buf);
	dkt_buf_data(buf, &from);
	style->own_line(style->own_data, buf);
	if (!style->raw_text)
		dkt__buf_escape(buf, from);
	return dkt_buf_error(buf);
}

/* Prints a record that may be a message. */
static __attribute__((noinline)) int record_message(struct style *style,
						    const struct dkt_record *record,
						    const char *comm, struct dkt_buf *buf)
{
	if (record->event && record->event == style->own)
		return put_own(style, record, comm, buf);
	return keep_message(style, record) ? 0 : put_record(style, record, comm, buf);
}

int dkl_style_record(struct style *style, const struct dkt_record *record, const char *comm,
		     struct dkt_buf *buf)
{
	if (*plain_slot(style, record->event) != record->event)
		return record_message(style, record, comm, buf);
	return put_record(style, record, comm, buf);
}

int dkl_style_flush(struct style *style, struct dkt_buf *buf)
{
	return style->lib ? dkt__style_flush(style->lib, buf) : 0;
}

int dkl_style_end(struct style *style, struct dkt_buf *buf)
{
	return style->lib ? dkt_style_end(style->lib, buf) : 0;
}

struct legacy_style *dkl_style_legacy(struct style *style)
{
	return style->legacy;
}
