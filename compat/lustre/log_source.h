/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's debug log as a source of records: its binary records, or the text that dk prints. */
#pragma once

#include "lustre/message.h"
#include "lustre/record/sort.h"

/*
 * As dkt_source_open(), and of a text as dk prints it and of a binary log, whose records are of the
 * event libcfs:libcfs_debug_msg, in order of time.
 */
int log_source_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		    struct dkt_source **source);

/* Whether the source is such a file. */
bool log_source_is(const struct dkt_source *source);

/* ---- the binary records of a descriptor ---- */

struct log_source;

/* Reads all of the log once; opts->fd becomes the log's, in any case. */
int log_source_new(struct dkt_ctx *ctx, const struct record_sort_opts *opts,
		   struct log_source **log);
void log_source_free(struct log_source *log);

const struct record_counts *log_source_counts(const struct log_source *log);

/*
 * Makes the source, which is to be closed before the log, and once. The context has read its events,
 * or else gets none but the event of these records.
 */
int log_source_make(struct log_source *log, struct dkt_ctx *ctx, const struct dkt_source_opts *opts,
		    struct dkt_source **source);

/* The event that the records of the source are of. */
struct dkt_event *log_source_event(const struct log_source *log);

/* To be called before the first record: nobody asks for fields, and records come without bytes. */
void log_source_bare(struct log_source *log);

/* To be called before the first record if log_source_find() is to be called. */
int log_source_look_ahead(struct log_source *log);

/*
 * As log_ahead_find(). The record gets its bytes in data, which has room for RECORD_EVENT_MAX; its time
 * is wall-clock time.
 */
bool log_source_find(struct log_source *log, const struct message_key *key, const char *text,
		     size_t text_len, uint8_t *data, struct dkt_record *record);

/* Appends the line of the record returned last, to the byte as Lustre's lctl prints it. */
void log_source_line(struct log_source *log, struct dkt_buf *buf);
