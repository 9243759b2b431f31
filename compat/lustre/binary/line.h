/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints Lustre's binary records as lines of text. */
#pragma once

#include "compat/lustre/binary.h"

/* A line has at most so many bytes more than its record. */
#define RECORD_LINE_EXTRA 192

/* Lustre's lctl truncates lines to this length, and loses the newline. */
#define RECORD_LINE_CUT 4096

/*
 * The text of the last second, because the next record probably has the same. Starts as all zeroes.
 */
struct record_line {
	uint32_t sec;
	uint32_t sec_len; /* 0: unused */
	char sec_text[16]; /* ":SEC." */
};

/*
 * Writes a record as a line and returns its end. out has space for the record's length and
 * RECORD_LINE_EXTRA bytes. The line ends with a newline only if the record's text does.
 */
char *dkl_record_line(struct record_line *kept, const uint8_t *rec, size_t len, char *out);
