/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The differences between the clocks of several hosts, from the order of messages about the same RPC: no
 * request arrives before it is sent, and no reply before a thread has begun to work on the request.
 */
#pragma once

#include "compat/lustre_log/line.h"
#include "lib/base/keymap.h"

struct clocks {
	struct dkt_ctx *ctx;
	size_t n; /* hosts */
	int64_t *most; /* n * n: what host i must at most be put forward against host j, in ns */
	uint64_t *pairs; /* n * n: how many RPCs of i as client and j as server tell that */
	struct dkt__keymap open; /* by xid */
	struct clocks_rpc *list; /* by entry of open */
	size_t n_list;
};

int dkl_clocks_init(struct clocks *clocks, struct dkt_ctx *ctx, size_t n);
void dkl_clocks_clear(struct clocks *clocks);

/* Takes a line, with a time on the clock that is to be corrected. The lines of hosts can come in any order. */
int dkl_clocks_add(struct clocks *clocks, const struct log_line *line);

/* After the last line: joins what is known of hosts that have no RPC in common. */
void dkl_clocks_finish(struct clocks *clocks);

struct clocks_offset {
	int64_t ns; /* to be added to the times of the host */
	uint64_t error; /* ns: the true offset is at most so far away */
	uint64_t pairs; /* RPCs with both sides that one of the host's files has a side of */
	bool contradictory; /* no offset satisfies all pairs: a clock was set, or runs differently */
};

/* Gets the offset of a host to the clock of the first one. False: it is unknown. */
bool dkl_clocks_get(const struct clocks *clocks, size_t host, struct clocks_offset *offset);
