/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes what answers make of records: all analyses, the activity of threads and disks, exchanges of hosts and a
 * database take records of known events with any numbers, at any time. A record of the input is its event, CPU, kind,
 * length, time, process and bytes.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "activity/activity.h"
#include "analyze/analyze.h"
#include "base/util.h"
#include "database/database.h"
#include "exchange/exchange.h"
#include "replay.h"

#define FORMATS "tests/fixture/analyze"

/* The bytes of a record before its own, and records of an input at most. */
#define HEAD        16
#define RECORDS_MAX 500

#define ANALYSES_MAX 64

enum { KIND_GAP = 1, KIND_ANY_TIME = 2 };

struct room {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct dkt_event *const *events;
	size_t n_events;
	struct analyze *analyses[ANALYSES_MAX];
	size_t n;
	struct activity *activity;
	struct exchange *exchange;
	struct database *database;
	uint64_t time;
};

static int drop_row(void *data, const struct result_table *table, const struct result_cell *cells)
{
	(void)data, (void)table, (void)cells;
	return 0;
}

static int drop_pair(void *data, const struct causal_pair *pair)
{
	(void)data, (void)pair;
	return 0;
}

static int drop_way(void *data, const struct exchange_way *way)
{
	(void)data;
	must(way->n <= EXCHANGE_STEPS_MAX);
	return 0;
}

/* A text, whose records are not read, knows the names of processes. */
static void open_source(struct room *room)
{
	DKT_OPTS(dkt_source_opts, opts, .name = "text", .formats = FORMATS);
	static const char text[] = "p1-1 [000] d..2. 1.000000: sched_wakeup: comm=p2 pid=2 prio=120"
				   " target_cpu=000\n";
	int fd = memfd_create("text", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
	opts.fd = fd + 1;
	must(!dkt_source_open(room->ctx, "text", &opts, &room->source));
	close(fd);
}

static void open_all(struct room *room)
{
	/* A directory without processes and disks. */
	const struct activity_opts activity = { FORMATS, FORMATS };

	must(!dkt_ctx_new(NULL, &room->ctx));
	open_source(room);
	must(!dkt_events(room->ctx, &room->events, &room->n_events) && room->n_events);
	for (const struct analysis *it = analysis_next(NULL); it; it = analysis_next(it)) {
		const struct analyze_opts with = { .row = drop_row };

		must(room->n < ANALYSES_MAX);
		/* Those of periods need definitions; fuzz/period.c has them. */
		if (strncmp(it->name, "period", 6) &&
		    !analyze_new(room->ctx, it, &with, &room->analyses[room->n]))
			room->n++;
	}
	must(!activity_new(room->ctx, &activity, &room->activity));
	activity_start(room->activity, 0);
	must(!exchange_new((struct dkt_ctx *[]){ room->ctx, room->ctx }, 2, drop_pair, NULL,
			   &room->exchange));
	exchange_tell_ways(room->exchange, drop_way, NULL);
}

static uint64_t no_error(const void *clocks, size_t file)
{
	(void)clocks, (void)file;
	return 0;
}

static void open_database(struct room *room)
{
	const struct database_file file = { .name = "file",
					    .ctx = room->ctx,
					    .source = room->source };
	const struct database_opts opts = { .files = &file, .n_files = 1, .clock_error = no_error };

	must(!database_new(room->ctx, &opts, &room->database));
}

static void close_all(struct room *room)
{
	struct activity_frame frame;

	for (size_t i = 0; i < room->n; i++) {
		analyze_end(room->analyses[i]);
		analyze_free(room->analyses[i]);
	}
	must(!activity_take(room->activity, room->time, &frame));
	activity_frame_clear(&frame);
	activity_free(room->activity);
	must(!exchange_finish(room->exchange));
	must(!database_finish(room->database));
	database_free(room->database);
	exchange_free(room->exchange);
	dkt_source_close(room->source);
	dkt_ctx_free(room->ctx);
}

static void take(struct room *room, const struct dkt_record *record)
{
	for (size_t i = 0; i < room->n; i++)
		must(analyze_record(room->analyses[i], room->source, record) <= 0);
	must(!activity_add(room->activity, record));
	must(!database_add(room->database, 0, room->source, record));
	must(!exchange_add(room->exchange, record->cpu % 2, record));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct room room = { 0 };

	open_all(&room);
	open_database(&room);
	for (int i = 0; i < RECORDS_MAX && size >= HEAD; i++) {
		const size_t len = DKT__MIN((size_t)data[3], size - HEAD);
		/* An exact copy, so that a sanitizer sees one byte too far. */
		uint8_t *bytes = malloc(len + 1);
		struct dkt_record record = { .cpu = data[1] % 8,
					     .data = bytes,
					     .size = (uint32_t)len };
		uint64_t time;
		int32_t pid;

		must(bytes);
		memcpy(&time, data + 4, sizeof(time));
		memcpy(&pid, data + 12, sizeof(pid));
		memcpy(bytes, data + HEAD, len);
		room.time = data[2] & KIND_ANY_TIME ? time : room.time + (time & 0xfffff);
		record.ts = room.time;
		record.pid = pid;
		if (data[2] & KIND_GAP)
			record.lost = time ? time : 1;
		else
			record.event = room.events[data[0] % room.n_events];
		take(&room, &record);
		free(bytes);
		data += HEAD + len;
		size -= HEAD + len;
	}
	close_all(&room);
	return 0;
}
