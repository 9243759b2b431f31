/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that have two records: one of the call, with all of the text, and one of the function. */
#ifndef COMPAT_MESSAGE_CALLS_H
#define COMPAT_MESSAGE_CALLS_H

#include "message.h"

struct message_calls;

/* NULL: no memory. */
struct message_calls *message_calls_new(void);
void message_calls_free(struct message_calls *calls);

/*
 * Takes every record of a message, in order of time. True: it is of the call; it is kept for the
 * other one, which the message is shown by. The messages outlive their records, or are forgotten.
 */
bool message_calls_take(struct message_calls *calls, const struct message *message,
			const struct dkt_record *record);
void message_calls_forget(struct message_calls *calls, const struct message *message);

/* The message and record of the call, if the record is the one that was taken last; else NULL. */
const struct message *message_calls_get(const struct message_calls *calls,
					const struct dkt_record *record,
					const struct dkt_record **call);

#endif
