/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events whose records are debug messages, with location, class, subsystem and text. */
#pragma once

#include "lustre/class.h"

struct message;

/* Whether the event has the fields that a message has; somebody else's of that name may not. */
bool message_is(struct dkt_event *event);

/* NULL: its records are no messages. parts is for messages of several records, and may be NULL. */
struct message_parts;
struct message *message_new(struct dkt_ctx *ctx, struct dkt_event *event,
			    struct message_parts *parts);
void message_free(struct message *message);

/* The class and subsystem that a record says. */
uint32_t message_types(const struct message *message, const struct dkt_record *record);
uint32_t message_subsystems(const struct message *message, const struct dkt_record *record);

/*
 * Appends "(FILE:LINE:FUNCTION", the file without its directory, join, and the text with the newline
 * that it ends with if that was recorded.
 */
void message_line(const struct message *message, const struct dkt_record *record, const char *join,
		  struct dkt_buf *buf);

/* Appends the text alone. */
void message_put_text(const struct message *message, const struct dkt_record *record,
		      struct dkt_buf *buf);

/* By what a message is known again that came another way as well. */
struct message_key {
	int64_t time; /* wall clock, ns */
	uint32_t pid;
	uint32_t types;
	uint32_t subsystems;
	uint32_t line;
	const char *file; /* not terminated */
	size_t file_len;
	const char *function;
	size_t function_len;
};

/* wall is to be added to the record's time; the key is valid as long as the record. */
void message_key(const struct message *message, const struct dkt_record *record, int64_t wall,
		 struct message_key *key);

/* Which record of a message it is. */
enum message_part {
	MESSAGE_WHOLE, /* the only one, or the one it is shown by, which comes last */
	MESSAGE_STRINGS, /* what the words of that point at */
	MESSAGE_CALL, /* of the call, with all of the text */
};

/* The records of one message have the stack in common; 0: there is but one. */
enum message_part message_part(const struct message *message, const struct dkt_record *record,
			       uint64_t *stack);

/* Whether the event's records are never shown for themselves. */
bool message_is_part(struct dkt_event *event);

/*
 * The filter on such an event that lets through what Lustre would record: "" if that is all of it.
 * The caller frees it.
 */
int message_filter(uint32_t debug, uint32_t subsystem_debug, char **filter);
