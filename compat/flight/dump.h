/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dump: the records of all groups that no earlier dump has, in a file with its time as name. */
#pragma once

#include "flight/group.h"
#include "flight/state.h"

/*
 * Moves the records to a new file in the directory, and fills the dump. The reason becomes a record of
 * each group. The file gets its name when it is complete. -ENOSPC: there is no room for what the buffers
 * hold; if no file can be created or filled, they keep it.
 */
int flight_dump(struct dkt_ctx *ctx, const char *log, const struct flight_group *groups, size_t n,
		const char *dir, const char *reason, struct flight_dump *dump);

/*
 * Finishes the dump that a recorder was writing when it was killed, if there is one: then dump->file is
 * set. Clear the dump in any case. Call it before flight_dump().
 */
int flight_rescue(struct dkt_ctx *ctx, const char *log, const char *dir, struct flight_dump *dump);

/*
 * Deletes dumps of the directory from before a time of day (ns; INT64_MIN: none), and the oldest ones
 * until the rest has at most max_size bytes (0: no bound). The file named spare stays.
 */
int flight_prune(struct dkt_ctx *ctx, const char *dir, int64_t before, uint64_t max_size,
		 const char *spare);
