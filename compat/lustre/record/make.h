/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts lines of the legacy style to Lustre's binary records. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/class.h"
#include "lustre/record.h"

/* No record is longer: 47 bytes may be added to it and Lustre's lctl still takes it. */
#define RECORD_MADE_MAX (RECORD_LUSTRE_MAX - 47)

/*
 * Makes the record that df prints as that line again, which ends in a newline; returns its length. A
 * text that is too long is cut and keeps the newline. wall is ns to add to the record's time.
 */
size_t record_make(const struct dkt_record *from, const struct class_bits *bits, int64_t wall,
		   const char *line, size_t len, uint8_t rec[RECORD_MADE_MAX]);
