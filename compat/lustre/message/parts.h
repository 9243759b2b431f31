/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins messages of several records: keeps the first ones until the record that shows the message.
 */
#pragma once

#include "lustre/message.h"

struct message_parts;

/* NULL: no memory. */
struct message_parts *message_parts_new(void);
void message_parts_free(struct message_parts *parts);

/*
 * Takes every record of a message, in order of time. True: it is but a part, kept for the whole.
 * The messages outlive their records, or are forgotten.
 */
bool message_parts_take(struct message_parts *parts, const struct message *message,
			const struct dkt_record *record);
void message_parts_forget(struct message_parts *parts, const struct message *message);

/* That part of the record which was taken last, and its message; NULL: there is none. */
const struct message *message_parts_get(const struct message_parts *parts,
					const struct dkt_record *whole, enum message_part kind,
					const struct dkt_record **record);

/*
 * The newest message on a CPU whose whole never came, if no other record did after that time: the
 * recording stopped within it. The record of its parts that says most is valid until the next call,
 * and is shown for itself. False: there is none.
 */
bool message_parts_left(struct message_parts *parts, uint32_t cpu, uint64_t after,
			struct dkt_record *record);
