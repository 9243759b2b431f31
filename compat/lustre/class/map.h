/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the code of the class map: reading files, parsing them, resolving events. */
#pragma once

#include "base/arena.h"
#include "lustre/class.h"

/* A class, a subsystem or `messages`. */
struct class_target {
	const char *about;
	const char *none;
	struct class_entry *entries;
	size_t n;
	size_t events; /* of this kernel */
};

/* Event and class that an entry with a filter or a narrowing joined. */
struct class_condition {
	size_t event; /* index */
	unsigned int type; /* bit number */
	const struct class_entry *entry;
};

struct class_map {
	struct dkt__arena arena;
	struct class_target types[MASK_BITS];
	struct class_target subsystems[MASK_BITS];
	struct class_target messages;
	struct class_bits *bits; /* by event index */
	size_t n_bits;
	struct class_condition *conditions; /* in no order */
	size_t n_conditions;
};

/* Adds what a file says to the map. After a failure the map is only good to be freed. */
int class_parse(struct dkt_ctx *ctx, struct class_map *map, const char *file, const char *text,
		size_t len);
