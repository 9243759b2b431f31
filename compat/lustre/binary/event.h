/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Presents Lustre's binary records as records of an event, and lines of text as binary records. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/class.h"

/* Returns the wall-clock time of a record, in ns. */
static inline int64_t record_time(const uint8_t *rec)
{
	uint64_t key = record_key(rec);

	return (int64_t)((key >> 32) * 1000000000 + (key & UINT32_MAX) * 1000);
}

#define RECORD_EVENT_SYSTEM "libcfs"
#define RECORD_EVENT_NAME   "libcfs_debug_msg"

/*
 * Defines libcfs:libcfs_debug_msg, with the fields of the tracepoint lustre_debug:lustre_debug_msg.
 */
int dkl_record_event(struct dkt_ctx *ctx, struct dkt_event **event);

/* Returns the event if it was defined before, otherwise NULL. */
struct dkt_event *dkl_record_event_find(struct dkt_ctx *ctx);

/* True if it is that event. */
bool dkl_record_is_event(const struct dkt_event *event);

/* The largest size of a record of the event. */
#define RECORD_EVENT_MAX (RECORD_MAX + 64)

/* Fills in a record of the event without its fields; the time is wall-clock time. */
void dkl_record_event_head(struct dkt_event *event, const uint8_t *rec, struct dkt_record *out);

/* Fills in a record of the event, with its fields in data. */
void dkl_record_event_fill(struct dkt_event *event, const uint8_t *rec, size_t len, uint8_t *data,
			   struct dkt_record *out);

/*
 * Reads the class, subsystem, line and texts of a record that dkl_record_event_fill() has filled in. False:
 * the record has no fields.
 */
bool dkl_record_event_read(const struct dkt_record *record, struct record_head *head,
			   struct record_texts *texts);

/* Limit of a record: Lustre's lctl accepts it even if 47 bytes are added. */
#define RECORD_FROM_LINE_MAX (RECORD_LUSTRE_MAX - 47)

/*
 * Writes the binary record that df prints as this line, which ends with a newline. Returns its
 * length. A text that is too long is truncated, but keeps its newline. wall is to be added to the
 * record's time, in ns.
 */
size_t dkl_record_from_line(const struct dkt_record *from, const struct class_bits *bits,
			    int64_t wall, const char *line, size_t len,
			    uint8_t rec[RECORD_FROM_LINE_MAX]);
