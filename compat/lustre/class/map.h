/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the code of the class map: reading files, parsing them, resolving events. */
#pragma once

#include "compat/lustre/class.h"
#include "lib/base/arena.h"

/* The definition of a class, a subsystem or `messages`. */
struct class_target {
	const char *about;
	const char *none;
	struct class_entry *entries;
	size_t n;
	size_t events; /* number of events of this kernel */
};

/* An event that belongs to a class only under the condition of an entry. */
struct class_condition {
	size_t event; /* event index */
	unsigned int class; /* bit number */
	const struct class_entry *entry;
};

struct class_map {
	struct dkt__arena arena;
	struct class_target classes[MASK_BITS];
	struct class_target subsystems[MASK_BITS];
	struct class_target messages;
	struct class_bits *bits; /* by event index */
	size_t n_bits;
	struct class_condition *conditions; /* in no order */
	size_t n_conditions;
};

/* Adds the content of a file to the map. After a failure the map can only be freed. */
int dkl_class_parse(struct dkt_ctx *ctx, struct class_map *map, const char *file, const char *text,
		    size_t len);
