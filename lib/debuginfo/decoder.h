/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes instructions with libcapstone. It takes long to load, so only what needs it loads it. */
#pragma once

#include <capstone.h>

#include "lib/debuginfo/binary.h"

struct decoder {
	void *library;
	csh handle; /* 0: not open */
	cs_insn *insn;
	cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*close)(csh *handle);
	cs_err (*option)(csh handle, cs_opt_type type, size_t value);
	cs_insn *(*malloc)(csh handle);
	void (*free)(cs_insn *insn, size_t n);
	bool (*iter)(csh handle, const uint8_t **code, size_t *size, uint64_t *address,
		     cs_insn *insn);
};

/*
 * Loads the library, for the machine of the binary. -EOPNOTSUPP, with an error message that is the reason: it
 * is not installed, or does not know the machine. End it in either case.
 */
int dkt__decoder_open(struct dkt__binary *binary, struct decoder *decoder);

/* From now on decodes also what is no instruction, as data, and prints as perf and GDB do. */
void dkt__decoder_for_people(struct decoder *decoder);
void dkt__decoder_endp(struct decoder *decoder);
