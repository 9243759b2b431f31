/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The code of a function: its instructions and the lines of its source. */
#include "lib/debuginfo/code.h"

#include <dwarf.h>

#include "lib/ctx.h"
#include "lib/debuginfo/decoder.h"
#include "lib/debuginfo/demangle.h"
#include "lib/debuginfo/dwarf_index.h"
#include "lib/debuginfo/dwarf_inline.h"

/* A function is no larger, unless its symbol lies. */
#define CODE_MAX (1u << 20)

/* ---- instructions ---- */

/* Takes the message of a failure as the reason why something is missing. */
static const char *take_reason(struct dkt__listing *listing)
{
	char *message __cleanup(free) = dkt__error_take(listing->binary->ctx);
	const char *reason = message ? message : "unknown";

	return dkt__arena_strndup(&listing->texts, reason, strlen(reason));
}

/* Finds the bytes of the function; a file of an object or a module has them only by sections. */
static const uint8_t *find_bytes(const struct dkt__listing *listing, size_t *n)
{
	GElf_Addr at = listing->base, bias;
	Elf_Scn *section = dwfl_module_address_section(listing->binary->module, &at, &bias);
	const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	GElf_Shdr header;

	if (!data || !data->d_buf || !gelf_getshdr(section, &header) ||
	    header.sh_type == SHT_NOBITS || !(header.sh_flags & SHF_EXECINSTR) ||
	    at >= data->d_size)
		return NULL;
	*n = DKT__MIN((size_t)listing->size, data->d_size - at);
	return (const uint8_t *)data->d_buf + at;
}

/* " <memcpy@plt>" after the address that a jump or call goes to; "" if it has no name. */
static char *target_of(const struct dkt__listing *listing, const char *operands)
{
	char *end;
	uint64_t at = strncmp(operands, "0x", 2) ? 0 : strtoull(operands, &end, 16);
	struct binary_symbol symbol = { 0 };
	char *plain __cleanup(free) = NULL, offset[24] = "";

	if (at && !*end)
		dkt__binary_at(listing->binary, at - listing->address + listing->base, &symbol);
	if (!symbol.name)
		return strdup("");
	at = at - listing->address + listing->base - symbol.address;
	if (at)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)at);
	plain = dkt__demangle(symbol.name);
	return dkt__format(" <%s%s>", plain ? plain : symbol.name, offset);
}

static int add_instruction(struct dkt__listing *listing, const struct decoded *insn)
{
	char *target __cleanup(free) = target_of(listing, insn->operands);
	char *text __cleanup(free) = !target ? NULL :
					       dkt__format("%-*s%s%s", *insn->operands ? 7 : 0,
							   insn->name, insn->operands, target);
	const size_t len = text ? strlen(text) : 0;
	struct dkt__instruction instruction = {
		.offset = insn->address - listing->address,
		.size = insn->size,
		.text = text ? dkt__arena_strndup(&listing->texts, text, len) : NULL
	};

	if (!instruction.text)
		return -ENOMEM;
	return dkt__append(listing->list, listing->n, instruction);
}

static int read_instructions(struct dkt__listing *listing)
{
	struct decoder *decoder __cleanup(decoder_end) = NULL;
	struct decoded insn;
	size_t n = 0;
	const uint8_t *bytes = find_bytes(listing, &n);
	uint64_t at = listing->address;
	int err;

	if (!bytes) {
		listing->no_code = "the file has no code there";
		return 0;
	}
	err = dkt__decoder_open(listing->binary, &decoder);
	if (err == -EOPNOTSUPP) {
		listing->no_code = take_reason(listing);
		return listing->no_code ? 0 : -ENOMEM;
	}
	if (err)
		return err;
	dkt__decoder_for_people(decoder);
	while (!err && n && dkt__decode(decoder, &bytes, &n, &at, &insn))
		err = add_instruction(listing, &insn);
	return err;
}

int dkt__listing_fill(struct dkt__listing *listing, const struct binary_symbol *symbol)
{
	uint64_t bias;

	listing->path = listing->binary->path;
	listing->base = symbol->address;
	listing->address = symbol->address - listing->binary->bias;
	listing->size = DKT__MIN(symbol->size, (uint64_t)CODE_MAX);
	if (!dkt__binary_dwarf(listing->binary, &bias)) {
		listing->no_lines = take_reason(listing);
		if (!listing->no_lines)
			return -ENOMEM;
	}
	return read_instructions(listing);
}

void dkt__listing_endp(struct dkt__listing *listing)
{
	free(listing->list);
	dkt__arena_free(&listing->texts);
	dkt__binary_close(listing->own);
	*listing = (struct dkt__listing){ 0 };
}

/* ---- lines ---- */

/* "inner < outer" */
static const char *inlined_at(struct dkt__listing *listing, uint64_t address)
{
	const char *names[DWARF_INLINE_MAX];
	const size_t n = dkt__dwarf_inline_names(listing->binary, address, names);
	char *text __cleanup(free) = n ? strdup("") : NULL;

	for (size_t i = 0; text && i < n; i++) {
		char *plain __cleanup(free) = dkt__demangle(names[i]);
		char *longer =
			dkt__format("%s%s%s", text, i ? " < " : "", plain ? plain : names[i]);

		free(text);
		text = longer;
	}
	return text ? dkt__arena_strndup(&listing->texts, text, strlen(text)) : NULL;
}

/* A name can be relative to the directory in which the compiler ran. */
static const char *whole_path(struct dkt__listing *listing, Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attr;
	const char *dir = *file == '/' ? NULL :
					 dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	char *path __cleanup(free) = dir ? dkt__format("%s/%s", dir, file) : NULL;

	return path ? dkt__arena_strndup(&listing->texts, path, strlen(path)) : file;
}

int dkt__listing_line(struct dkt__listing *listing, uint64_t offset, struct dkt__listing_line *line)
{
	const uint64_t address = listing->base + offset;
	uint64_t bias;
	Dwarf_Die *unit = listing->no_lines ? NULL :
					      dkt__dwarf_unit(listing->binary, address, &bias);
	Dwarf_Line *row = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;

	*line = (struct dkt__listing_line){ 0 };
	/* Line 0 is code that is of no line. */
	if (!file || dwarf_lineno(row, &line->line) || line->line <= 0)
		return 1;
	if (row != listing->last)
		listing->inlined = inlined_at(listing, address);
	listing->last = row;
	line->inlined = listing->inlined;
	line->file = whole_path(listing, unit, file);
	return 0;
}
