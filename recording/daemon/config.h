/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The settings of a daemon: one per line, the name of an option of `dktrace daemon start` without its
 * dashes, a space, and the value. Lines that begin with # are comments.
 *
 *	dir /var/log/dktrace
 *	class rpctrace+dlmtrace
 *	event sched:*
 *	max-size 10G
 */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/set/wanted.h"

enum archive_key {
	ARCHIVE_DIR,
	ARCHIVE_CLASS,
	ARCHIVE_SUBSYSTEM,
	ARCHIVE_EVENT,
	ARCHIVE_FILTER,
	ARCHIVE_COMM,
	ARCHIVE_PID,
	ARCHIVE_CHILDREN,
	ARCHIVE_CPU,
	ARCHIVE_STACK,
	ARCHIVE_PROBE,
	ARCHIVE_BUFFER_SIZE,
	ARCHIVE_SEGMENT_SIZE,
	ARCHIVE_SEGMENT_TIME,
	ARCHIVE_MAX_SIZE,
	ARCHIVE_KEEP,
	ARCHIVE_COMPRESSION,
	ARCHIVE_METRICS,
	ARCHIVE_KEYS,
};

/* Without --max-size, the segments take at most this part of the file system. */
#define ARCHIVE_DISK_PART 10

/* The first and the last key of those that choose the records. */
#define ARCHIVE_FIRST_CHOICE ARCHIVE_CLASS
#define ARCHIVE_LAST_CHOICE  ARCHIVE_PROBE

struct archive_config {
	char *value[ARCHIVE_KEYS]; /* NULL: not given */
};

/* The numbers in it, with defaults for those that are not given. */
struct archive_limits {
	uint64_t buffer; /* bytes of a CPU's buffer; 0: by the memory of the machine */
	uint64_t segment_size; /* bytes, before it is compressed */
	uint64_t segment_time; /* ns */
	uint64_t max_size; /* bytes of all segments; 0: a part of the file system */
	uint64_t keep; /* ns; 0: for ever */
	const char *compression;
};

/* Sets a value, a copy; NULL: not given. Values of options that can be repeated add up. */
int archive_config_set(struct archive_config *config, enum archive_key key, const char *value);
int archive_config_add(struct archive_config *config, enum archive_key key, const char *value);
void archive_config_clear(struct archive_config *config);

/* Adds the lines of a text. -EINVAL: a line is invalid; dkt_error() says which. */
int archive_config_parse(struct dkt_ctx *ctx, char *text, struct archive_config *config);
int archive_config_read(struct dkt_ctx *ctx, const char *path, struct archive_config *config);
int archive_config_write(struct dkt_ctx *ctx, const char *path,
			 const struct archive_config *config);

/* Checks the numbers and gets them. -EINVAL: one is invalid. */
int archive_config_limits(struct dkt_ctx *ctx, const struct archive_config *config,
			  struct archive_limits *limits);

/* Returns the words that choose the records; they are those of the config. */
struct wanted_words archive_config_words(const struct archive_config *config, const char *owner);

/* True if it chooses any records. */
bool archive_config_chooses(const struct archive_config *config);
