/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derives the fields of events whose format nobody knows from the words of their lines. */
#pragma once

#include "lib/base/buf.h"
#include "lib/tracetext/line.h"

/* At most this many fields of an event. */
#define DKT__DERIVED_MAX 32

/* The longest name of a field, with its NUL. */
#define DKT__DERIVED_NAME 48

/* The type of a field's values. Each includes those before it. */
enum dkt__derived_type {
	DKT__DERIVED_UNSIGNED, /* also hexadecimal */
	DKT__DERIVED_SIGNED,
	DKT__DERIVED_STRING,
};

struct dkt__derived_key {
	char name[DKT__DERIVED_NAME];
	enum dkt__derived_type type;
	bool is_large; /* a value is beyond those of a signed number */
	uint64_t lines; /* that have it */
};

/* The fields of one event. All zero: none. */
struct dkt__derived_keys {
	struct dkt__derived_key *list;
	size_t n;
	uint64_t lines;
};

/*
 * Collects the words KEY=VALUE of a line, and "KEY NUMBER" as of ext4. A key that some lines lack, or with
 * which something else than a number is, is a string. -ENOMEM
 */
int dkt__derive_keys(struct dkt__derived_keys *keys, const struct dkt__line *line);

/* Call after the last line. */
void dkt__derive_types(struct dkt__derived_keys *keys);

/* Appends the fields in the kernel's words. They begin at that offset. */
void dkt__derive_format(const struct dkt__derived_keys *keys, uint32_t offset, struct dkt_buf *buf);

/*
 * Writes the values of a line from that offset on, whose bytes are 0; strings are written at size. Returns
 * the size then. Strings beyond room are left empty.
 */
uint32_t dkt__derive_put(const struct dkt__derived_keys *keys, const struct dkt__line *line,
			 uint32_t offset, uint8_t *data, uint32_t size, uint32_t room);
