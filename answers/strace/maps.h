/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions behind the addresses of this machine's processes: what each has mapped now. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct maps;

/* Returns NULL if memory is out. */
struct maps *maps_new(void);
void maps_free(struct maps *maps);

/*
 * Reads what the process of the thread has mapped, if that is unknown or nothing is known at the address: call
 * it while the process has mapped it. Returns 0 or -ENOMEM.
 */
int maps_learn_at(struct maps *maps, int32_t tid, uint64_t address);

/* The process has executed another program, or has ended. */
void maps_forget(struct maps *maps, int32_t tid);

/* The place of an address. The strings are valid until the next call. */
struct map_place {
	const char *module; /* base name of the file */
	const char *function; /* NULL: unknown */
	uint64_t offset; /* in the function, otherwise in the module */
};

/* False: nothing is known at the address. */
bool maps_find(struct maps *maps, int32_t tid, uint64_t address, struct map_place *place);
