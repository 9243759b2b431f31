/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the kernel functions that a place names. */
#pragma once

#include "lib/probe/define.h"

/* A found function. */
struct probe_target {
	char *name; /* first: they are sorted by it */
	char *module; /* NULL: of the kernel itself */
	uint64_t address;
};

struct probe_hunt {
	struct probe_define *define;
	const char *name;
	bool by_address;
	struct probe_target *found;
	size_t n;
	bool any; /* symbols could be read */
	bool found_module; /* symbols of the place's module were found */
	struct dkt__guess guess;
	char variant[96]; /* NAME.isra.0: a variant by the compiler */
};

/*
 * Finds one function, or with a glob several, sorted. name is the place's; by_address: its address
 * matters. -ENOENT, -ENOTUNIQ, -E2BIG with an error message.
 */
int dkt__probe_hunt(struct probe_hunt *hunt);
void dkt__probe_hunt_clear(struct probe_hunt *hunt);
