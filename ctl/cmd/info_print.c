/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a file of records holds, as tables and as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <json.h>
#include <stdio.h>
#include <time.h>

#include "cmd/info.h"
#include "io/say.h"
#include "out/out.h"
#include "out/shown.h"

/* So many gaps are shown to people. */
#define GAPS_SHOWN 20

static const char *put(char *to, size_t size, const char *fmt, ...) DKT_PRINTF(3, 4);

static const char *put(char *to, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to, size, fmt, ap);
	va_end(ap);
	return to;
}

#define PUT(to, ...) put(to, sizeof(to), __VA_ARGS__)

/* Rounded as the trace style of report rounds them. */
static const char *put_time(char to[32], uint64_t ns)
{
	uint64_t us = ns > UINT64_MAX - 500 ? ns / 1000 : (ns + 500) / 1000;

	return put(to, 32, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
}

static const char *put_rate(char to[32], double rate)
{
	return put(to, 32, rate < 10 ? "%.1f" : "%.0f", rate);
}

/* Of a time on the file's clock, with blanks before it; "" if that is not known. */
static const char *put_wall(const struct dkt_source_info *source, char to[64], uint64_t ns)
{
	/* To the same microsecond as the file's clock is put. */
	int64_t wall = (int64_t)(ns + (uint64_t)source->wall + 500);
	time_t seconds = (time_t)(wall / 1000000000);
	char day[32];
	struct tm tm;

	if (!source->has_wall || wall < 0 || !localtime_r(&seconds, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm))
		return put(to, 64, "%s", "");
	return put(to, 64, "  %s.%06d", day, (int)(wall / 1000 % 1000000));
}

/* ---- text ---- */

static void line(const char *name, const char *text)
{
	char *line_text __cleanup(free) = shown(text);

	if (line_text && *line_text)
		printf("%-9s %s\n", name, line_text);
}

/* "host      of recording 0x12", "guest     NAME, recording 0x13, CPUs by threads 5, 6" */
static void print_peers(const struct info *info)
{
	struct dkt_source_peer peer;
	size_t i;
	int cpu;

	for (i = 0; !dkt_source_peer(info->in->source, i, &peer); i++) {
		char *name __cleanup(free) = shown(peer.name);

		printf("%-9s %s%srecording %#" PRIx64, peer.name ? "guest" : "guest of",
		       name ? name : "", peer.name ? ", " : "", peer.id);
		for (cpu = 0; cpu < peer.n_threads; cpu++)
			printf("%s%" PRId32, cpu ? ", " : ", CPUs run by threads ",
			       peer.threads[cpu]);
		printf("\n");
	}
}

static void print_head(const struct info *info)
{
	const struct dkt_source_info *source = dkt_source_info(info->in->source);
	char text[160], a[64], b[32];
	const char *stream;
	uint32_t i;

	line("file", info->in->path);
	line("kind", source->kind);
	line("host", source->host);
	line("kernel", source->kernel);
	line("clock", source->clock);
	if (source->id)
		line("id", PUT(text, "%#" PRIx64, source->id));
	print_peers(info);
	line("unused", source->unused);
	for (i = 0; (stream = dkt_source_stream(info->in->source, i)); i++)
		line("instance", stream);
	if (info->all.records) {
		line("begin", PUT(text, "%s%s", put_time(b, info->all.first),
				  put_wall(source, a, info->all.first)));
		line("end", PUT(text, "%s%s", put_time(b, info->all.last),
				put_wall(source, a, info->all.last)));
		line("span", PUT(text, "%s s", put_time(b, info->all.last - info->all.first)));
	}
	line("records", PUT(text, "%" PRIu64 ", %s/s, %" PRIu64 " bytes", info->all.records,
			    put_rate(b, info_rate(info, info->all.records)), info->all.bytes));
	line("lost", PUT(text, "%" PRIu64 " in %" PRIu64 " places", info->lost, info->all_gaps));
	printf("\n");
}

static int print_cpus(const struct info *info)
{
	static const struct column columns[] = {
		{ "CPU", COL_NUMBER },   { "RECORDS", COL_NUMBER }, { "RATE/S", COL_NUMBER },
		{ "BYTES", COL_NUMBER }, { "BEGIN", COL_RIGHT },    { "END", COL_RIGHT },
		{ "LOST", COL_NUMBER },  { "GAPS", COL_NUMBER }
	};
	struct table *table = table_new("cpus", columns, ARRAY_SIZE(columns), false);
	uint32_t nr;
	int err = table ? 0 : -ENOMEM;

	for (nr = 0; !err && nr < info->n_cpus; nr++) {
		const struct info_cpu *cpu = &info->cpus[nr];
		char text[8][32];
		const char *cells[] = {
			PUT(text[0], "%u", nr),
			PUT(text[1], "%" PRIu64, cpu->span.records),
			put_rate(text[2], info_rate(info, cpu->span.records)),
			PUT(text[3], "%" PRIu64, cpu->span.bytes),
			cpu->span.records ? put_time(text[4], cpu->span.first) : "",
			cpu->span.records ? put_time(text[5], cpu->span.last) : "",
			PUT(text[6], "%" PRIu64, cpu->loss.lost),
			PUT(text[7], "%" PRIu64, cpu->gaps),
		};

		if (cpu->span.records || cpu->loss.lost || cpu->gaps)
			err = table_add(table, cells);
	}
	if (!err && table_rows(table))
		err = table_print(table);
	table_free(table);
	return err;
}

static int print_gaps(const struct info *info)
{
	static const struct column columns[] = { { "CPU", COL_NUMBER },
						 { "LOST", COL_RIGHT },
						 { "AFTER", COL_RIGHT },
						 { "BEFORE", COL_RIGHT } };
	struct table *table;
	size_t i;
	int err;

	if (!info->n_gaps)
		return 0;
	table = table_new("gaps", columns, ARRAY_SIZE(columns), false);
	err = table ? 0 : -ENOMEM;
	for (i = 0; !err && i < info->n_gaps && i < GAPS_SHOWN; i++) {
		const struct info_gap *gap = &info->gaps[i];
		char text[4][32];
		const char *cells[] = {
			PUT(text[0], "%u", gap->cpu),
			gap->lost == DKT_LOST_UNKNOWN ? "?" : PUT(text[1], "%" PRIu64, gap->lost),
			gap->from ? put_time(text[2], gap->from) : "",
			put_time(text[3], gap->to),
		};

		err = table_add(table, cells);
	}
	if (!err) {
		printf("\n");
		err = table_print(table);
	}
	if (info->all_gaps > GAPS_SHOWN)
		printf("and %" PRIu64 " more\n", info->all_gaps - GAPS_SHOWN);
	table_free(table);
	return err;
}

static int print_events(const struct info *info)
{
	static const struct column columns[] = {
		{ "EVENT", 0 },          { "RECORDS", COL_NUMBER }, { "RATE/S", COL_NUMBER },
		{ "BYTES", COL_NUMBER }, { "BEGIN", COL_RIGHT },    { "END", COL_RIGHT }
	};
	struct table *table = table_new("events", columns, ARRAY_SIZE(columns), false);
	size_t i;
	int err = table ? 0 : -ENOMEM;

	for (i = 0; !err && i < info->n_events; i++) {
		const struct info_event *event = &info->events[i];
		char name[256], text[5][32];
		const char *cells[] = {
			PUT(name, "%s:%s", dkt_event_system(event->event),
			    dkt_event_name(event->event)),
			PUT(text[0], "%" PRIu64, event->span.records),
			put_rate(text[1], info_rate(info, event->span.records)),
			PUT(text[2], "%" PRIu64, event->span.bytes),
			put_time(text[3], event->span.first),
			put_time(text[4], event->span.last),
		};

		err = table_add(table, cells);
	}
	if (!err && info->n_events) {
		printf("\n");
		err = table_print(table);
	}
	table_free(table);
	return err;
}

int info_print(const struct info *info)
{
	int err;

	print_head(info);
	err = print_cpus(info);
	if (!err)
		err = print_gaps(info);
	return err ? err : print_events(info);
}

/* ---- JSON ---- */

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, text ? json_object_new_string(text) : NULL);
}

static void add_number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

static void add_span(struct json_object *o, const struct info *info, const struct info_span *span)
{
	add_number(o, "records", span->records);
	json_object_object_add(o, "rate", json_object_new_double(info_rate(info, span->records)));
	add_number(o, "bytes", span->bytes);
	if (!span->records)
		return;
	add_number(o, "begin", span->first);
	add_number(o, "end", span->last);
}

static struct json_object *cpus_json(const struct info *info)
{
	struct json_object *list = json_object_new_array();
	uint32_t nr;

	for (nr = 0; nr < info->n_cpus; nr++) {
		struct json_object *o = json_object_new_object();

		add_number(o, "cpu", nr);
		add_span(o, info, &info->cpus[nr].span);
		add_number(o, "lost", info->cpus[nr].loss.lost);
		add_number(o, "gaps", info->cpus[nr].gaps);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *gaps_json(const struct info *info)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < info->n_gaps; i++) {
		const struct info_gap *gap = &info->gaps[i];
		struct json_object *o = json_object_new_object();

		add_number(o, "cpu", gap->cpu);
		json_object_object_add(
			o, "lost",
			gap->lost == DKT_LOST_UNKNOWN ? NULL : json_object_new_uint64(gap->lost));
		add_number(o, "after", gap->from);
		add_number(o, "before", gap->to);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *events_json(const struct info *info)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < info->n_events; i++) {
		struct json_object *o = json_object_new_object();

		add_text(o, "system", dkt_event_system(info->events[i].event));
		add_text(o, "event", dkt_event_name(info->events[i].event));
		add_span(o, info, &info->events[i].span);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *peers_json(const struct info *info)
{
	struct json_object *list = json_object_new_array();
	struct dkt_source_peer peer;
	size_t i;
	int cpu;

	for (i = 0; !dkt_source_peer(info->in->source, i, &peer); i++) {
		struct json_object *o = json_object_new_object();
		struct json_object *threads = json_object_new_array();

		add_text(o, "is", peer.name ? "guest" : "host");
		add_text(o, "name", peer.name);
		add_number(o, "id", peer.id);
		for (cpu = 0; cpu < peer.n_threads; cpu++)
			json_object_array_add(threads, json_object_new_int(peer.threads[cpu]));
		json_object_object_add(o, "threads", threads);
		json_object_array_add(list, o);
	}
	return list;
}

int info_print_json(const struct info *info)
{
	const struct dkt_source_info *source = dkt_source_info(info->in->source);
	struct json_object *root = json_object_new_object();
	struct json_object *streams = json_object_new_array();
	const char *stream;
	uint32_t i;

	add_text(root, "file", info->in->path);
	add_text(root, "kind", source->kind);
	add_text(root, "host", source->host);
	add_text(root, "kernel", source->kernel);
	add_text(root, "clock", source->clock);
	json_object_object_add(root, "wall",
			       source->has_wall ? json_object_new_int64(source->wall) : NULL);
	for (i = 0; (stream = dkt_source_stream(info->in->source, i)); i++)
		json_object_array_add(streams, json_object_new_string(stream));
	json_object_object_add(root, "instances", streams);
	add_span(root, info, &info->all);
	add_number(root, "lost", info->lost);
	add_number(root, "bad", info->bad);
	add_text(root, "damage", source->damage);
	add_text(root, "unused", source->unused);
	add_number(root, "id", source->id);
	json_object_object_add(root, "peers", peers_json(info));
	json_object_object_add(root, "cpus", cpus_json(info));
	add_number(root, "gaps", info->all_gaps);
	json_object_object_add(root, "first_gaps", gaps_json(info));
	json_object_object_add(root, "events", events_json(info));
	return shown_object(root, stdout);
}
