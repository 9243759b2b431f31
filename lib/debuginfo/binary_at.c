/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the function at an address of a program, in a list that is sorted once: a profile asks for
 * hundreds of thousands of addresses, and a program can have as many functions. Of several names for one
 * address it takes the one that perf takes (tools/perf/util/symbol.c).
 */
#include "lib/debuginfo/binary.h"

/* The end of the last function if the symbol has no size. */
#define PAGE 4096

/* Functions can lie within others: so many are looked at. */
#define NESTED_MAX 16

static const char *get(const struct dkt__binary *binary, uint32_t index, GElf_Sym *sym)
{
	GElf_Addr address;
	const char *name;

	*sym = (GElf_Sym){ 0 };
	if (index & BINARY_PLT)
		return binary->plt_names[index & ~BINARY_PLT];
	name = dwfl_module_getsym_info(binary->module, (int)index, sym, &address, NULL, NULL, NULL);
	return name ? name : "";
}

static bool is_code_section(Elf *elf, GElf_Word section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr header;

	return scn && gelf_getshdr(scn, &header) && header.sh_flags & SHF_EXECINSTR;
}

/* Labels of assembler code, such as _start, have no type. */
static bool is_wanted(const char *name, const GElf_Sym *sym, GElf_Word section, Elf *elf)
{
	const int type = GELF_ST_TYPE(sym->st_info), seen = GELF_ST_VISIBILITY(sym->st_other);

	if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* "$x" marks places in ARM code. */
	return type == STT_NOTYPE && seen != STV_HIDDEN && seen != STV_INTERNAL && name[0] != '$' &&
	       elf && is_code_section(elf, section);
}

static int by_address(const void *a, const void *b)
{
	const struct binary_place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* ---- several names for one address ---- */

/* Returns -1, 0 or 1: whether a is less. */
static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* True if the second name is the better one. */
static bool is_better(const struct dkt__binary *binary, const struct binary_place *a,
		      const struct binary_place *b)
{
	GElf_Sym x, y;
	const char *name = get(binary, a->index, &x), *other = get(binary, b->index, &y);
	int binds = GELF_ST_BIND(x.st_info), other_binds = GELF_ST_BIND(y.st_info);
	int d = compare(b->size != 0, a->size != 0);

	if (!d)
		d = compare(binds == STB_WEAK, other_binds == STB_WEAK);
	if (!d)
		d = compare(other_binds == STB_GLOBAL, binds == STB_GLOBAL);
	if (!d)
		d = compare(strspn(name, "_"), strspn(other, "_"));
	if (!d)
		d = compare(strlen(other), strlen(name));
	return d > 0;
}

/* Keeps the best name of each address. */
static void keep_best(struct dkt__binary *binary)
{
	struct binary_place *places = binary->places;
	size_t n = 0;

	for (size_t i = 0; i < binary->n_places; i++) {
		if (!n || places[n - 1].address != places[i].address)
			places[n++] = places[i];
		else if (is_better(binary, &places[n - 1], &places[i]))
			places[n - 1] = places[i];
	}
	binary->n_places = n;
}

/* A function without a size ends where the next one begins. */
static void set_sizes(struct dkt__binary *binary)
{
	struct binary_place *places = binary->places;

	for (size_t i = 0; i < binary->n_places; i++) {
		uint64_t size = 2 * PAGE - places[i].address % PAGE;

		if (places[i].size)
			continue;
		if (i + 1 < binary->n_places)
			size = places[i + 1].address - places[i].address;
		places[i].size = (uint32_t)DKT__MIN(size, (uint64_t)UINT32_MAX);
	}
}

/* ---- the list ---- */

/* If memory is out, later functions have no names. */
static void read_places(struct dkt__binary *binary)
{
	const int n = dwfl_module_getsymtab(binary->module);

	binary->places_read = true;
	for (int i = 1; i < n; i++) {
		GElf_Word section;
		GElf_Addr address;
		GElf_Sym sym;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(binary->module, i, &sym, &address,
							   &section, &elf, NULL);

		if (is_wanted(name, &sym, section, elf) &&
		    dkt__append(binary->places, binary->n_places,
				(struct binary_place){ .address = address,
						       .size = (uint32_t)DKT__MIN(
							       sym.st_size, (GElf_Xword)UINT32_MAX),
						       .index = (uint32_t)i }))
			break;
	}
	dkt__binary_add_plt(binary);
	if (binary->n_places)
		qsort(binary->places, binary->n_places, sizeof(*binary->places), by_address);
	keep_best(binary);
	set_sizes(binary);
}

static const struct binary_place *find(const struct dkt__binary *binary, uint64_t address)
{
	size_t low = 0, high = binary->n_places;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (binary->places[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i && low - i < NESTED_MAX; i--) {
		const struct binary_place *place = &binary->places[i - 1];

		if (address - place->address < place->size)
			return place;
	}
	return NULL;
}

void dkt__binary_at(struct dkt__binary *binary, uint64_t address, struct binary_symbol *symbol)
{
	const struct binary_place *place;
	GElf_Sym sym;

	if (!binary->places_read)
		read_places(binary);
	*symbol = (struct binary_symbol){ 0 };
	place = find(binary, address);
	if (place)
		*symbol = (struct binary_symbol){ .name = get(binary, place->index, &sym),
						  .address = place->address,
						  .size = place->size };
}
