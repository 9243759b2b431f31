/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates a record from the text that its event's print format printed. */
#pragma once

#include "lib/plan.h"

/*
 * Fills the record's bytes after the common fields so that dkt_record_text() prints the text. The
 * caller has set the common fields in data, which has room bytes. Returns the record's size; 0: the
 * text does not match the print format.
 */
uint32_t dkt__unprint(struct dkt_event *event, const char *text, size_t len, uint8_t *data,
		      uint32_t room);
