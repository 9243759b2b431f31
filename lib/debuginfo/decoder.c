/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes instructions with libcapstone. */
#include "lib/debuginfo/decoder.h"

#ifndef LIBCAPSTONE

int dkt__decoder_open(struct dkt__binary *binary, struct decoder **decoder)
{
	*decoder = NULL;
	return dkt_fail(binary->ctx, -EOPNOTSUPP,
			"libcapstone was left out when libdktrace was built");
}

bool dkt__decode(struct decoder *decoder, const uint8_t **code, size_t *size, uint64_t *address,
		 struct decoded *decoded)
{
	(void)decoder, (void)code, (void)size, (void)address, (void)decoded;
	return false;
}

void dkt__decoder_for_people(struct decoder *decoder)
{
	(void)decoder;
}

void dkt__decoder_endp(struct decoder **decoder)
{
	(void)decoder;
}

#else

#include <capstone.h>
#include <dlfcn.h>

#include "lib/base/library.h"

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

static const struct {
	GElf_Half machine; /* of ELF */
	cs_arch arch;
	unsigned int mode;
} machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
};

void dkt__decoder_endp(struct decoder **to)
{
	struct decoder *decoder = *to;

	if (!decoder)
		return;
	if (decoder->insn)
		decoder->free(decoder->insn, 1);
	if (decoder->handle)
		decoder->close(&decoder->handle);
	if (decoder->library)
		dlclose(decoder->library);
	free(decoder);
	*to = NULL;
}

static int load(struct dkt_ctx *ctx, struct decoder *decoder)
{
	const struct dkt__call table[] = {
		{ "cs_open", &decoder->open },        { "cs_close", &decoder->close },
		{ "cs_malloc", &decoder->malloc },    { "cs_free", &decoder->free },
		{ "cs_disasm_iter", &decoder->iter }, { "cs_option", &decoder->option },
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

int dkt__decoder_open(struct dkt__binary *binary, struct decoder **decoder)
{
	int err;

	*decoder = calloc(1, sizeof(**decoder));
	if (!*decoder)
		return dkt__no_memory(binary->ctx);
	err = load(binary->ctx, *decoder);
	return err ? err : open_machine(binary, *decoder);
}

bool dkt__decode(struct decoder *decoder, const uint8_t **code, size_t *size, uint64_t *address,
		 struct decoded *decoded)
{
	if (!decoder->iter(decoder->handle, code, size, address, decoder->insn))
		return false;
	*decoded = (struct decoded){ .address = decoder->insn->address,
				     .size = decoder->insn->size,
				     .name = decoder->insn->mnemonic,
				     .operands = decoder->insn->op_str };
	return true;
}

void dkt__decoder_for_people(struct decoder *decoder)
{
	decoder->option(decoder->handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	/* Other machines have one syntax only, and refuse. */
	decoder->option(decoder->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
}

#endif
