/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the contents of a recording. */
#include <inttypes.h>

#include "compat/lustre/event_names.h"
#include "ctl/app/print.h"
#include "ctl/cmd/info.h"
#include "ctl/out/bar.h"
#include "lib/inside.h"

/* Text shows at most so many gaps. */
#define GAPS_SHOWN 20

/* The width of the column of labels. */
#define LABELS 10

/* Formats a time on the file's clock, with spaces before it; "" if the time is unknown. */
static void wall_text(const struct dkt_source_info *source, uint64_t ns, char to[64])
{
	/* Round to a microsecond, like the time of the file's clock beside it. */
	int64_t wall = (int64_t)(ns + (uint64_t)source->wall + 500);
	char day[DKT__WHEN_SIZE];

	*to = '\0';
	if (source->has_wall && wall >= 0 && dkt__format_when(wall / 1000000000, day))
		snprintf(to, 64, "  %s.%06d", day, (int)(wall / 1000 % 1000000));
}

/* ---- the whole ---- */

/* "guest of  recording 0x12", "guest     NAME, recording 0x13, CPUs run by threads 5, 6" */
static void put_peers(const struct info *info, struct out *out)
{
	static const struct column columns[] = { { .key = "is" },
						 { .key = "name" },
						 { .key = "id", .type = COL_NUMBER },
						 { .key = "threads", .type = COL_LIST } };
	struct rows *rows = rows_new("peers", columns, ARRAY_SIZE(columns));
	struct dkt__source_peer peer;

	for (size_t i = 0; !dkt__source_peer(info->in->source, i, &peer, sizeof(peer)); i++) {
		struct json_object *threads = json_object_new_array();
		char *text __cleanup(free) = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		for (int cpu = 0; cpu < peer.n_threads; cpu++) {
			json_object_array_add(threads, json_object_new_int(peer.threads[cpu]));
			if (f)
				fprintf(f, "%s%" PRId32, cpu ? ", " : ", CPUs run by threads ",
					peer.threads[cpu]);
		}
		if (f)
			fclose(f);
		out_line(out, peer.name ? "guest" : "guest of", "%s%srecording %#" PRIx64 "%s",
			 peer.name ? peer.name : "", peer.name ? ", " : "", peer.id,
			 text ? text : "");
		rows_add(rows, val_text(peer.name ? "guest" : "host"), val_text(peer.name),
			 val_number(peer.id), threads);
	}
	out_data(out, rows);
}

/* Returns how far the times of a stream can be off between the first and the last record. */
static uint64_t find_error(const struct info *info, uint32_t stream)
{
	const struct dkt_source_clock *clock = pipeline_clock(info->pipeline, stream);
	const struct bounds_range range = { info->all.first, info->all.last,
					    .any = info->all.records };

	return dkl_bounds_worst(clock, &range);
}

/* "instance  NAME", and of a merged file "instance  NAME, times are off by at most 72.0 us" */
static void put_instances(const struct info *info, struct out *out)
{
	static const struct column columns[] = { { .key = "instance" },
						 { .key = "clock_error", .type = COL_NUMBER } };
	struct json_object *streams = json_object_new_array();
	struct rows *rows = rows_new("clocks", columns, ARRAY_SIZE(columns));
	char text[UNIT_SIZE];
	const char *stream;

	for (uint32_t i = 0; (stream = dkt_source_stream(info->in->source, i)); i++) {
		const uint64_t error = find_error(info, i);

		json_object_array_add(streams, val_text(stream));
		rows_add(rows, val_text(stream),
			 error == BOUNDS_UNKNOWN ? NULL : val_number(error));
		duration_text(error, text);
		if (!info->pipeline->several_clocks || !*stream)
			out_text(out, "instance", stream);
		else if (!error)
			out_line(out, "instance", "%s, times are exact", stream);
		else if (error == BOUNDS_UNKNOWN)
			out_line(out, "instance", "%s, nobody knows how far times are off", stream);
		else
			out_line(out, "instance", "%s, times are off by at most %s", stream, text);
	}
	out_put(out, "instances", streams);
	if (info->pipeline->several_clocks)
		out_data(out, rows);
	else
		rows_free(rows);
}

static void put_file(const struct info *info, struct out *out)
{
	const struct dkt_source_info *source = dkt_source_info(info->in->source);
	const uint64_t throttled = dkt__perf_throttled(info->in->source);

	out_field(out, "file", info->in->path);
	out_field(out, "kind", source->kind);
	out_field(out, "host", source->host);
	out_field(out, "kernel", source->kernel);
	out_field(out, "clock", source->clock);
	out_put(out, "wall", source->has_wall ? json_object_new_int64(source->wall) : NULL);
	out_put(out, "id", val_number(source->id));
	if (source->id)
		out_line(out, "id", "%#" PRIx64, source->id);
	put_peers(info, out);
	out_field(out, "unused", source->unused);
	if (throttled) {
		out_line(out, "throttled", "%" PRIu64 " times", throttled);
		out_put(out, "throttled", val_number(throttled));
	}
	put_instances(info, out);
	if (source->growing)
		out_line(out, "recording", "has not ended");
	if (source->growing)
		out_put(out, "growing", json_object_new_boolean(true));
	out_put(out, "damage", val_text(source->damage));
}

static void put_time(const struct info *info, struct out *out, const char *key, uint64_t ns)
{
	char wall[64], time[UNIT_SIZE];

	time_text(ns, time);
	if (info_has_ticks(info))
		snprintf(time, sizeof(time), "%" PRIu64, ns);
	wall_text(dkt_source_info(info->in->source), ns, wall);
	out_put(out, key, val_number(ns));
	out_line(out, key, "%s%s", time, wall);
}

static void put_span(const struct info *info, struct out *out)
{
	const uint64_t span = info->all.last - info->all.first;
	char text[UNIT_SIZE];

	time_text(span, text);
	if (info_has_ticks(info))
		out_line(out, "span", "%" PRIu64, span);
	else
		out_line(out, "span", "%s s", text);
}

static void put_all(const struct info *info, struct out *out)
{
	const struct info_span *all = &info->all;
	const bool is_least = losses_is_least(&info->pipeline->parts[0].losses);
	double rate = info_rate(info, all->records);
	char text[UNIT_SIZE];

	if (all->records) {
		put_time(info, out, "begin", all->first);
		put_time(info, out, "end", all->last);
		put_span(info, out);
	}
	rate_text(rate, text);
	if (info_has_ticks(info))
		out_line(out, "records", "%" PRIu64 ", %" PRIu64 " bytes", all->records,
			 all->bytes);
	else
		out_line(out, "records", "%" PRIu64 ", %s/s, %" PRIu64 " bytes", all->records, text,
			 all->bytes);
	out_put(out, "records", val_number(all->records));
	out_put(out, "rate", json_object_new_double(rate));
	out_put(out, "bytes", val_number(all->bytes));
	out_line(out, "lost", "%s%" PRIu64 " in %" PRIu64 " place%s", losses_words(is_least),
		 info->lost, info->all_gaps, info->all_gaps == 1 ? "" : "s");
	out_put(out, "lost", val_number(info->lost));
	out_put(out, "lost_is_least", val_bool(is_least));
	out_put(out, "bad", val_number(info->bad));
	out_put(out, "gaps", val_number(info->all_gaps));
}

/* ---- tables ---- */

#define SPAN_COLUMNS                                                                               \
	{ .key = "records", .type = COL_NUMBER },                                                  \
		{ .key = "rate", .type = COL_RATE, .heading = "RATE/S" },                          \
		{ .key = "bytes", .type = COL_NUMBER }, { .key = "begin", .type = COL_TIME },      \
	{                                                                                          \
		.key = "end", .type = COL_TIME                                                     \
	}

/* Copies the columns, as the clock of the file has them. Returns the copy. */
static const struct column *suit(const struct info *info, const struct column *columns,
				 struct column *own, size_t n)
{
	memcpy(own, columns, n * sizeof(*own));
	if (info_has_ticks(info))
		columns_in_ticks(own, n);
	return own;
}

/* Stores the values of these columns; returns the end of the values. */
static struct json_object **span_values(const struct info *info, const struct info_span *span,
					struct json_object **to)
{
	*to++ = val_number(span->records);
	*to++ = json_object_new_double(info_rate(info, span->records));
	*to++ = val_number(span->bytes);
	*to++ = span->records ? val_number(span->first) : NULL;
	*to++ = span->records ? val_number(span->last) : NULL;
	return to;
}

static void put_cpus(const struct info *info, struct out *out)
{
	static const struct column columns[] = { { .key = "cpu", .type = COL_NUMBER },
						 SPAN_COLUMNS,
						 { .key = "lost", .type = COL_NUMBER },
						 { .key = "gaps", .type = COL_NUMBER } };
	struct column own[ARRAY_SIZE(columns)];
	struct rows *rows = rows_new("cpus", suit(info, columns, own, ARRAY_SIZE(columns)),
				     ARRAY_SIZE(columns));

	for (uint32_t nr = 0; nr < info->n_cpus; nr++) {
		const struct info_cpu *cpu = &info->cpus[nr];
		struct json_object *values[ARRAY_SIZE(columns)], **to;

		if (out->form == OUT_TEXT && !cpu->span.records && !cpu->loss.lost && !cpu->gaps)
			continue;
		values[0] = val_number(nr);
		to = span_values(info, &cpu->span, values + 1);
		*to++ = val_number(cpu->loss.lost);
		*to = val_number(cpu->gaps);
		rows_add_values(rows, values);
	}
	out_rows(out, rows);
}

static void put_gaps(const struct info *info, struct out *out)
{
	static const struct column columns[] = { { .key = "cpu", .type = COL_NUMBER },
						 { .key = "lost", .type = COL_NUMBER, .none = "?" },
						 { .key = "after", .type = COL_TIME },
						 { .key = "before", .type = COL_TIME } };
	struct column own[ARRAY_SIZE(columns)];
	struct rows *rows = rows_new("first_gaps", suit(info, columns, own, ARRAY_SIZE(columns)),
				     ARRAY_SIZE(columns));
	bool text = out->form == OUT_TEXT;

	for (size_t i = 0; i < info->n_gaps && (!text || i < GAPS_SHOWN); i++) {
		const struct info_gap *gap = &info->gaps[i];

		rows_add(rows, val_number(gap->cpu),
			 gap->lost == DKT_LOST_UNKNOWN ? NULL : val_number(gap->lost),
			 text && !gap->from ? NULL : val_number(gap->from), val_number(gap->to));
	}
	out_rows(out, rows);
	if (text && info->all_gaps > GAPS_SHOWN)
		printf("and %" PRIu64 " more\n", info->all_gaps - GAPS_SHOWN);
}

static void put_events(const struct info *info, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "name", .flags = COL_PEOPLE, .heading = "EVENT" },
		{ .key = "system", .flags = COL_DATA },
		{ .key = "event", .flags = COL_DATA },
		SPAN_COLUMNS
	};
	struct column own[ARRAY_SIZE(columns)];
	struct rows *rows = rows_new("events", suit(info, columns, own, ARRAY_SIZE(columns)),
				     ARRAY_SIZE(columns));

	for (size_t i = 0; i < info->n_events; i++) {
		const struct info_event *event = &info->events[i];
		char *name __cleanup(free) = dkl_event_full_name(event->event);
		struct json_object *values[ARRAY_SIZE(columns)];

		out_keep(out, name ? 0 : -ENOMEM);
		values[0] = val_text(name);
		values[1] = val_text(dkt_event_system(event->event));
		values[2] = val_text(dkt_event_name(event->event));
		span_values(info, &event->span, values + 3);
		rows_add_values(rows, values);
	}
	out_rows(out, rows);
}

int info_print(const struct app *app, const struct info *info)
{
	struct out out;

	print_begin(app, &out, LABELS);
	put_file(info, &out);
	put_all(info, &out);
	put_cpus(info, &out);
	put_gaps(info, &out);
	put_events(info, &out);
	return out_end(&out);
}
