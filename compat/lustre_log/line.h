/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A message of Lustre's log as the analyses read it, whatever kind of source it is from. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre_log/take.h"
#include "compat/pipeline/pipeline.h"

/* Lustre cuts times to whole microseconds: a line can be later by less than this, in ns. */
#define LINE_TIME_UNIT 1000

/* Valid until the next record is read. */
struct log_line {
	uint64_t time; /* ns on the clock of the first file */
	uint32_t host; /* number of the file */
	uint32_t cpu;
	int32_t pid;
	uint32_t classes, subsystems;
	uint32_t number; /* of the line in the source file */
	struct part file, function, text;
	const struct dkt_record *record; /* that it was read from */
};

struct line_reader;

/* True if the context has an event of messages. */
bool dkl_line_any(struct dkt_ctx *ctx);

/* True for the message that Lustre writes when it is loaded. */
bool dkl_line_is_start(const struct log_line *line);

/* Returns false if the record is not a message. */
bool dkl_line_read(struct line_reader *reader, const struct dkt_record *record,
		   struct log_line *line);

/* One reader for each file of a pipeline. */
struct line_readers {
	struct line_reader **of; /* by part of the pipeline */
	size_t n;
};

/* Clear them in either case. */
int dkl_line_readers_init(struct line_readers *readers, const struct pipeline *line);
void dkl_line_readers_clear(struct line_readers *readers);
