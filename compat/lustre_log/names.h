/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers texts that come again and again, such as NIDs and jobs. */
#pragma once

#include "compat/lustre_log/take.h"
#include "lib/base/arena.h"
#include "lib/base/keymap.h"

/* Names are numbered from 1; 0 is the empty name. */
struct name_table {
	struct dkt__keymap map;
	struct dkt__arena arena;
	const char **texts; /* by entry of map */
	size_t n;
};

void dkl_name_table_init(struct name_table *table);
void dkl_name_table_clear(struct name_table *table);

/* Returns the number of the name, which is added if necessary. UINT32_MAX: memory is out. */
uint32_t dkl_name_number(struct name_table *table, struct part name);

/* Returns the name of a number, terminated; "" for 0. */
static inline const char *name_text(const struct name_table *table, uint32_t number)
{
	return number ? table->texts[number - 1] : "";
}
