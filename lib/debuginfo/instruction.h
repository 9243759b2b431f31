/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the instructions of a program begin. */
#pragma once

#include "lib/debuginfo/binary.h"

/* The beginnings of instructions beside an address, as dwfl numbers addresses. */
struct instruction_place {
	uint64_t before; /* the last one that is not behind the address */
	uint64_t after;
};

/*
 * Decodes the code from the next place before the address at which an instruction surely begins. before is the
 * address itself if an instruction begins there. -EOPNOTSUPP, with an error message that is the reason: unknown.
 */
int dkt__instruction_at(struct dkt__binary *binary, uint64_t address,
			struct instruction_place *place);
