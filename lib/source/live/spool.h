/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A spool: a file with pages from a per-CPU buffer, which survives a killed reader. */
#pragma once

#include "lib/ctx.h"

struct dkt__spool {
	int fd;
	uint8_t *map;
	size_t map_len;
	uint32_t page_size;
	uint64_t source; /* ID of the kernel's buffer */
	struct dkt__spool_head *head;
};

/* The position where reading continues: a page, and a byte in it. */
struct dkt__spool_pos {
	uint32_t page;
	uint32_t offset;
};

/* The state of a CPU that is kept from one capture to the next. */
struct dkt__spool_base {
	uint64_t lost; /* the kernel's count of lost records that is accounted for */
	uint64_t read; /* the kernel's count of read records, to notice that it was reset */
	uint64_t owed; /* lost before the kernel's counts restarted, and not yet reported */
	bool emptied; /* the next record is the first of an emptied buffer */
};

/* Writes the name of a CPU's file in the spool directory. */
void dkt__spool_name(int cpu, char name[static 24]);

/*
 * Opens the CPU's file in the directory dirfd, or an unnamed file if dirfd is -1. A file with
 * another layout is emptied. A page that a killed reader had fetched but not counted is found and
 * counted. source identifies the kernel's buffer: the stored counts of another buffer are
 * discarded.
 */
int dkt__spool_open(struct dkt_ctx *ctx, struct dkt__spool *spool, int dirfd, int cpu,
		    uint32_t page_size, uint64_t source);
void dkt__spool_close(struct dkt__spool *spool);

uint32_t dkt__spool_pages(const struct dkt__spool *spool);
struct dkt__spool_pos dkt__spool_start(const struct dkt__spool *spool);
void *dkt__spool_page(const struct dkt__spool *spool, uint32_t page);

/*
 * Returns space for one more page, allocated on disk; may move the mapping. NULL with *err set: no
 * space.
 */
void *dkt__spool_room(struct dkt__spool *spool, int *err);

/* Adds the page that was filled in this space. */
void dkt__spool_commit(struct dkt__spool *spool);

/* Frees all before the position. True if nothing is left: pages start at 0 again. */
bool dkt__spool_release(struct dkt__spool *spool, struct dkt__spool_pos pos);

/* Empties the spool, after the kernel's buffer was emptied and its counts are 0. */
void dkt__spool_reset(struct dkt__spool *spool);

/* Directories in the spool for records that are not the log's. */
#define DKT__SPOOL_SNAPSHOT  "/snapshot"
#define DKT__SPOOL_LAST_BOOT "/last-boot"

/* The contents of a directory with spools, found without a lock. */
struct dkt__spool_sum {
	uint64_t bytes;
	bool whole; /* each CPU's file has the mark of dkt__whole_mark() */
};

/* Looks at a directory in the spool; "": the spool itself. */
int dkt__spool_dir_sum(const struct dkt_instance *in, const char *sub, struct dkt__spool_sum *sum);

struct dkt__spool_base dkt__spool_get_base(const struct dkt__spool *spool);
void dkt__spool_set_base(struct dkt__spool *spool, struct dkt__spool_base base);
