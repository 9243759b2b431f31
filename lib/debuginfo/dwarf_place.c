/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A place in code and the scopes that enclose it, from DWARF. */
#include "lib/debuginfo/dwarf_place.h"

#include <dwarf.h>

#include "lib/debuginfo/dwarf_index.h"

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

int dkt__dwarf_place(struct dkt__binary *binary, uint64_t address, struct dwarf_place *place)
{
	Dwarf_Addr entry;
	Dwarf_Die *unit;
	uint64_t bias;
	int i;

	*place = (struct dwarf_place){ .binary = binary, .address = address };
	if (!dkt__binary_dwarf(binary, &bias))
		return -ENODATA;
	unit = dkt__dwarf_unit(binary, address, &place->bias);
	if (unit)
		find_scopes(place, unit);
	for (i = 0; i < place->n_scopes; i++)
		if (dwarf_tag(&place->scopes[i]) == DW_TAG_subprogram)
			break;
	if (!unit || i >= place->n_scopes) {
		dkt__dwarf_place_clear(place);
		return dkt_fail(binary->ctx, -ENODATA,
				"the debug information of %s does not describe that place",
				binary->path);
	}
	place->function = place->scopes[i];
	place->entry = !dwarf_entrypc(&place->function, &entry) && entry + place->bias == address;
	return 0;
}

void dkt__dwarf_place_clear(struct dwarf_place *place)
{
	free(place->scopes);
	place->scopes = NULL;
	place->n_scopes = 0;
}
