/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the compiler has put into others, from DWARF. */
#include "lib/debuginfo/dwarf_inline.h"

#include <dwarf.h>

#include "lib/debuginfo/dwarf_index.h"

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
	uint64_t bias;
	Dwarf_Die function, die, *unit = dkt__dwarf_unit(binary, address, &bias);
	struct dwarf_spans inlined;
	size_t n = 0;

	if (!unit || dkt__dwarf_function_at(binary, unit, address - bias, &function))
		return 0;
	inlined = dkt__dwarf_inlined_in(binary, &function);
	for (size_t i = inlined.n; i-- && n < DWARF_INLINE_MAX;) {
		const struct dwarf_span *span = &inlined.list[i];

		if (address - bias < span->from || address - bias >= span->to ||
		    !dwarf_offdie(dwarf_cu_getdwarf(unit->cu), span->die, &die))
			continue;
		names[n] = name_of(&die);
		n += !!names[n];
	}
	return n;
}
