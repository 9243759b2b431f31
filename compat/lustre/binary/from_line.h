/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts lines of the legacy style to Lustre's binary records. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/class.h"

/* Limit of a record: Lustre's lctl accepts it even if 47 bytes are added. */
#define RECORD_FROM_LINE_MAX (RECORD_LUSTRE_MAX - 47)

/*
 * Writes the binary record that df prints as this line, which ends with a newline. Returns its
 * length. A text that is too long is truncated, but keeps its newline. wall is to be added to the
 * record's time, in ns.
 */
size_t dkl_record_from_line(const struct dkt_record *from, const struct class_bits *bits,
			    int64_t wall, const char *line, size_t len,
			    uint8_t rec[RECORD_FROM_LINE_MAX]);
