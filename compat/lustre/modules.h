/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the loaded kernel modules of the chosen subsystems: their names and code addresses. */
#pragma once

#include "compat/lustre/class.h"

struct module {
	char name[64];
	uint64_t from; /* address; 0: hidden by the kernel */
	uint64_t bytes; /* size */
};

struct modules {
	struct module *list;
	size_t n;
};

/* Finds the loaded modules among those that the map has for the subsystems. */
int dkl_modules_read(const struct class_map *map, uint32_t subsystems, struct modules *modules);
void dkl_modules_clear(struct modules *modules);

/*
 * Gets an expression that is true if call_site is in one of the modules; NULL if no address is
 * known. The caller frees it. Modules that would make it longer than the kernel's limit are
 * skipped.
 */
int dkl_modules_sites(const struct modules *modules, char **sites);

/* Gets their names, separated by spaces. The caller frees the text. */
int dkl_modules_names(const struct modules *modules, char **names);
