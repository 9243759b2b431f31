/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metrics of a daemon in Prometheus' text format: names, help, labels and values. */
#include <inttypes.h>

#include "compat/lustre/mask.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"
#include "lib/inside.h"
#include "recording/daemon/metrics.h"

/* The classes of an event, and further ones: events without a class, and those whose records name it. */
enum { NO_CLASS = MASK_BITS, MESSAGES, N_CLASSES };

struct text {
	FILE *f;
	const struct archive_metrics *metrics;
	const struct metrics_from *from;
	struct dkt_instance *in;
};

static void head(const struct text *text, const char *name, const char *type, const char *help)
{
	fprintf(text->f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A metric with one value. The name of a log has no character that a label must escape. */
static void one(const struct text *text, const char *name, const char *type, const char *help,
		uint64_t value)
{
	head(text, name, type, help);
	fprintf(text->f, "%s{log=\"%s\"} %" PRIu64 "\n", name, text->from->log, value);
}

/* ---- by CPU ---- */

static void put_cpus(const struct text *text)
{
	static const struct {
		const char *name, *type, *help, *more;
		size_t at;
	} rows[] = {
#define AT(member) offsetof(struct dkt_cpu_stats, member)
		{ "dktrace_records_total", "counter", "Records read from the kernel's buffers.", "",
		  AT(read) },
		{ "dktrace_lost_records_total", "counter",
		  "Records that were overwritten before they were read, or not recorded.",
		  ",reason=\"overwritten\"", AT(overrun) },
		{ "dktrace_lost_records_total", NULL, NULL, ",reason=\"not_committed\"",
		  AT(commit_overrun) },
		{ "dktrace_lost_records_total", NULL, NULL, ",reason=\"dropped\"", AT(dropped) },
		{ "dktrace_buffered_records", "gauge",
		  "Records in the kernel's buffers, not read yet.", "", AT(entries) },
		{ "dktrace_buffered_bytes", "gauge", "Bytes in the kernel's buffers, not read yet.",
		  "", AT(bytes) },
#undef AT
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].type)
			head(text, rows[i].name, rows[i].type, rows[i].help);
		for (int cpu = 0; cpu < dkt_instance_n_cpus(text->in); cpu++) {
			struct dkt_cpu_stats stats;
			uint64_t value;

			if (dkt_instance_get_stats(text->in, cpu, &stats, sizeof(stats)))
				continue;
			memcpy(&value, (const char *)&stats + rows[i].at, sizeof(value));
			fprintf(text->f, "%s{log=\"%s\",cpu=\"%d\"%s} %" PRIu64 "\n", rows[i].name,
				text->from->log, cpu, rows[i].more, value);
		}
	}
}

/* ---- by class and CPU ---- */

static bool is_of(const struct metrics_event *event, unsigned int class)
{
	if (class < MASK_BITS)
		return event->classes & UINT32_C(1) << class;
	return class == MESSAGES ? event->messages : !event->messages && !event->classes;
}

/* Returns false if no event is of the class. */
static bool sum_class(const struct text *text, unsigned int class, int cpu,
		      struct dkt__event_counts *sum)
{
	const struct archive_metrics *metrics = text->metrics;
	bool any = false;

	*sum = (struct dkt__event_counts){ 0 };
	for (size_t i = 0; i < metrics->n_events; i++) {
		struct dkt__event_counts counts;

		if (!is_of(&metrics->events[i], class))
			continue;
		any = true;
		if (dkt__recorder_event_counts(text->from->writer->recorder, cpu,
					       metrics->events[i].id, &counts, sizeof(counts)))
			continue;
		sum->records += counts.records;
		sum->bytes += counts.bytes;
	}
	return any;
}

static void put_classes(const struct text *text, const char *name, bool bytes)
{
	for (unsigned int class = 0; class < N_CLASSES; class ++)
		for (int cpu = 0; cpu < dkt_instance_n_cpus(text->in); cpu++) {
			const char *word = class == NO_CLASS ? "none" :
					   class == MESSAGES ? "messages" :
							       dkl_mask_name(MASK_DEBUG, class);
			struct dkt__event_counts sum;

			if (!sum_class(text, class, cpu, &sum))
				break;
			fprintf(text->f, "%s{log=\"%s\",class=\"%s\",cpu=\"%d\"} %" PRIu64 "\n",
				name, text->from->log, word ? word : "", cpu,
				bytes ? sum.bytes : sum.records);
		}
}

/* ---- latencies ---- */

static void put_latencies(const struct text *text)
{
	const struct archive_latencies *latencies = &text->metrics->latencies;

	if (!latencies->shared)
		return;
	histograms_text(text->from->writer->ctx, text->f, latencies->shared, text->from->log);
	one(text, "dktrace_latency_missed_segments_total", "counter",
	    "Segments whose latencies were not measured, because there was no time for them.",
	    latencies->missed);
}

/* ---- the directory of segments ---- */

static void put_segments(const struct text *text)
{
	const struct archive_writer *writer = text->from->writer;
	struct segments segments;
	uint64_t bytes = 0;

	if (!segments_read(writer->ctx, writer->dir, &segments)) {
		for (size_t i = 0; i < segments.n; i++)
			bytes += segments.list[i].bytes;
		one(text, "dktrace_segments", "gauge", "Segments in the directory.", segments.n);
		one(text, "dktrace_segments_bytes", "gauge", "Bytes of all segments.", bytes);
	}
	segments_free(&segments);
	if (writer->file.fd >= 0)
		one(text, "dktrace_disk_room_bytes", "gauge",
		    "Bytes that the disk has for segments, without what is left to other programs.",
		    capture_file_room(&writer->file));
}

int metrics_text(FILE *f, const struct archive_metrics *metrics, const struct metrics_from *from)
{
	const struct archive_state *state = from->state;
	const struct text text = { f, metrics, from, from->writer->in };

	one(&text, "dktrace_up", "gauge", "The daemon runs; the file is removed when it ends.", 1);
	one(&text, "dktrace_start_time_seconds", "gauge", "When the daemon was started.",
	    (uint64_t)state->started);
	one(&text, "dktrace_written_time_seconds", "gauge",
	    "When the daemon last wrote what there was.", metrics->written_at);
	one(&text, "dktrace_write_failing", "gauge", "Records cannot be written at the moment.",
	    from->failing);
	one(&text, "dktrace_write_failures_total", "counter", "Attempts to write that failed.",
	    metrics->failures);
	one(&text, "dktrace_reloads_total", "counter", "Reloads of the settings.", state->reloads);
	one(&text, "dktrace_reload_failed", "gauge", "The last reload was refused.",
	    state->reload_error != NULL);
	one(&text, "dktrace_recorded_bytes_total", "counter",
	    "Bytes written to segments, before they are compressed.",
	    metrics->bytes_before + state->bytes);
	put_segments(&text);
	one(&text, "dktrace_segments_waiting", "gauge", "Segments that wait to be completed.",
	    state->waiting);
	put_cpus(&text);
	head(&text, "dktrace_class_records_total", "counter",
	     "Records read, in each class that their event belongs to.");
	put_classes(&text, "dktrace_class_records_total", false);
	head(&text, "dktrace_class_bytes_total", "counter",
	     "Bytes of records read, in each class that their event belongs to.");
	put_classes(&text, "dktrace_class_bytes_total", true);
	put_latencies(&text);
	return ferror(f) ? -ENOMEM : 0;
}
