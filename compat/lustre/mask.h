/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's masks: the names of debug classes and subsystems, and the grammar that sets them. */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/guess.h"

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
#define MASK_INPUT_MAX  65535 /* Lustre's limit of a value, in bytes */
#define MASK_TEXT_SIZE  256 /* large enough for every mask that dkl_mask_format() prints */
#define MASK_DLMTRACE   0x00010000u /* locks */
#define MASK_CANNOT_OFF 0x02060400u /* error, emerg, warning, console: recorded whatever is set */

struct mask_value {
	uint32_t value; /* to be stored even after a failure, because printk changes even then */
	bool deprecated; /* a number other than 0 and -1 was used */
	const char *bad; /* the unknown token, in the text that was parsed; NULL: no such token */
	size_t bad_len; /* 0 for the empty token of `--trace` */
};

/*
 * Parses a value of debug, subsystem_debug, printk or debug_sources by the rules of Lustre 2.17 and
 * later. An empty text changes nothing. -EINVAL: if bad is set, the message is `unknown mask
 * 'TOKEN'.`; otherwise the text ends with an operator, which Lustre refuses without a message.
 * -E2BIG: longer than MASK_INPUT_MAX.
 */
int dkl_mask_parse(enum mask_kind kind, const char *text, uint32_t current,
		   struct mask_value *value);

/*
 * Reads the classes, subsystems or sources of an option, to record or to select, by the same rules but
 * without the bits that a debug log always has. -EINVAL: a name is unknown, or no class or subsystem is left.
 */
int dkl_mask_option(struct dkt_ctx *ctx, const char *option, enum mask_kind kind, const char *text,
		    uint32_t *mask);

/*
 * Prints the names in ascending order of bits, separated by one space, or `0`. The unnamed
 * subsystems (bits 22, 24, 27) print only their space, as in Lustre. Parsing the text gives the
 * same mask without those bits. If `+` replaces the spaces, a double one sets bit 22, and one at
 * the end is refused.
 */
void dkl_mask_format(enum mask_kind kind, uint32_t value, char text[MASK_TEXT_SIZE]);

/*
 * Prints the text that sets exactly this mask: names if they can express it, otherwise a number,
 * because names always include dkl_mask_floor(), and some bits have no name.
 */
void dkl_mask_spell(enum mask_kind kind, uint32_t value, char text[MASK_TEXT_SIZE]);

/* Returns the bit of that name, in upper or lower case, or -ENOENT. */
int dkl_mask_bit(enum mask_kind kind, const char *name, size_t len);

/* Returns the name of a bit, or "" if it has none. */
const char *dkl_mask_name(enum mask_kind kind, unsigned int bit);

/* Tries the names of all bits. */
void dkl_mask_guess(enum mask_kind kind, struct dkt__guess *guess);

/* Returns the value on a new machine. */
uint32_t dkl_mask_initial(enum mask_kind kind);

/* Returns the bits that a value set by names always includes. */
uint32_t dkl_mask_floor(enum mask_kind kind);

/* Returns all bits that the mask can have. */
uint32_t dkl_mask_all(enum mask_kind kind);

/* Parses an expression in which names of classes and subsystems stand for their bits. */
int dkl_mask_expr(struct dkt_ctx *ctx, const char *text, struct dkt_expr **expr);

/* The same for a text that can have variables. */
int dkl_mask_expr_with(struct dkt_ctx *ctx, const char *text, dkt_variable_fn variable, void *data,
		       struct dkt_expr **expr);

/* True if lctl's `filter` hides a record: it has bits, and all of them are hidden. */
static inline bool mask_hides(uint32_t hidden, uint32_t bits)
{
	return bits && !(bits & ~hidden);
}
