/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes segments: one after the other, without losing a record between them. */
#pragma once

#include "recording/daemon/config.h"
#include "recording/record/file.h"
#include "recording/record/segments.h"

struct archive_writer {
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct dkt_recorder *recorder;
	const char *dir;
	struct capture_file file; /* of the segment; fd -1: none is open */
	char *path; /* of that file */
	int lock; /* of the directory; or -1 */
	struct segment segment; /* its facts so far */
	uint64_t began; /* CLOCK_BOOTTIME, ns */
	uint64_t ended_at; /* no later segment has an older record; on the trace's clock; 0: unknown */
	int64_t wall; /* from the trace's clock to the time of day, for the segment */
	uint64_t head; /* bytes of the beginning of the segment: symbols and formats */
	uint64_t read_before; /* records that were read before the segment */
	uint64_t lost_before; /* records that the kernel had lost when the last segment ended */
	bool ending; /* the last pages of a segment may use the room that is left to others */
};

#define ARCHIVE_WRITER_INIT                                                                        \
	{                                                                                          \
		.file = CAPTURE_FILE_INIT, .lock = -1                                              \
	}

/*
 * Locks the directory for this process until it ends, if a daemon has ever recorded there: creates nothing.
 * *lock is -1 or from an earlier call, which is enough as long as the directory still has that file. -EBUSY:
 * another daemon has it.
 */
int archive_dir_check(struct dkt_ctx *ctx, const char *dir, int *lock);

/* Creates the recorder of the instance. compression: of the segments once they are complete. */
int archive_writer_open(struct archive_writer *writer, const char *compression);

/*
 * Completes the segment that a killed daemon was writing, and sets *ended to it. Returns 1 if there is no
 * such segment.
 */
int archive_writer_resume(struct archive_writer *writer, struct segment *ended);

/* Begins a segment. The directory is created and locked if it is gone. */
int archive_writer_begin(struct archive_writer *writer);

/* Ends the segment and sets *ended to its facts. After an error, the caller can try again. */
int archive_writer_end(struct archive_writer *writer, struct segment *ended);

/* Updates records, lost and bytes of the segment; of none, what was lost since the last one. */
int archive_writer_count(struct archive_writer *writer);

/*
 * True if the clock was set, or the machine was suspended, since the segment began: a segment has one offset
 * from the trace's clock to the time of day.
 */
bool archive_writer_clock_set(const struct archive_writer *writer);

/* True if there is room for the next segment's beginning. */
bool archive_writer_has_room(const struct archive_writer *writer);
void archive_writer_free(struct archive_writer *writer);
