/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts messages by the source line that wrote them. */
#pragma once

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/names.h"
#include "lib/base/keymap.h"

struct message_site {
	uint32_t file, function; /* numbers of names */
	uint32_t line;
	uint32_t classes, subsystems;
	uint64_t count;
	uint64_t bytes; /* of the records in Lustre's buffer */
};

struct sites {
	struct dkt_ctx *ctx;
	struct name_table names;
	struct dkt__keymap map;
	struct message_site *list; /* by entry of map */
	size_t n;
	uint64_t count, bytes;
	uint64_t first, last; /* times */
	uint32_t classes, subsystems; /* of all messages */
	uint64_t by_class[32]; /* messages by bit */
};

void dkl_sites_init(struct sites *sites, struct dkt_ctx *ctx);
void dkl_sites_clear(struct sites *sites);
int dkl_sites_add(struct sites *sites, const struct log_line *line);
