/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The procedure linkage table of a program: short pieces of code that jump to functions of libraries. They
 * have no symbols; as in perf and objdump they are named after the function, "strcmp@plt".
 */
#include "lib/base/buf.h"
#include "lib/debuginfo/binary.h"
#include "lib/debuginfo/demangle.h"

/* The size of an entry on x86-64 and arm64, where some linkers do not set it. */
#define ENTRY 16

/* The sections that make up the table. */
struct sections {
	GElf_Shdr plt, secure, relocations;
	Elf_Scn *relocations_scn, *symbols_scn;
	GElf_Shdr symbols;
};

static bool find_sections(Elf *elf, struct sections *found)
{
	size_t names;

	*found = (struct sections){ 0 };
	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;
		const char *name =
			gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (!name)
			continue;
		if (!strcmp(name, ".plt")) {
			found->plt = header;
		} else if (!strcmp(name, ".plt.sec")) {
			found->secure = header;
		} else if (!strcmp(name, ".rela.plt")) {
			found->relocations = header;
			found->relocations_scn = scn;
		}
	}
	if (!found->plt.sh_addr || !found->relocations_scn)
		return false;
	found->symbols_scn = elf_getscn(elf, found->relocations.sh_link);
	return found->symbols_scn && gelf_getshdr(found->symbols_scn, &found->symbols);
}

/* Returns the name of the function of a relocation; NULL: it has none. */
static const char *function_of(Elf *elf, const struct sections *s, Elf_Data *relocations, int i)
{
	Elf_Data *symbols = elf_getdata(s->symbols_scn, NULL);
	GElf_Rela relocation;
	GElf_Sym symbol;

	if (!symbols || !gelf_getrela(relocations, i, &relocation) ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
		return NULL;
	return elf_strptr(elf, s->symbols.sh_link, symbol.st_name);
}

static int add(struct dkt__binary *binary, const char *name, uint64_t address, uint64_t size)
{
	char *plain __cleanup(free) = dkt__demangle(name);
	char *text = dkt__format("%s@plt", plain ? plain : name);
	int err = text ? dkt__append(binary->plt_names, binary->n_plt_names, text) : -ENOMEM;

	if (err) {
		free(text);
		return err;
	}
	return dkt__append(binary->places, binary->n_places,
			   (struct binary_place){ .address = address,
						  .size = (uint32_t)size,
						  .index = BINARY_PLT |
							   (uint32_t)(binary->n_plt_names - 1) });
}

int dkt__binary_add_plt(struct dkt__binary *binary)
{
	struct sections s;
	Elf_Data *relocations;
	uint64_t entry, first;
	int n, err = 0;

	if (binary->machine == DKT__OTHER || !find_sections(binary->elf, &s))
		return 0;
	relocations = elf_getdata(s.relocations_scn, NULL);
	if (!relocations || !s.relocations.sh_entsize)
		return 0;
	n = (int)DKT__MIN(relocations->d_size / s.relocations.sh_entsize, (size_t)INT32_MAX / 2);
	/* The first entry of the table finds functions; on arm64 it takes the room of two. */
	entry = s.plt.sh_entsize ? s.plt.sh_entsize : ENTRY;
	first = s.plt.sh_addr + (binary->machine == DKT__ARM64 ? 32 : entry);
	if (s.secure.sh_addr) {
		entry = s.secure.sh_entsize ? s.secure.sh_entsize : ENTRY;
		first = s.secure.sh_addr;
	}
	for (int i = 0; !err && i < n; i++) {
		const char *name = function_of(binary->elf, &s, relocations, i);

		if (name && *name)
			err = add(binary, name, binary->bias + first + (uint64_t)i * entry, entry);
	}
	return err;
}
