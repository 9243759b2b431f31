/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lustre's debug log as a source of records: its binary records, the text that dk prints, or the copies
 * that the console sends to syslog.
 */
#pragma once

#include "compat/lustre/binary/sort.h"
#include "compat/lustre/binary/spill.h"
#include "compat/lustre/log_text.h"
#include "compat/lustre/message.h"

/* The buffer of the dump of a kernel that has Lustre's messages. */
#define LOG_SOURCE_DUMP "libcfs"

/*
 * Like dkt_source_open(), but also opens the text that dk prints, the lines of Lustre in a file of
 * syslog or dmesg, Lustre's binary logs, and that buffer of a dump. Their records belong to the event
 * libcfs:libcfs_debug_msg and come in time order. For syslog, the CPU of a record is the number of its host
 * among the names in the source's host.
 */
int dkl_log_source_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
			struct dkt_source **source);

/* How to read a log that is a text. */
struct log_wants {
	log_text_wants *texts; /* of dk's text, the messages that are read; NULL: all */
	/*
	 * Where the clock was set back, so that times come twice, leave the order of the file: there
	 * the time of a record is less than that of the one before.
	 */
	bool epochs;
	/*
	 * Reads dk's text while its records are asked for, without a copy of them. If the text turns
	 * out not to be in order of time, dkt_source_next() fails with LOG_NO_ORDER: begin again
	 * without this. Only files are read so.
	 */
	bool at_once;
};

#define LOG_NO_ORDER (-EILSEQ)

/* The same, for such wants. */
int dkl_log_source_open_wanted(struct dkt_ctx *ctx, const char *path,
			       const struct dkt_source_opts *opts, const struct log_wants *wants,
			       struct dkt_source **source);

/* True if the source is such a text or binary log. */
bool dkl_log_source_is(const struct dkt_source *source);

/* ---- binary records from a descriptor ---- */

struct log_source;

/* Reads the whole log once. Takes ownership of opts->fd, even if it fails. */
int dkl_log_source_new(struct dkt_ctx *ctx, const struct record_sort_opts *opts,
		       struct log_source **log);
void dkl_log_source_free(struct log_source *log);

const struct record_counts *dkl_log_source_counts(const struct log_source *log);

/*
 * Creates the source. Call it once, and close the source before the log. If the context has not
 * read its events, it gets only the event of these records.
 */
int dkl_log_source_make(struct log_source *log, struct dkt_ctx *ctx,
			const struct dkt_source_opts *opts, struct dkt_source **source);

/* Returns the event of the source's records. */
struct dkt_event *dkl_log_source_event(const struct log_source *log);

/* Call before the first record if nobody reads fields: the records come without data. */
void dkl_log_source_bare(struct log_source *log);

/* Call before the first record to allow dkl_log_source_find(). */
int dkl_log_source_look_ahead(struct log_source *log);

/*
 * Like dkl_log_ahead_find(). The record's fields are stored in data, of RECORD_EVENT_MAX bytes. Its
 * time is wall-clock time.
 */
bool dkl_log_source_find(struct log_source *log, const struct message_key *key, const char *text,
			 size_t text_len, uint8_t *data, struct dkt_record *record);

/* Appends the line of the record returned last, exactly as Lustre's lctl prints it. */
void dkl_log_source_line(struct log_source *log, struct dkt_buf *buf);

/* ---- dump_log.c: Lustre's messages in the dump of a kernel ---- */

/* True if the file is a dump, and libcfs was loaded. */
bool dkl_dump_log_exists(const char *path, const struct dkt_source_opts *opts);

/*
 * Copies the binary records that libcfs kept to the spill, CPU after CPU. *damage: what could not be
 * read, which the caller frees; NULL: nothing. -EINVAL: the file is not a dump; -ENOENT: libcfs was
 * not loaded; -EOPNOTSUPP: its buffer is not as Lustre 2 has it.
 */
int dkl_dump_log_read(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		      struct spill *spill, char **damage);
