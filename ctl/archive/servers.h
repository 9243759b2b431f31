/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* archive: asks servers for programs and debug information by build ID, by the protocol of debuginfod(8). */
#pragma once

#include "answers/load/curl.h"

/* All zeroes: none is asked. */
struct servers {
	struct curl curl;
	struct dkt_ctx *ctx; /* for error messages */
	char *urls; /* separated by spaces */
};

/* Takes the servers of $DEBUGINFOD_URLS. -EINVAL, -EOPNOTSUPP: with words. Clear them in either case. */
int servers_begin(struct dkt_ctx *ctx, struct servers *servers);
void servers_clear(struct servers *servers);

/*
 * Gets the "executable" or the "debuginfo" with a build ID, as the digits of it. Returns the descriptor of a file
 * without a name, which the caller closes and checks: a server can send anything. -ENOENT: no server has it; other errors
 * are those of the last server, with words. Files of more than most bytes are not taken.
 */
int servers_get(struct servers *servers, const char *digits, const char *part, uint64_t most);
