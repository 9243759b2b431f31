/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dumps in a directory, in the order in which they were made. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dkt_ctx;

/* Which dumps to delete. */
struct flight_limits {
	int64_t now; /* time of day, ns */
	uint64_t keep; /* ns after which a dump is deleted; 0: never */
	uint64_t max_size; /* bytes of all dumps; 0: no bound */
	const char *spare; /* the name of a file that stays; NULL: none */
};

/*
 * True for the names that a recorder gives: flight-20261123-094000-000012.dat has number 12. Without one,
 * as flight-20261123-094000.dat, it is 0.
 */
bool flight_file_number(const char *name, uint64_t *number);

/* Finds the number after that of the last dump in the directory. */
int flight_next_number(struct dkt_ctx *ctx, const char *dir, uint64_t *number);

/* Deletes dumps of this user that are too old, and the oldest ones until the rest is not too large. */
int flight_prune(struct dkt_ctx *ctx, const char *dir, const struct flight_limits *limits);
