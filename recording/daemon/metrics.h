/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metrics of a daemon: a text file in Prometheus' format, for the directory that node_exporter's textfile
 * collector reads. It is replaced every few seconds, and removed when the daemon ends.
 */
#pragma once

#include "compat/set/wanted.h"
#include "recording/daemon/latencies.h"
#include "recording/daemon/state.h"
#include "recording/daemon/writer.h"

/* An event that was recorded at any time, and the classes that its records count in. */
struct metrics_event {
	int id;
	uint32_t classes; /* 0: none */
	bool messages; /* each record has its own class */
};

struct archive_metrics {
	char *path; /* of the file; NULL: no metrics are wanted */
	uint64_t due; /* CLOCK_BOOTTIME, ns */
	struct metrics_event *events;
	size_t n_events;
	uint64_t bytes_before; /* of segments that have ended */
	uint64_t written_at; /* time of day of the last records that were written, in s; 0: none yet */
	uint64_t failures; /* attempts to write records that failed */
	bool failed; /* the last attempt to replace the file */
	struct archive_latencies latencies;
};

#define ARCHIVE_METRICS_INIT                                                                       \
	{                                                                                          \
		.latencies = ARCHIVE_LATENCIES_INIT                                                \
	}

/* The sources of the metrics. */
struct metrics_from {
	const char *log; /* its name, and that of the file */
	const struct archive_state *state;
	const struct archive_writer *writer;
	bool failing; /* records cannot be written at the moment */
};

/* Checks that the directory of the config is one, and replaces it by its absolute path; "": none. */
int archive_metrics_check(struct dkt_ctx *ctx, struct archive_config *config);

/*
 * Takes the directory (NULL: no metrics), and counts the records of the recorder from now on. Removes the
 * file from another directory.
 */
int archive_metrics_set(struct archive_metrics *metrics, struct dkt_ctx *ctx, const char *dir,
			const char *log, struct dkt_recorder *recorder);

/* Also counts the events of the set, and measures their latencies in place of those of earlier sets. */
int archive_metrics_events(struct archive_metrics *metrics, const struct wanted *wanted);

/*
 * Replaces the file if it is time, and starts to measure the latencies of a new segment. Returns the error
 * of the first of several attempts that fail.
 */
int archive_metrics_look(struct archive_metrics *metrics, const struct metrics_from *from,
			 uint64_t now);

/* Removes the file. */
void archive_metrics_free(struct archive_metrics *metrics);

/* ---- metrics_text.c ---- */

/* Writes all metrics. */
int metrics_text(FILE *f, const struct archive_metrics *metrics, const struct metrics_from *from);
