/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The messages of one kernel's records, whichever of its events they are from and however many
 * records each of them has.
 */
#pragma once

#include "compat/lustre/message.h"

struct message_reader;

/* The events of the records belong to ctx. */
int dkl_message_reader_new(struct dkt_ctx *ctx, struct message_reader **reader);
void dkl_message_reader_free(struct message_reader *reader);

/*
 * Returns how to read the event's records as messages, which is valid as long as the reader; NULL:
 * they are not messages.
 */
const struct message *dkl_message_reader_get(struct message_reader *reader,
					     struct dkt_event *event);

/*
 * Call for every record and gap in order of time, before its text is read; more than once is
 * harmless until the next one. True: the record is only a part of a message, whose text is that of
 * its last record.
 */
bool dkl_message_reader_keep(struct message_reader *reader, const struct dkt_record *record);

/*
 * After the last record: gets a message in the middle of which the recording stopped. It is read
 * like the others, and is valid until the next call. False: no more messages.
 */
bool dkl_message_reader_left(struct message_reader *reader, struct dkt_record *record);
