/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dump: the records of all groups that no earlier dump has, in a file with its time and number as name. */
#pragma once

#include "recording/flight/group.h"
#include "recording/flight/state.h"

/*
 * Moves the records to a new file in the directory, and fills the dump. The reason becomes a record of
 * each group, and those that are paused record again. The file gets its name when it is complete.
 * -ENOSPC: there is no room for what the buffers hold; if no file can be created or filled, they keep it.
 */
int flight_dump(struct dkt_ctx *ctx, const char *log, struct flight_group *groups, size_t n,
		const char *dir, const char *reason, struct flight_dump *dump);

/*
 * Finishes the dump that a recorder was writing when it was killed, if there is one: then dump->file is
 * set. Clear the dump in any case. Call it before flight_dump().
 */
int flight_rescue(struct dkt_ctx *ctx, const char *log, const char *dir, struct flight_dump *dump);
