/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* daemon status: what a daemon records, where, how much, and what stands in its way. */
#include <inttypes.h>
#include <sys/statvfs.h>

#include "ctl/app/print.h"
#include "ctl/daemon/actions.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "recording/daemon/archive.h"

#define LABELS 12

/* A state is old after this time, ns. */
#define OLD (10 * (uint64_t)DKT__NSEC_PER_SEC)

static void put_settings(struct out *out, const struct archive_config *config)
{
	static const struct {
		enum archive_key key;
		const char *name;
	} rows[] = {
		{ ARCHIVE_DIR, "dir" },
		{ ARCHIVE_CLASS, "classes" },
		{ ARCHIVE_SUBSYSTEM, "subsystems" },
		{ ARCHIVE_EVENT, "events" },
		{ ARCHIVE_FILTER, "filter" },
		{ ARCHIVE_COMM, "programs" },
		{ ARCHIVE_PID, "processes" },
		{ ARCHIVE_CPU, "cpus" },
		{ ARCHIVE_STACK, "stacks" },
		{ ARCHIVE_PROBE, "probes" },
		{ ARCHIVE_METRICS, "metrics" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		out_field(out, rows[i].name, config->value[rows[i].key]);
}

static void put_segment(struct out *out, const struct archive_state *state)
{
	out_put(out, "segment", val_text(state->segment));
	out_put(out, "bytes", val_number(state->bytes));
	out_put(out, "records", val_number(state->records));
	out_put(out, "lost", val_number(state->lost));
	out_put(out, "records_per_s", val_number(state->records_rate));
	out_put(out, "bytes_per_s", val_number(state->bytes_rate));
	out_put(out, "all_records", val_number(state->all_records + state->records));
	out_put(out, "all_lost", val_number(state->all_lost + state->lost));
	if (*state->segment) {
		out_line(out, "segment", "%s", state->segment);
		out_line(out, "", "%.1f MB, %" PRIu64 " records, %" PRIu64 " lost",
			 (double)state->bytes / DKT__MB, state->records, state->lost);
	}
	out_line(out, "now", "%" PRIu64 " records/s, %.2f MB/s", state->records_rate,
		 (double)state->bytes_rate / DKT__MB);
	out_line(out, "since start", "%" PRIu64 " records, %" PRIu64 " lost",
		 state->all_records + state->records, state->all_lost + state->lost);
}

static void span_text(char text[32], double seconds)
{
	if (seconds >= 2 * 86400)
		snprintf(text, 32, "%.1f days", seconds / 86400);
	else if (seconds >= 2 * 3600)
		snprintf(text, 32, "%.1f hours", seconds / 3600);
	else
		snprintf(text, 32, "%.0f minutes", seconds / 60);
}

/* Bytes a second on the disk, where segments are compressed; of the last second before there are any. */
static double rate_of(const struct segments *segments, const struct archive_state *state)
{
	uint64_t bytes = 0, ns = 0;

	for (size_t i = 0; i < segments->n; i++) {
		const struct segment *one = &segments->list[i];

		if (!one->known || one->to <= one->from)
			continue;
		bytes += one->bytes;
		ns += (uint64_t)(one->to - one->from);
	}
	return ns ? (double)bytes * 1e9 / (double)ns : (double)state->bytes_rate;
}

/* How long it takes until the oldest segment is deleted, or the disk is full. */
static void put_space(struct app *app, struct out *out, const struct archive_config *config,
		      uint64_t bytes, double rate)
{
	struct archive_limits limits;
	struct statvfs fs;
	uint64_t most, left, free;
	char span[32];
	bool full;

	if (archive_config_limits(app->ctx, config, &limits) ||
	    statvfs(config->value[ARCHIVE_DIR], &fs))
		return;
	most = limits.max_size ?: (uint64_t)fs.f_blocks * fs.f_frsize / ARCHIVE_DISK_PART;
	left = most > bytes ? most - bytes : 0;
	free = (uint64_t)fs.f_bavail * fs.f_frsize;
	full = free < left;
	left = full ? free : left;
	out_put(out, "space", val_number(left));
	out_put(out, "space_s", rate >= 1 ? val_number((uint64_t)((double)left / rate)) : NULL);
	span_text(span, rate >= 1 ? (double)left / rate : 0);
	out_line(out, "space", "%.1f MB until %s%s%s", (double)left / DKT__MB,
		 full ? "the disk is full" : "the oldest segment is deleted",
		 rate >= 1 ? ": in " : "", rate >= 1 ? span : "");
}

/* The directory, which may be gone. */
static void put_kept(struct app *app, struct out *out, const struct archive_config *config,
		     const struct archive_state *state)
{
	const char *dir = config->value[ARCHIVE_DIR];
	struct segments segments;
	uint64_t bytes = 0;

	if (!dir || segments_read(app->ctx, dir, &segments))
		return;
	for (size_t i = 0; i < segments.n; i++)
		bytes += segments.list[i].bytes;
	out_put(out, "segments", val_number(segments.n));
	out_put(out, "all_bytes", val_number(bytes));
	out_put(out, "waiting", val_number(state->waiting));
	out_line(out, "kept", "%zu segment%s, %.1f MB", segments.n, segments.n == 1 ? "" : "s",
		 (double)bytes / DKT__MB);
	put_space(app, out, config, bytes, rate_of(&segments, state));
	if (state->waiting)
		out_line(out, "to do", "%" PRIu64 " segment%s to complete", state->waiting,
			 state->waiting == 1 ? "" : "s");
	segments_free(&segments);
}

/* The daemon saves its state each second. It is old if the daemon hangs, as on a disk that does not answer. */
static void put_age(struct out *out, const struct archive_state *state)
{
	const uint64_t now = service_now();
	const uint64_t age = now > state->saved ? now - state->saved : 0;

	/* A daemon of an earlier version does not tell. */
	if (!state->saved)
		return;
	out_put(out, "age_ns", val_number(age));
	if (age < OLD)
		return;
	out_line(out, "attention",
		 "the daemon has written no state for %" PRIu64 " s: these numbers are old",
		 age / (uint64_t)DKT__NSEC_PER_SEC);
}

/* In a pipe, lines are not folded. */
static void put_ended(struct out *out, bool left)
{
	if (left)
		out_line(out, "attention",
			 "it was stopped with --keep-recording: the kernel records on");
	else
		out_line(out, "attention", "the process does not run; the kernel may still record");
	out_line(out, "", "'dktrace daemon start' goes on, 'dktrace daemon stop' cleans up");
}

static void put_trouble(struct out *out, const struct archive_state *state, pid_t pid)
{
	out_put(out, "error", val_text(state->error));
	out_put(out, "reload_error", val_text(state->reload_error));
	if (pid)
		put_age(out, state);
	else
		put_ended(out, state->left);
	if (state->error)
		out_line(out, "attention", "%s", state->error);
	if (state->reload_error)
		out_line(out, "attention", "the last reload failed: %s", state->reload_error);
}

int daemon_action_status(struct app *app)
{
	pid_t pid = service_holder(&archive_service, app->instance);
	struct archive_config config = { 0 };
	struct archive_state state;
	char started[DKT__WHEN_SIZE];
	struct out out;
	int err = archive_state_load(app->ctx, app->instance, &state);

	if (!err)
		err = archive_settings_read(app->ctx, app->instance, ARCHIVE_IN_EFFECT, &config);
	if (err) {
		archive_state_clear(&state);
		return app_fail(app);
	}
	print_begin(app, &out, LABELS);
	out_put(&out, "pid", pid ? val_number((uint64_t)pid) : NULL);
	if (pid)
		out_line(&out, "daemon", "process %d", (int)pid);
	dkt__format_when(state.started, started);
	out_field(&out, "started", started);
	put_settings(&out, &config);
	put_segment(&out, &state);
	put_kept(app, &out, &config, &state);
	put_trouble(&out, &state, pid);
	archive_config_clear(&config);
	archive_state_clear(&state);
	err = out_end(&out);
	if (err)
		return app_fail(app);
	return pid ? 0 : EXIT_FAILURE;
}
