/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a record from the text that its event's print format printed. */
#pragma once

#include "plan.h"

/*
 * Fills the record's bytes after the common fields so that dkt_record_text() prints that text. The
 * caller has set the common fields in data (room bytes, all others 0). Returns the record's size;
 * 0: no values were found.
 */
uint32_t dkt__unprint(struct dkt_event *event, const char *text, size_t len, uint8_t *data,
		      uint32_t room);
