/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the compiler has put into others, from DWARF. */
#pragma once

#include "lib/debuginfo/binary.h"

/* Functions within functions: so many are looked at. */
#define DWARF_INLINE_MAX 32

/*
 * Gets the names of the inlined functions that have the code at an address, as dwfl numbers it, the innermost
 * first; they are valid as long as the binary. Returns their number.
 */
size_t dkt__dwarf_inline_names(struct dkt__binary *binary, uint64_t address,
			       const char *names[DWARF_INLINE_MAX]);
