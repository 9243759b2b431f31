/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the instructions of a program begin. */
#include "lib/debuginfo/instruction.h"

#include "lib/debuginfo/decoder.h"

/* No instruction of the machines below is longer. */
#define LONGEST 16

/* Functions that are larger are not decoded. */
#define CODE_MAX (64 << 20)

/* Finds an address at or before this one at which an instruction surely begins. */
static int find_start(struct dkt__binary *binary, uint64_t address, uint64_t *start)
{
	struct binary_symbol symbol;
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias, end;
	Dwarf_CFI *cfi;
	int found;

	dkt__binary_at(binary, address, &symbol);
	*start = symbol.address;
	if (symbol.name && (!symbol.size || address - symbol.address < symbol.size))
		return 0;
	/* A stripped program has the places at which its stack changes, for exceptions. */
	cfi = dwfl_module_eh_cfi(binary->module, &bias);
	if (!cfi || dwarf_cfi_addrframe(cfi, address - bias, &frame))
		return dkt_fail(binary->ctx, -EOPNOTSUPP, "no symbol tells where its function is");
	found = dwarf_frame_info(frame, start, &end, NULL);
	*start += bias;
	free(frame);
	if (found < 0 || *start > address)
		return dkt_fail(binary->ctx, -EOPNOTSUPP, "no symbol tells where its function is");
	return 0;
}

/* Sets code and size to what the file has from start until behind the address. */
static int find_code(struct dkt__binary *binary, uint64_t start, uint64_t address,
		     const uint8_t **code, size_t *size)
{
	uint64_t offset;
	size_t whole;
	const char *file = elf_rawfile(binary->elf, &whole);

	if (!file || dkt__binary_offset(binary, start, &offset) || offset >= whole ||
	    address - start > CODE_MAX)
		return dkt_fail(binary->ctx, -EOPNOTSUPP, "the code of its function is not there");
	*code = (const uint8_t *)file + offset;
	*size = DKT__MIN(address - start + LONGEST, whole - offset);
	return 0;
}

static int decode(struct dkt__binary *binary, struct decoder *decoder, uint64_t start,
		  uint64_t address, struct instruction_place *place)
{
	uint64_t at = start;
	struct decoded decoded;
	const uint8_t *code;
	size_t size;
	int err = find_code(binary, start, address, &code, &size);

	if (err)
		return err;
	while (at <= address) {
		place->before = at;
		if (dkt__decode(decoder, &code, &size, &at, &decoded))
			continue;
		/* The kernel judges what begins at the address itself. */
		place->after = at;
		return at == address ? 0 :
				       dkt_fail(binary->ctx, -EOPNOTSUPP,
						"the code before it is unknown to libcapstone");
	}
	place->after = at;
	return 0;
}

int dkt__instruction_at(struct dkt__binary *binary, uint64_t address,
			struct instruction_place *place)
{
	struct decoder *decoder __cleanup(decoder_end) = NULL;
	uint64_t start;
	int err = find_start(binary, address, &start);

	/* A function begins with an instruction. */
	*place = (struct instruction_place){ .before = address, .after = address };
	if (err || start == address)
		return err;
	err = dkt__decoder_open(binary, &decoder);
	return err ? err : decode(binary, decoder, start, address, place);
}
