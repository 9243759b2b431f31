/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the loaded kernel modules of the chosen subsystems: their names and code addresses. */
#pragma once

#include "lustre/class.h"

struct module {
	char name[64];
	uint64_t from; /* 0: the kernel does not tell */
	uint64_t bytes;
};

struct modules {
	struct module *list;
	size_t n;
};

/* Those of the map's modules of the subsystems that are loaded. */
int modules_read(const struct class_map *map, uint32_t subsystems, struct modules *modules);
void modules_clear(struct modules *modules);

/*
 * An expression that is true if call_site lies in one of them; NULL if none has an address. The
 * caller frees it. The kernel takes filters of less than a page: what is too long is left out.
 */
int modules_sites(const struct modules *modules, char **sites);

/* Their names with blanks between. The caller frees it. */
int modules_names(const struct modules *modules, char **names);
