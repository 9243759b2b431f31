/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints records as lines of Lustre's debug log. */
#pragma once

#include "compat/lustre/class.h"
#include "compat/lustre/message/reader.h"

struct legacy_style;

/*
 * The map is resolved and outlives the style, like the reader of messages; NULL: the style has one
 * of its own.
 */
int dkl_legacy_style_new(struct dkt_ctx *ctx, const struct class_map *map,
			 struct message_reader *messages, struct legacy_style **style);
void dkl_legacy_style_free(struct legacy_style *style);

/* Call before the first record to print text unchanged instead of escaped as by dkt_buf_text(). */
void dkl_legacy_style_raw_text(struct legacy_style *style, bool raw_text);

/* Call before the first record if the clock does not count ns: times are printed as they are. */
void dkl_legacy_style_ticks(struct legacy_style *style);

/*
 * Appends SUBSYS:MASK:CPU.TYPE[F]:SEC.USEC:STACK:PID:EXT:(FILE:LINE:FUNC()) TEXT and a newline.
 * wall is to be added to the record's time to get wall-clock time, in ns. A gap is a line of its
 * own, with the bits of a console warning.
 */
void dkl_legacy_style_line(struct legacy_style *style, const struct dkt_record *record,
			   int64_t wall, struct dkt_buf *buf);

/*
 * Returns the message fields of the record's event; NULL: not a message. Valid as long as the
 * style.
 */
const struct message *dkl_legacy_style_message(struct legacy_style *style,
					       const struct dkt_record *record);

/* dkl_message_reader_keep() and dkl_message_reader_left() of the style's reader. */
bool dkl_legacy_style_keep(struct legacy_style *style, const struct dkt_record *record);
bool dkl_legacy_style_left(struct legacy_style *style, struct dkt_record *record);

/* Returns the class and subsystem bits that the record is printed with. */
struct class_bits dkl_legacy_style_bits(struct legacy_style *style,
					const struct dkt_record *record);
