/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A place in code and the scopes that enclose it, from DWARF. */
#include "lib/debuginfo/dwarf_place.h"

#include <dwarf.h>

#include "lib/debuginfo/dwarf_index.h"

/*
 * The instructions before the entry of a function that the kernel's tracer patches. Its symbol is at the first of
 * them, but gcc leaves them out of the function on arm64 (-fpatchable-function-entry).
 */
#define PATCHED 8

/*
 * Finds the scopes around the place. dwarf_getscopes() continues from an inlined function to its
 * definition; dwarf_getscopes_die() continues to the function into which it was inlined.
 */
static void find_scopes(struct dwarf_place *place, Dwarf_Die *unit)
{
	Dwarf_Die *around = NULL;
	int n;

	place->n_scopes = dwarf_getscopes(unit, place->address - place->bias, &place->scopes);
	if (place->n_scopes <= 0)
		return;
	n = dwarf_getscopes_die(&place->scopes[0], &around);
	if (n <= 0)
		return;
	free(place->scopes);
	place->scopes = around;
	place->n_scopes = n;
}

/* Finds the function at the address, and whether it begins there. */
static bool find_function(struct dwarf_place *place, struct dkt__binary *binary, uint64_t address)
{
	Dwarf_Die *unit;
	Dwarf_Addr entry;

	*place = (struct dwarf_place){ .binary = binary, .address = address };
	unit = dkt__dwarf_unit(binary, address, &place->bias);
	if (unit)
		find_scopes(place, unit);
	for (int i = 0; i < place->n_scopes; i++) {
		if (dwarf_tag(&place->scopes[i]) != DW_TAG_subprogram)
			continue;
		place->function = place->scopes[i];
		place->entry = !dwarf_entrypc(&place->function, &entry) &&
			       entry + place->bias == address;
		return true;
	}
	dkt__dwarf_place_clear(place);
	return false;
}

/* True if a symbol that is longer than these instructions begins at the address. */
static bool may_be_patched(struct dkt__binary *binary, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym sym;

	return dwfl_module_addrinfo(binary->module, address, &offset, &sym, NULL, NULL, NULL) &&
	       !offset && sym.st_size > PATCHED;
}

int dkt__dwarf_place(struct dkt__binary *binary, uint64_t address, struct dwarf_place *place)
{
	uint64_t bias;

	*place = (struct dwarf_place){ .binary = binary, .address = address };
	if (!dkt__binary_dwarf(binary, &bias))
		return -ENODATA;
	if (find_function(place, binary, address))
		return 0;
	if (!may_be_patched(binary, address) || !find_function(place, binary, address + PATCHED) ||
	    !place->entry) {
		dkt__dwarf_place_clear(place);
		return dkt_fail(binary->ctx, -ENODATA,
				"the debug information of %s does not describe that place",
				binary->path);
	}
	return 0;
}

void dkt__dwarf_place_clear(struct dwarf_place *place)
{
	free(place->scopes);
	place->scopes = NULL;
	place->n_scopes = 0;
}
