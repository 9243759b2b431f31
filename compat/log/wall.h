/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wall clock beside the log's clock: their difference changes only when the wall clock is set, or while
 * the machine sleeps. Each change of the log, and each dk, keeps what it sees in the log's directory.
 */
#pragma once

#include "compat/log/debuglog.h"

/* Times of the log's clock at which the difference was seen, ns. Between two parts it is unknown. */
struct log_wall_part {
	uint64_t from, until;
	int64_t offset; /* to be added to get wall-clock time */
};

#define LOG_WALL_PARTS 8

struct log_wall {
	struct log_wall_part parts[LOG_WALL_PARTS];
	size_t n; /* 0: the clock has no wall-clock time, or is not that of dktrace */
};

/* Gets the parts up to now, and keeps them for the next one, as far as this process may write them. */
void dkl_log_wall_look(const struct debuglog *log, struct log_wall *wall);

/* Adds what is seen now: it makes the last part longer, or is the next one, in place of the oldest. */
void dkl_log_wall_add(struct log_wall *wall, uint64_t now, int64_t offset);

/* Returns the least difference; without one that of the caller. */
int64_t dkl_log_wall_least(const struct log_wall *wall, int64_t least);

/* Returns the difference at a time; between two parts that of the later one. */
int64_t dkl_log_wall_at(const struct log_wall *wall, uint64_t time);
