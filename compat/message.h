/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events whose records are debug messages: they say location, class, subsystem and text. */
#ifndef COMPAT_MESSAGE_H
#define COMPAT_MESSAGE_H

#include "class.h"

struct message;

/* Whether the event has the fields that a message has; somebody else's of that name may not. */
bool message_is(struct dkt_event *event);

/* NULL: its records are no messages. */
struct message *message_new(struct dkt_ctx *ctx, struct dkt_event *event);
void message_free(struct message *message);

/* The class and subsystem that a record says. */
uint32_t message_types(const struct message *message, const struct dkt_record *record);
uint32_t message_subsystems(const struct message *message, const struct dkt_record *record);

/* Appends FILE:LINE:FUNC, the file without its directory. */
void message_place(const struct message *message, const struct dkt_record *record,
		   struct dkt_buf *buf);

/* Appends the text, with the newline that it ends with if it was recorded. */
void message_text(const struct message *message, const struct dkt_record *record,
		  struct dkt_buf *buf);

/*
 * The filter on such an event that lets through what Lustre would record: "" if that is all of it.
 * The caller frees it.
 */
int message_filter(uint32_t debug, uint32_t subsystem_debug, char **filter);

#endif
