/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's printf on recorded arguments: plain conversions and %p extensions. */
#pragma once

#include "lib/plan.h"

/* A format, or a nested one, while it is printed. */
struct dkt__kformat {
	struct dkt__run run; /* the output; run.data are the bytes that a pointer points to */
	const struct dkt__kprintf_args *args;
	size_t next; /* the next argument */
	unsigned int depth;
};

/* One conversion. */
struct dkt__kconv {
	const char *from; /* the '%' */
	const char *to; /* the end, after its last letter */
	struct dkt__spec spec;
	unsigned int size; /* of an integer, in bytes */
	bool unknown; /* a width or precision was not recorded */
};

/* Prints what the kernel does for an invalid address; false: the address is possible. */
bool dkt__kformat_bad(struct dkt__kformat *k, struct dkt__kconv *conv, uint64_t address);

/*
 * Takes the next argument. False: it, a width or a precision was not recorded, and the conversion
 * itself is printed.
 */
bool dkt__kformat_take(struct dkt__kformat *k, const struct dkt__kconv *conv, uint64_t *word);

/* Returns the recorded bytes that argument i points to, also those after a NUL; NULL: not recorded. */
const void *dkt__kformat_raw(const struct dkt__kformat *k, size_t i, size_t *len);

/* Pads and truncates the text after the mark as the kernel does with a string. */
void dkt__kformat_pad(struct dkt__kformat *k, const struct dkt__kconv *conv, size_t mark);

void dkt__kformat_number(struct dkt__kformat *k, const struct dkt__spec *spec, uint64_t v);

/* Prints the text with the conversion's width and precision. */
void dkt__kformat_text(struct dkt__kformat *k, const struct dkt__kconv *conv, const char *text,
		       size_t len);

/*
 * Prints the conversion itself because its data were not recorded: "<%pD 0xffff888100a00000>".
 * address NULL: the address is unknown, too.
 */
void dkt__kformat_unknown(struct dkt__kformat *k, const struct dkt__kconv *conv,
			  const uint64_t *address);

/* Prints a format. */
void dkt__kformat_run(struct dkt__kformat *k, const char *fmt, size_t len);

/* Prints "%p" with the letters at conv->to; moves conv->to past them. */
void dkt__kformat_pointer(struct dkt__kformat *k, struct dkt__kconv *conv, const char *end);
