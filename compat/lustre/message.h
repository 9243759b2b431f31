/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events whose records are debug messages, with location, class, subsystem and text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "compat/lustre/class.h"

struct message;

/*
 * True if the event has the fields of a message; another user's event of that name may lack them.
 */
bool dkl_message_is(struct dkt_event *event);

/* NULL: not messages, or no memory. joiner joins messages of several records, and can be NULL. */
struct message_joiner;
struct message *dkl_message_new(struct dkt_ctx *ctx, struct dkt_event *event,
				struct message_joiner *joiner);
void dkl_message_free(struct message *message);

/* Return the class and the subsystem of a record. */
uint32_t dkl_message_classes(const struct message *message, const struct dkt_record *record);
uint32_t dkl_message_subsystems(const struct message *message, const struct dkt_record *record);

/*
 * Appends "(FILE:LINE:FUNCTION", with the file's directory removed, then join, then the text. The
 * text ends with a newline only if that was recorded.
 */
void dkl_message_line(const struct message *message, const struct dkt_record *record,
		      const char *join, struct dkt_buf *buf);

/* Appends the text alone. */
void dkl_message_put_text(const struct message *message, const struct dkt_record *record,
			  struct dkt_buf *buf);

/* The data that two records of the same message have in common, if they come from two sources. */
struct message_key {
	int64_t time; /* wall clock, ns */
	uint32_t pid;
	uint32_t classes;
	uint32_t subsystems;
	uint32_t line;
	const char *file; /* not terminated */
	size_t file_len;
	const char *function;
	size_t function_len;
};

/*
 * Gets the key of a record. wall is to be added to its time; the key is valid as long as the
 * record.
 */
void dkl_message_key(const struct message *message, const struct dkt_record *record, int64_t wall,
		     struct message_key *key);

/* The record's role in a message. */
enum message_part {
	MESSAGE_WHOLE, /* the only record, or the last one, which is printed */
	MESSAGE_STRINGS, /* the strings that the words of MESSAGE_WHOLE point at */
	MESSAGE_CALL, /* recorded at the call, with the whole text */
};

/*
 * Returns the role. The records of a message have the same *stack; 0: the message has one record.
 */
enum message_part dkl_message_part(const struct message *message, const struct dkt_record *record,
				   uint64_t *stack);

/*
 * True if the record of a call has the whole text of its message: the nested format, where the kernel
 * records two arguments that can be it, or the name of each dentry.
 */
bool dkl_message_is_complete(const struct message *message, const struct dkt_record *record);

/* True if the text of the record, as far as it is known, or its format matches the glob. */
bool dkl_message_has(const struct message *message, const struct dkt_record *record,
		     const char *glob);

/* True if the event's records are only parts of messages. */
bool dkl_message_is_part(struct dkt_event *event);

/*
 * Gets the filter for message events that accepts the messages Lustre would record with these
 * masks; "" if it accepts all. The caller frees it.
 */
int dkl_message_filter(uint32_t debug, uint32_t subsystem_debug, char **filter);

/* text: from the probe, whose unknown parts match anything; whole: from Lustre. */
bool dkl_message_fits(const char *text, size_t len, const char *whole, size_t whole_len);
