/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the kernel functions that a place names. */
#pragma once

#include "probe/define.h"

/* A function that was found. */
struct probe_target {
	char *name;
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
	bool met_module; /* some of the place's module */
	struct dkt__guess guess;
	char variant[96]; /* NAME.isra.0: what the compiler made of it */
};

/*
 * Finds one function, or with a glob as many as may be, sorted. name is that of the place, by_address
 * if its address counts. -ENOENT, -ENOTUNIQ, -E2BIG with words.
 */
int dkt__probe_hunt(struct probe_hunt *hunt);
void dkt__probe_hunt_clear(struct probe_hunt *hunt);
