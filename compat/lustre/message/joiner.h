/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins messages of several records: keeps the first ones until the record that shows the message.
 */
#pragma once

#include "compat/lustre/message.h"

struct message_joiner;

/* Returns NULL if memory is out. */
struct message_joiner *dkl_message_joiner_new(void);
void dkl_message_joiner_free(struct message_joiner *joiner);

/*
 * Call for every record of a message, in time order. True: the record is only a part, and is kept
 * for the whole message. message must outlive its records, or be passed to dkl_message_joiner_forget().
 */
bool dkl_message_joiner_take(struct message_joiner *joiner, const struct message *message,
			     const struct dkt_record *record);
void dkl_message_joiner_forget(struct message_joiner *joiner, const struct message *message);

/* Gets a part of the record that was taken last, and returns its message; NULL: no such part. */
const struct message *dkl_message_joiner_get(const struct message_joiner *joiner,
					     const struct dkt_record *whole, enum message_part kind,
					     const struct dkt_record **record);

/*
 * Gets the newest message on a CPU that is incomplete because the recording stopped within it: its
 * parts are later than `after`, the CPU's last record. *record is the part with the most data,
 * valid until the next call and to be printed on its own. False: no such message.
 */
bool dkl_message_joiner_left(struct message_joiner *joiner, uint32_t cpu, uint64_t after,
			     struct dkt_record *record);
