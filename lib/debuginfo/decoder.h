/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes instructions with libcapstone. It takes long to load, so only what needs it loads it. */
#pragma once

#include "lib/debuginfo/binary.h"

struct decoder; /* decoder.c */

/* An instruction; the texts are valid until the next one. */
struct decoded {
	uint64_t address;
	uint16_t size;
	const char *name, *operands;
};

/*
 * Loads the library, for the machine of the binary. -EOPNOTSUPP, with an error message that is the reason: it
 * is not installed or was left out of the build, or does not know the machine. End it in either case.
 */
int dkt__decoder_open(struct dkt__binary *binary, struct decoder **decoder);

/* Decodes the first instruction of the code, and moves code, size and address past it. False: not an instruction. */
bool dkt__decode(struct decoder *decoder, const uint8_t **code, size_t *size, uint64_t *address,
		 struct decoded *decoded);

/* From now on decodes also what is no instruction, as data, and prints as perf and GDB do. */
void dkt__decoder_for_people(struct decoder *decoder);
void dkt__decoder_endp(struct decoder **decoder);
