/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs the allocations and frees of Lustre's memory. */
#pragma once

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/names.h"
#include "compat/lustre_log/take.h"
#include "lib/base/keymap.h"

/* A line of source that allocates or frees. */
struct leak_site {
	uint32_t file, function, name; /* numbers of names; name: the variable */
	uint32_t line;
	uint64_t allocated,
		freed; /* pieces that were allocated here; of them, those that were freed */
	uint64_t live_bytes; /* not freed */
	uint64_t twice; /* frees here of memory that had been freed */
	uint64_t unknown; /* frees here of memory that was not allocated in the log */
	uint64_t other_size; /* frees here with another size than the allocation's */
	uint64_t again; /* allocations here at an address that was in use */
};

struct leaks {
	struct dkt_ctx *ctx;
	struct name_table names;
	struct dkt__keymap site_map; /* file, line, variable */
	struct leak_site *sites; /* by entry of site_map */
	size_t n_sites;
	struct dkt__keymap map; /* host, address */
	struct leak_piece *pieces; /* by entry of map */
	size_t n_pieces;
	uint64_t allocs, frees, bytes, most; /* bytes: in use now, and at most */
	uint64_t twice, unknown, other_size, again;
	uint64_t hidden; /* messages without an address, which are not counted */
	bool lost; /* records were lost: frees may be missing */
	uint64_t cut; /* pieces in use when a host was started again, which are not leaked */
};

void dkl_leaks_init(struct leaks *leaks, struct dkt_ctx *ctx);
void dkl_leaks_clear(struct leaks *leaks);

/* The host was started again, or its clock was set back: forgets its memory. */
void dkl_leaks_restart(struct leaks *leaks, uint32_t host);

/* Takes the next line in order of time. */
int dkl_leaks_add(struct leaks *leaks, const struct log_line *line);

/* A message of the class malloc. */
struct malloc_text {
	bool frees;
	bool hidden; /* the address is; until a kernel has random numbers, %p prints (____ptrval____) */
	struct part how; /* "kmalloced", "slab-freed" ... */
	struct part name; /* of the variable in the source */
	uint64_t size, address;
};

/* Reads a text. Returns false if it is about something else. */
bool dkl_malloc_text_read(const char *text, size_t len, struct malloc_text *out);

/* Returns false if dkl_malloc_text_read() would not read a text that begins so. */
bool dkl_malloc_text_wanted(const char *text);
