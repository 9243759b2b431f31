/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints records as lines of Lustre's debug log. */
#pragma once

#include "lustre/class.h"
#include "lustre/message.h"

struct legacy_style;

/* The map is resolved and outlives the style. */
int legacy_style_new(struct dkt_ctx *ctx, const struct class_map *map, struct legacy_style **style);
void legacy_style_free(struct legacy_style *style);

/* To be called before the first record: text comes as it was recorded, not as by dkt_buf_text(). */
void legacy_style_raw_text(struct legacy_style *style, bool raw_text);

/*
 * Appends SUBSYS:MASK:CPU.TYPE[F]:SEC.USEC:STACK:PID:EXT:(FILE:LINE:FUNC()) TEXT and a newline.
 * wall is ns to add to the record's time to get wall-clock time. A gap is a line of its own, with
 * the bits of a warning to the console.
 */
void legacy_style_line(struct legacy_style *style, const struct dkt_record *record, int64_t wall,
		       struct dkt_buf *buf);

/* The fields of the record's message; NULL: not a message. Valid as long as the style. */
const struct message *legacy_style_message(struct legacy_style *style,
					   const struct dkt_record *record);

/*
 * To be asked of every record first, once or more often. True: it is but a part of a message, which
 * the next record of that is shown with.
 */
bool legacy_style_keep(struct legacy_style *style, const struct dkt_record *record);

/* As message_parts_left(), of the records that legacy_style_keep() was asked of. */
bool legacy_style_left(struct legacy_style *style, uint32_t cpu, uint64_t after,
		       struct dkt_record *record);

/* The class and subsystem bits that the record is printed with. */
struct class_bits legacy_style_bits(struct legacy_style *style, const struct dkt_record *record);
