/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A directory of segments: the files of a recording that goes on for days. The name of a segment has
 * the time at which it began, in UTC, and a number that only grows, whatever is done to the clock:
 *
 *	dktrace-20261123T094000Z-000012.dat
 *
 * The file "index" has a line for each segment that has ended, so that a reader opens only those that
 * can have records of a time. Its fields are separated by spaces:
 *
 *	name  from  to  bytes  mtime  records  lost  run
 *
 * from and to are times of day in ns, and all records are between them; from is 0 if that is unknown.
 * bytes and mtime (ns) are those of the file. run is the ID of the recording: the kernel recorded all the
 * time between segments with the same ID; 0 or missing: unknown.
 *
 * A line counts only if bytes and mtime still match the file; readers open all other files. So an old,
 * truncated or missing index costs time but no records.
 */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>

/* Room for a name of any time and number, with its NUL. */
#define SEGMENT_NAME 72

struct segment {
	char name[SEGMENT_NAME];
	uint64_t number;
	bool known; /* the rest is known; otherwise only bytes and mtime are */
	bool growing; /* not known, and not complete */
	int64_t from, to; /* all records are within; time of day in ns */
	uint64_t bytes, records, lost;
	uint64_t run; /* ID of the recording; 0: unknown */
	int64_t mtime; /* ns */
};

struct segments {
	struct segment *list; /* in the order of their numbers */
	size_t n;
};

/* Fills the name of a segment that begins at a time of day, in s. */
void segment_name(char name[SEGMENT_NAME], int64_t time, uint64_t number);

/* Returns false if it is not the name of a segment; otherwise sets the number and the time, in s. */
bool segment_read_name(const char *name, uint64_t *number, int64_t *time);

/* Returns 1 if the directory has a segment, or 0. -errno: it cannot be read. */
int segments_are_in(const char *path);

/* Reads the directory and its index. -errno: the directory cannot be read. Free the list in any case. */
int segments_read(struct dkt_ctx *ctx, const char *path, struct segments *segments);
void segments_free(struct segments *segments);

/* True if the segment can have records of the time of day from since until before until, in ns. */
bool segment_is_within(const struct segment *segment, int64_t since, int64_t until);

/*
 * Writes the segment's line into the index, and leaves out those of segments that are gone. bytes and
 * mtime are taken from the file.
 */
int segments_note(struct dkt_ctx *ctx, const char *path, const struct segment *segment);

struct segments_limits {
	uint64_t max_size; /* bytes of all together; 0: no limit */
	uint64_t keep; /* ns after the last record; 0: for ever */
	int64_t now; /* the time of day for keep, in ns */
	uint64_t spare; /* this number and later ones are kept */
};

/*
 * Deletes the oldest segments until the others are within the limits. The oldest is that with the lowest
 * number: a clock may have been set back between them, and then a segment that looks old is not.
 */
int segments_prune(struct dkt_ctx *ctx, const char *path, const struct segments_limits *limits);

/*
 * Parses a line of the index; false if it is not one. The name is that of a segment, and so has no
 * directory.
 */
bool segments_parse(const char *line, struct segment *segment);
