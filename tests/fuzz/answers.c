/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes what answers make of records: all analyses, the activity of threads and disks, exchanges of hosts and a
 * database take records of known events with any numbers, at any time.
 */
#include "answers/analyze/analyze.h"
#include "answers/exchange/exchange.h"
#include "answers/sql/database.h"
#include "answers/top/activity.h"
#include "lib/base/util.h"
#include "tests/fuzz/made_records.h"

#define ANALYSES_MAX 64

struct room {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct dkt_event *const *events;
	size_t n_events;
	struct analyze *analyses[ANALYSES_MAX];
	size_t n;
	struct activity *activity;
	struct exchange *exchange;
	struct pipeline_part part;
	struct pipeline pipeline;
	struct database *database;
};

static int drop_row(void *data, const struct result_table *table, const struct result_cell *cells)
{
	(void)data, (void)table, (void)cells;
	return 0;
}

static int drop_pair(void *data, const struct dkt__causal_pair *pair)
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

static void open_source(struct room *room)
{
	DKT_OPTS(dkt_source_opts, opts, .name = "text", .formats = FORMATS);
	int fd = open_text();

	opts.fd = fd + 1;
	must(!dkt_source_open(room->ctx, "text", &opts, &room->source));
	close(fd);
}

static void open_all(struct room *room)
{
	/* A directory without processes and disks. */
	const struct activity_opts activity = { .proc = FORMATS, .sys = FORMATS };

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

static void open_database(struct room *room)
{
	const struct database_opts opts = { 0 };

	room->part =
		(struct pipeline_part){ .name = "file", .ctx = room->ctx, .source = room->source };
	room->pipeline = (struct pipeline){
		.ctx = room->ctx, .parts = &room->part, .n = 1, .source = room->source
	};
	must(!database_new(&room->pipeline, &opts, &room->database));
}

static void close_all(struct room *room, uint64_t time)
{
	struct activity_frame frame;

	for (size_t i = 0; i < room->n; i++) {
		analyze_end(room->analyses[i]);
		analyze_free(room->analyses[i]);
	}
	must(!activity_take(room->activity, time, &frame));
	activity_frame_clear(&frame);
	activity_free(room->activity);
	must(!exchange_finish(room->exchange));
	must(!database_finish(room->database));
	database_free(room->database);
	exchange_free(room->exchange);
	dkt_source_close(room->source);
	dkt_ctx_free(room->ctx);
}

static void take(void *to, const struct dkt_record *record)
{
	struct room *room = to;

	for (size_t i = 0; i < room->n; i++)
		must(analyze_record(room->analyses[i], room->source, record) <= 0);
	must(!activity_add(room->activity, record));
	must(!database_add(room->database, record));
	must(!exchange_add(room->exchange, record->cpu % 2, record));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct room room = { 0 };

	open_all(&room);
	open_database(&room);
	close_all(&room, make_records(data, size, room.events, room.n_events, take, &room));
	return 0;
}
