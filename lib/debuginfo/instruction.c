/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes the instructions of a program with libcapstone. */
#include "lib/debuginfo/instruction.h"

#include <capstone.h>
#include <dlfcn.h>

#include "lib/base/library.h"

/* No instruction of the machines below is longer. */
#define LONGEST 16

/* Functions that are larger are not decoded. */
#define CODE_MAX (64 << 20)

static const struct {
	GElf_Half machine; /* of ELF */
	cs_arch arch;
	unsigned int mode;
} machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
};

/* It takes long to load, so only what needs it loads it. */
struct decoder {
	void *library;
	csh handle; /* 0: not open */
	cs_insn *insn;
	cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*close)(csh *handle);
	cs_insn *(*malloc)(csh handle);
	void (*free)(cs_insn *insn, size_t n);
	bool (*iter)(csh handle, const uint8_t **code, size_t *size, uint64_t *address,
		     cs_insn *insn);
};

static void dkt__decoder_endp(struct decoder *decoder)
{
	if (decoder->insn)
		decoder->free(decoder->insn, 1);
	if (decoder->handle)
		decoder->close(&decoder->handle);
	if (decoder->library)
		dlclose(decoder->library);
}

static int load(struct dkt_ctx *ctx, struct decoder *decoder)
{
	const struct dkt__call table[] = {
		{ "cs_open", &decoder->open },        { "cs_close", &decoder->close },
		{ "cs_malloc", &decoder->malloc },    { "cs_free", &decoder->free },
		{ "cs_disasm_iter", &decoder->iter },
	};
	const char *missing;

	decoder->library = dlopen(LIBCAPSTONE, RTLD_NOW | RTLD_LOCAL);
	if (!decoder->library)
		return dkt_fail(ctx, -EOPNOTSUPP, "libcapstone cannot be loaded; install it (%s)",
				dlerror());
	missing = dkt__find_calls(decoder->library, table, ARRAY_SIZE(table));
	return missing ? dkt_fail(ctx, -EOPNOTSUPP, "%s has no %s", LIBCAPSTONE, missing) : 0;
}

static int open_machine(struct dkt__binary *binary, struct decoder *decoder)
{
	GElf_Ehdr header;
	size_t i = 0;

	if (!gelf_getehdr(binary->elf, &header))
		return dkt_fail(binary->ctx, -EOPNOTSUPP, "the file is damaged");
	while (i < ARRAY_SIZE(machines) && machines[i].machine != header.e_machine)
		i++;
	if (i == ARRAY_SIZE(machines) ||
	    decoder->open(machines[i].arch, (cs_mode)machines[i].mode, &decoder->handle))
		return dkt_fail(binary->ctx, -EOPNOTSUPP,
				"instructions of this machine are not known");
	decoder->insn = decoder->malloc(decoder->handle);
	return decoder->insn ? 0 : dkt__no_memory(binary->ctx);
}

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
	const uint8_t *code;
	size_t size;
	int err = find_code(binary, start, address, &code, &size);

	if (err)
		return err;
	while (at <= address) {
		place->before = at;
		if (decoder->iter(decoder->handle, &code, &size, &at, decoder->insn))
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
	struct decoder decoder __cleanup(decoder_end) = { 0 };
	uint64_t start;
	int err = find_start(binary, address, &start);

	/* A function begins with an instruction. */
	*place = (struct instruction_place){ .before = address, .after = address };
	if (err || start == address)
		return err;
	err = load(binary->ctx, &decoder);
	if (!err)
		err = open_machine(binary, &decoder);
	return err ? err : decode(binary, &decoder, start, address, place);
}
