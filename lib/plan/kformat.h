/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's printf on recorded arguments: plain conversions and %p extensions. */
#pragma once

#include "plan.h"

/* One rendering of a format, or of a nested one. */
struct dkt__kformat {
	struct dkt__run run; /* the output; its data are the bytes behind a pointer */
	const struct dkt_kprintf_args *args;
	size_t next; /* argument */
	unsigned int depth;
};

struct dkt__kconv {
	const char *from; /* the '%' */
	const char *to; /* after its last letter */
	struct dkt__spec spec;
	uint8_t size; /* of an integer, in bytes */
	bool unknown; /* a width or precision was not recorded */
};

/* Returns the text that the kernel prints for an invalid address; NULL: the address is possible. */
const char *dkt__kformat_bad(uint64_t address);

/* Returns the recorded bytes that argument i points to; NULL: not recorded. */
const void *dkt__kformat_behind(const struct dkt__kformat *k, size_t i, size_t *len);

/* The same, not ended by a NUL: all recorded bytes. */
const void *dkt__kformat_raw(const struct dkt__kformat *k, size_t i, size_t *len);

/* Pads and truncates the text since the mark as the kernel does with a string. */
void dkt__kformat_pad(struct dkt__kformat *k, const struct dkt__kconv *conv, size_t mark);

void dkt__kformat_number(struct dkt__kformat *k, const struct dkt__spec *spec, uint64_t v);

/* Prints a text with the conversion's width and precision. */
void dkt__kformat_text(struct dkt__kformat *k, const struct dkt__kconv *conv, const char *text,
		       size_t len);

/*
 * Prints what was not recorded: "<%pD 0xffff888100a00000>", or without the address if that is
 * unknown too.
 */
void dkt__kformat_unknown(struct dkt__kformat *k, const struct dkt__kconv *conv,
			  const uint64_t *address);

/* Renders a whole format. */
void dkt__kformat_run(struct dkt__kformat *k, const char *fmt, size_t len);

/* Renders "%p" whose letters begin at conv->to; moves conv->to past them. */
void dkt__kformat_pointer(struct dkt__kformat *k, struct dkt__kconv *conv, const char *end);
