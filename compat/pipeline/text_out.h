/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a style's text to a descriptor. */
#pragma once

#include "compat/lustre/style.h"
#include "compat/pipeline/outfile.h"

struct text_out {
	struct dkt_ctx *ctx;
	struct style *style;
	struct dkt_buf *buf; /* text to be written */
	struct outfile *file; /* begins with the first text */
	int fd; /* of the file; -1: the style writes files of its own */
	bool journal; /* fd is the journal, which gets an entry for each line */
	bool closed; /* the reader of the pipe has exited */
	bool wrote; /* some text */
	bool stamps; /* each line begins with the time of its record in ns, for a program that merges */
	uint64_t stamp; /* the time of the last record */
	size_t stamped; /* bytes of the buffer whose lines have it */
};

/* Puts the time before each new line of the buffer, if the output has stamps. Call it after each record. */
int dkl_text_out_stamp(struct text_out *out, uint64_t ts);

/* Writes the buffer out. */
int dkl_text_out_write(struct text_out *out);

/* The same, if the buffer is full. */
int dkl_text_out_write_if_full(struct text_out *out);

/* Writes all text of the records so far, also the style's own buffers. */
int dkl_text_out_flush(struct text_out *out);

/* Looks, before a wait for more records, whether anybody can still read the output: -EPIPE. */
int dkl_text_out_look(struct text_out *out);

/* Checks for an error that some file systems report only at a close. */
int dkl_text_out_check(struct text_out *out);

/* Flushes and checks, before records are freed. data is the struct text_out. */
int dkl_text_out_settle(void *data);
