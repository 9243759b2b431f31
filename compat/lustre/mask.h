/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's masks: the names of debug types and subsystems, and the grammar that sets them. */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/guess.h"

enum mask_kind {
	MASK_DEBUG,
	MASK_SUBSYSTEM,
	MASK_PRINTK,
	MASK_SOURCES, /* debug_sources, which is dktrace's own */
};

/* The bits of MASK_SOURCES. */
#define MASK_FROM_LUSTRE    0x1u /* messages of Lustre */
#define MASK_FROM_KERNEL    0x2u /* events of the kernel */
#define MASK_FROM_FUNCTIONS 0x4u /* entry and exit of functions */

#define MASK_BITS       32
#define MASK_INPUT_MAX  65535 /* bytes of a value, as Lustre takes them */
#define MASK_TEXT_SIZE  256 /* room for every mask that mask_format() prints */
#define MASK_DLMTRACE   0x00010000u /* locks */
#define MASK_CANNOT_OFF 0x02060400u /* error, emerg, warning, console: recorded whatever is set */

struct mask_value {
	uint32_t value; /* what to store; after a failure also, as printk changes even then */
	bool deprecated; /* a number other than 0 and -1 was used */
	const char *bad; /* the unknown token, in the text that was parsed; NULL: nothing to name */
	size_t bad_len; /* 0 for the empty token of `--trace` */
};

/*
 * Reads what is written to debug, subsystem_debug, printk or debug_sources, by the rules of Lustre
 * 2.17 and later. An empty text changes nothing. -EINVAL: with bad set, say `unknown mask 'TOKEN'.`, without
 * it (an operator at the end) Lustre says nothing; -E2BIG: longer than MASK_INPUT_MAX.
 */
int mask_parse(enum mask_kind kind, const char *text, uint32_t current, struct mask_value *value);

/*
 * Prints names in ascending order of bits, one space between, or `0`. The unnamed subsystems (bits
 * 22, 24, 27) leave only their space behind, as in Lustre. Reading the text again gives the same
 * mask without those bits. With `+` in place of the spaces, a gap sets bit 22 and a space at the
 * end is refused.
 */
void mask_format(enum mask_kind kind, uint32_t value, char text[MASK_TEXT_SIZE]);

/*
 * The text to write to get exactly that mask: names if they can express it, otherwise a number. A
 * value set by names includes the floor, and some bits have no name.
 */
void mask_spell(enum mask_kind kind, uint32_t value, char text[MASK_TEXT_SIZE]);

/* The bit of that name, in any case of letters, or -ENOENT. */
int mask_bit(enum mask_kind kind, const char *name, size_t len);

/* The name of a bit, "" for one that has none. */
const char *mask_name(enum mask_kind kind, unsigned int bit);

/* Tries the names of all bits. */
void mask_guess(enum mask_kind kind, struct dkt__guess *guess);

/* The value on a new machine. */
uint32_t mask_initial(enum mask_kind kind);

/* The bits that a value set by names always includes. */
uint32_t mask_floor(enum mask_kind kind);

/* All bits that the mask can have. */
uint32_t mask_all(enum mask_kind kind);

/* Parses an expression in which names of classes and subsystems stand for their bits. */
int mask_expr(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr);

/* lctl's filter: a record goes if it has bits and none of them is still shown. */
static inline bool mask_hides(uint32_t hidden, uint32_t bits)
{
	return bits && !(bits & ~hidden);
}
