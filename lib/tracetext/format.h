/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a text's lines. */
#pragma once

#include "lib/base/buf.h"
#include "lib/event.h"
#include "lib/tracetext/line.h"

/* ---- fields of events whose format nobody knows, from the words of their lines ---- */

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

/* ---- events ---- */

/* The system of the events whose first field is the text of a line. */
#define DKT__TEXT_SYSTEM "text"

/* Several systems can have an event of the same name. At most this many are tried. */
#define DKT__TEXT_SAME 4

/* The longest name of an event, with sys_enter_ before it. */
#define DKT__TEXT_NAME 128

/* The events of lines with the same name. */
struct dkt__text_name {
	char name[DKT__TEXT_NAME];
	struct dkt_event *events[DKT__TEXT_SAME]; /* may have printed such lines */
	size_t n;
	struct dkt_event *plain; /* has the text as its first field */
	const struct dkt__text_known *known; /* the text that its lines have; NULL: unknown */
	const char *line; /* the text of its first line */
	size_t line_len;
	struct dkt__derived_keys keys; /* the other fields of plain, if nothing else is known */
	uint64_t unread; /* records returned without the fields that the event has */
	uint64_t bare; /* the same without any field but the text, of an unknown event */
};

struct dkt__text_names {
	struct dkt__text_name *list;
	size_t n;
	uint32_t *slots; /* by hash: index in list + 1; 0: free */
	bool retval; /* a function_graph line has a return value */
};

/*
 * Stores the name of a line's event. If the line has no name, the text may show it; otherwise the
 * name is "text".
 */
void dkt__text_name(const struct dkt__line *line, char name[DKT__TEXT_NAME]);

/* Finds the name, or adds it. If the list is full, returns its first name. NULL: out of memory. */
struct dkt__text_name *dkt__text_get(struct dkt__text_names *names, const char *name);
void dkt__text_names_clear(struct dkt__text_names *names);

/* True if no format is known but perhaps that of a saved tree. */
bool dkt__text_is_unknown(const struct dkt__text_name *name);

/* Where the fields of dkt__text_name.keys begin in a record of the plain event. */
#define DKT__TEXT_KEYS 16

/* Appends the format of an event without the fields that the event does not print. */
int dkt__text_printed(struct dkt_event *event, struct dkt_buf *buf);

/*
 * True if an argument of a system call has 0x: then the kernel prints others in decimal, as 7.3. Before 0x all are hex.
 */
bool dkt__text_has_decimals(const struct dkt__text_names *names);

/*
 * Creates the context's catalogue of events for the names. Formats come from the saved tracefs tree
 * that kernel is open on, unless it is NULL, from the texts that are known, and from the lines of
 * system calls. Never from the running kernel: it need not be the one that printed the text.
 */
int dkt__text_formats(struct dkt_ctx *ctx, struct dkt__text_names *names, struct dkt_ctx *kernel);

/* ---- the texts of common events, as the kernels of all ages and trace-cmd's plugins print them ---- */

/*
 * One text of an event. Events whose text has changed have several rows, the newest first, with the
 * same fields as far as the text has them.
 */
struct dkt__text_known {
	const char *system, *name;
	const char *fields; /* "char comm[16]; int pid"; "text NAME" is a string of any length */
	const char *print; /* the print format */
};

/* Returns the i-th row of the name; NULL: there are no more. */
const struct dkt__text_known *dkt__text_known(const char *name, size_t i);

/* Appends the format of such an event, as the kernel writes it. */
void dkt__text_known_format(const struct dkt__text_known *known, int id, struct dkt_buf *buf);
