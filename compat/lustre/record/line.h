/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints Lustre's binary records as lines of text. */
#pragma once

#include "lustre/record.h"

/* The most bytes of a line beyond the record's own length. */
#define RECORD_LINE_EXTRA 192

/* Lustre's lctl cuts lines there, and the newline with it. */
#define RECORD_LINE_CUT 4096

/* The text of the second, which the next record most likely has as well. Begins as all zero. */
struct record_line {
	uint32_t sec;
	uint32_t sec_len; /* 0: nothing is kept */
	char sec_text[16]; /* ":SEC." */
};

/*
 * Writes a record's line to where RECORD_LINE_EXTRA bytes more than the record has may be written;
 * returns its end. Nothing is added to the text: it may have no newline at the end.
 */
char *record_line(struct record_line *kept, const uint8_t *rec, size_t len, char *out);
