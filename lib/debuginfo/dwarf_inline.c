/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the compiler has put into others, from DWARF. */
#include <dwarf.h>

#include "lib/debuginfo/dwarf_inline.h"
#include "lib/debuginfo/dwarf_place.h"

/* The name that the symbol of such a function has, which tells C++ functions apart. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	return name ? name : dwarf_diename(die);
}

size_t dkt__dwarf_inline_names(struct dkt__binary *binary, uint64_t address,
			       const char *names[DWARF_INLINE_MAX])
{
	char *message = dkt__error_take(binary->ctx);
	struct dwarf_place place;
	size_t n = 0;

	if (!dkt__dwarf_place(binary, address, &place)) {
		for (int i = 0; i < place.n_scopes && n < DWARF_INLINE_MAX; i++) {
			const int tag = dwarf_tag(&place.scopes[i]);

			if (tag == DW_TAG_subprogram)
				break;
			if (tag == DW_TAG_inlined_subroutine)
				names[n] = name_of(&place.scopes[i]);
			n += tag == DW_TAG_inlined_subroutine && names[n];
		}
		dkt__dwarf_place_clear(&place);
	}
	dkt__error_give(binary->ctx, 0, message);
	return n;
}
