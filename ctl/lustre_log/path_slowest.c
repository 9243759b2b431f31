/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre path: the slowest calls, span by span. */
#include <inttypes.h>

#include "compat/lustre_log/opcode.h"
#include "ctl/app/groups.h"
#include "ctl/lustre_log/path.h"
#include "ctl/out/bar.h"

/* Text shows at most so many spans of a call: the longest. */
#define SPANS_SHOWN 20

/* The columns before the bar of a span. */
#define BAR_AFTER 31

/* ---- JSON and CSV ---- */

static struct json_object *part_of_lock(const struct path_view *view, const struct path_span *span)
{
	const struct lock_pair *held = &span->held;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "holder", val_words(path_name(&view->paths, span->holder)));
	if (held->has_client) {
		json_object_object_add(object, "host",
				       val_text(lustre_host(view->lustre, held->client)));
		json_object_object_add(object, "pid", val_number(held->pid));
	}
	json_object_object_add(object, "sent", lustre_time(view->lustre, held->sent));
	json_object_object_add(object, "received", lustre_time(view->lustre, held->received));
	json_object_object_add(object, "returned", lustre_time(view->lustre, held->returned));
	return object;
}

static struct json_object *spans_of(const struct path_view *view, const struct path *path)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < path->spans.n; i++) {
		const struct path_span *span = &path->spans.list[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "part", val_text(dkl_path_part_name(span->part)));
		json_object_object_add(object, "from", val_number(span->from - path->from));
		json_object_object_add(object, "time", val_number(span->to - span->from));
		json_object_object_add(object, "host",
				       val_text(lustre_host(view->lustre, span->host)));
		if (span->xid)
			json_object_object_add(object, "xid", val_number(span->xid));
		if (span->holder)
			json_object_object_add(object, "held", part_of_lock(view, span));
		json_object_array_add(list, object);
	}
	return list;
}

static void put_rows(const struct path_view *view, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "slowest", .type = COL_DURATION },
		{ .key = "call" },
		{ .key = "file" },
		{ .key = "fid" },
		{ .key = "opcode" },
		{ .key = "xid", .type = COL_NUMBER },
		{ .key = "requests", .type = COL_NUMBER },
		{ .key = "job" },
		{ .key = "client" },
		{ .key = "target" },
		{ .key = "host" },
		{ .key = "began" },
		{ .key = "spans", .type = COL_LIST },
	};
	const struct paths *paths = &view->paths;
	struct rows *rows = rows_new("slowest", columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < paths->n_slowest; i++) {
		const struct path *path = &paths->slowest[i];

		rows_add(rows, val_number(path->to - path->from),
			 val_words(path_name(paths, path->call)),
			 val_words(path_name(paths, path->file)),
			 val_words(path_name(paths, path->fid)), lustre_opcode(path->opcode),
			 val_number(path->xid), val_number(path->requests),
			 val_words(path_name(paths, path->job)),
			 val_words(path_name(paths, path->client)),
			 val_words(path_name(paths, path->target)),
			 val_text(lustre_host(view->lustre, path->host)),
			 lustre_time(view->lustre, path->from), spans_of(view, path));
	}
	out_rows(out, rows);
}

/* ---- text ---- */

/* Prints a name from a log, which can have any characters. */
static void print_name(const struct path_view *view, const char *before, uint32_t number)
{
	const char *name = path_name(&view->paths, number);
	struct dkt_buf *buf;
	const char *text;
	size_t len;

	if (!*name || dkt_buf_new(&buf))
		return;
	if (OPT(view->lustre->app, print)->raw_text)
		dkt_buf_str(buf, name);
	else
		dkt_buf_text(buf, name, strlen(name));
	text = dkt_buf_data(buf, &len);
	printf("%s%.*s", before, (int)len, text);
	dkt_buf_free(buf);
}

static void print_head(const struct path_view *view, const struct path *path)
{
	char opcode[OPCODE_TEXT_SIZE], whole[UNIT_SIZE];

	duration_text(path->to - path->from, whole);
	dkl_opcode_text(path->opcode, opcode);
	printf("\n%s: ", whole);
	print_name(view, "", path->call);
	print_name(view, " ", path->file);
	print_name(view, " ", path->fid);
	printf("%s%s x%" PRIu64, path->call ? ", " : "",
	       path->opcode == OPCODE_UNKNOWN ? "request" : opcode, path->xid);
	if (path->requests > 1)
		printf(" and %zu more", path->requests - 1);
	print_name(view, ", job ", path->job);
	print_name(view, ", to ", path->target);
	printf(", from %" PRIu64 ".%06" PRIu64 "\n", path->from / DKT__NSEC_PER_SEC,
	       path->from / 1000 % 1000000);
}

/* A line of the waterfall: a bar at the place of the time. */
static void print_span(const struct path *path, const char *name, uint64_t from, uint64_t to)
{
	const uint64_t whole = path->to - path->from;
	const size_t room = bar_room(BAR_AFTER);
	char bar[BAR_SIZE], time[UNIT_SIZE];
	size_t skip = (size_t)((double)(from - path->from) / (double)whole * (double)room);

	if (skip >= room)
		skip = room - 1;
	duration_text(to - from, time);
	bar_text(to - from, whole, bar, room);
	printf("  %-17s %9s  %*s%s\n", name, time, (int)skip, "", bar);
}

/* The parts of the time that the holder of a lock kept it, within the wait. */
static void print_held(const struct path_view *view, const struct path *path,
		       const struct path_span *span)
{
	const struct lock_pair *held = &span->held;
	const uint64_t times[] = { held->sent, held->received, held->returned, span->to };
	static const char *const names[] = { "  call to holder", "  holder keeps it",
					     "  back to server" };

	if (!span->holder)
		return;
	print_name(view, "    held by ", span->holder);
	if (held->has_client)
		printf(", process %" PRIu32 " of %s", held->pid,
		       lustre_host(view->lustre, held->client));
	putchar('\n');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const uint64_t from = DKT__MAX(times[i], span->from);
		const uint64_t to = DKT__MIN(times[i + 1], span->to);

		if (times[i] && times[i + 1] && to > from)
			print_span(path, names[i], from, to);
	}
}

static void print_path(const struct path_view *view, const struct path *path)
{
	const struct path_spans *spans = &path->spans;
	const uint64_t shortest = dkl_path_spans_shortest(spans, SPANS_SHOWN);
	size_t left_out = 0;

	print_head(view, path);
	for (size_t i = 0; i < spans->n; i++) {
		const struct path_span *span = &spans->list[i];

		if (span->to - span->from < shortest) {
			left_out++;
			continue;
		}
		print_span(path, dkl_path_part_name(span->part), span->from, span->to);
		print_held(view, path, span);
	}
	if (left_out)
		printf("  (%zu shorter spans)\n", left_out);
}

void path_put_slowest(const struct path_view *view, struct out *out)
{
	if (out->form != OUT_TEXT) {
		put_rows(view, out);
		return;
	}
	for (size_t i = 0; i < view->paths.n_slowest; i++)
		print_path(view, &view->paths.slowest[i]);
}
