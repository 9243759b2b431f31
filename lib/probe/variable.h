/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds where a place's variables are stored, from DWARF, and writes them as fetch arguments. */
#pragma once

#include "lib/debuginfo/dwarf_place.h"
#include "lib/probe/arg.h"

/* Implement the callbacks of struct probe_scope. numbered: arguments are $arg1, ... */
int dkt__dwarf_variable(struct dwarf_place *place, bool numbered, const char *name,
			struct probe_value *value, struct dkt__guess *guess);
int dkt__dwarf_argument(struct dwarf_place *place, bool numbered, unsigned int n,
			struct probe_value *value);
int dkt__dwarf_result(struct dwarf_place *place, uint32_t *type);
