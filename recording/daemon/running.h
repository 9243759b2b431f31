/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process of an archive, while it runs: shared by its files. */
#pragma once

#include "recording/daemon/archive.h"
#include "recording/daemon/metrics.h"
#include "recording/daemon/worker.h"
#include "recording/daemon/writer.h"
#include "recording/record/age.h"

struct archive {
	struct dkt_ctx *ctx;
	const char *log;
	const struct archive_opts *opts;
	struct archive_config *config;
	struct archive_limits limits;
	struct dkt_instance *in;
	struct wanted *wanted;
	struct archive_writer writer;
	struct archive_worker worker;
	struct archive_metrics metrics;
	struct archive_state state;
	char *dir; /* of the segments */
	char *owner; /* the prefix of the names of probes */
	uint64_t next, pruned, failed_at; /* times of CLOCK_BOOTTIME, ns */
	struct age_clock clock;
	bool failing; /* the last attempt to write failed */
	bool ending, keep;
};

/* ---- loop.c: records until a signal ---- */

int archive_begin_segment(struct archive *archive);

/* Ends the segment, and hands it to the worker. */
int archive_end_segment(struct archive *archive);

/* Waits for a moment, and writes when it is time. Sets ending after a signal to end. */
void archive_step(struct archive *archive);

/* Replaces the file of metrics if it is time. */
void archive_show_metrics(struct archive *archive);

/* ---- change.c: the settings, and the events that they choose ---- */

/* Changes the instance to the events of the config. */
int archive_apply(struct archive *archive, const struct archive_config *config);

/* Stores the settings that are in effect, for reload and status. */
int archive_store_settings(struct archive *archive);

/* Takes the settings that a reload asks for. After an error, which status shows, the old ones stay. */
void archive_change(struct archive *archive);

/* ---- report.c: the log, the service manager and status ---- */

/*
 * Reports the error of dkt_error() once, and keeps it for status. Recording goes on in the kernel's
 * buffers.
 */
void archive_note_failure(struct archive *archive);

/* Reports that writing goes on. */
void archive_forget_failure(struct archive *archive);

/* Saves the state as it is; archive_update_state() also brings its numbers up to date, each second. */
void archive_save(struct archive *archive);
void archive_update_state(struct archive *archive);
