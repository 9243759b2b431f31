/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes formats: a file may describe its events as it likes, with places, sizes and types that lie.
 * The input is the text of a format file up to a NUL and then a record of that event. The record is
 * printed in each style: json is JSON and csv is CSV whatever an event and its fields are called. Its
 * fields are keys of a histogram and of pairs, and compared in expressions.
 */
#include <dirent.h>

#include "lib/base/io.h"
#include "lib/event.h"
#include "tests/fuzz/check_text.h"

static const char *const names[] = { "trace",  "raw",      "csv", "json",
				     "folded", "perfetto", "ctf", "ctf2" };

/* Each of the first fields is tested by itself, up to this number. */
#define MAX_FIELDS 8

static void remove_dir(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	must(!rmdir(dir));
}

/* Every fragment of the metadata is JSON, after the character RS. */
static void check_metadata(const char *dir)
{
	char path[64], *text, *rest, *fragment;
	size_t len;

	snprintf(path, sizeof(path), "%s/metadata", dir);
	must(!dkt__read_file(path, SIZE_MAX, &text, &len));
	must(text[0] == '\x1e');
	for (rest = text + 1; (fragment = strsep(&rest, "\x1e"));)
		check_json(fragment, strlen(fragment));
	free(text);
}

static void print_in(const char *name, struct dkt_record *record)
{
	char dir[] = "/tmp/dkt-fuzz-XXXXXX";
	DKT_OPTS(dkt_style_opts, opts, .dir = dir);
	struct dkt_style *style;
	struct dkt_buf *buf = NULL;
	const char *text;
	size_t len;

	/* A style that writes files makes the directory. */
	must(strncmp(name, "ctf", 3) != 0 || (mkdtemp(dir) && !rmdir(dir)));
	must(!dkt_style_new(record->event->ctx, name, &opts, &style) && !dkt_buf_new(&buf));
	must(!dkt_style_begin(style, buf) && !dkt_style_record(style, record, "comm", buf));
	must(!dkt_style_end(style, buf));
	must(!dkt_buf_error(buf));
	text = dkt_buf_data(buf, &len);
	if (!strcmp(name, "json"))
		check_json(text, len);
	else if (!strcmp(name, "csv"))
		check_csv(text, len);
	dkt_style_free(style);
	dkt_buf_free(buf);
	if (!strcmp(name, "ctf2"))
		check_metadata(dir);
	if (!strncmp(name, "ctf", 3))
		remove_dir(dir);
}

/* Counts the record by that key, and prints the rows. */
static void count_by(const char *key, const struct dkt_record *record)
{
	DKT_OPTS(dkt_hist_opts, opts, .keys = key);
	const struct dkt_table_info *info;
	struct dkt_table *table;
	struct dkt_hist *hist;
	struct dkt_buf *buf;
	size_t i;

	if (dkt_hist_new(record->event->ctx, &opts, &hist))
		return;
	must(!dkt_buf_new(&buf));
	if (!dkt_hist_event(hist, record->event)) {
		must(!dkt_hist_add(hist, NULL, record) && !dkt_hist_read(hist, NULL, &table));
		info = dkt_table_info(table);
		for (i = 0; i < info->n_rows; i++)
			dkt_table_text(table, i, 0, buf);
		dkt_table_free(table);
	}
	dkt_hist_free(hist);
	dkt_buf_free(buf);
}

static void pair_by(const char *key, const char *by, const struct dkt_record *record)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = key, .by = by, .slowest = 1);
	struct dkt_intervals *pairs;
	struct dkt_latency latency;

	if (dkt_intervals_new(record->event->ctx, &opts, &pairs))
		return;
	if (!dkt_intervals_event(pairs, record->event, DKT_INTERVAL_BEGIN | DKT_INTERVAL_END)) {
		must(!dkt_intervals_add(pairs, NULL, record) &&
		     !dkt_intervals_add(pairs, NULL, record));
		must(!dkt_intervals_finish(pairs));
		dkt_intervals_group(pairs, 0, &latency, sizeof(latency));
	}
	dkt_intervals_free(pairs);
}

static void compare(const char *field, const char *rest, const struct dkt_record *record)
{
	char text[256];
	struct dkt_expr *expr;

	snprintf(text, sizeof(text), "%s %s", field, rest);
	if (dkt_expr_new(record->event->ctx, text, NULL, &expr))
		return;
	dkt_expr_match(expr, record, "comm");
	dkt_expr_free(expr);
}

static void ask_about(const char *field, const struct dkt_record *record)
{
	static const char *const mods[] = {
		"", ".hex", ".sym", ".execname", ".stacktrace", ".log2"
	};
	static const char *const rests[] = { "== 1",          "& 3",         "~ \"*a*\"",
					     "!= \"b\"",      "& CPUS{0-3}", "== CPUS{1}",
					     ".function == f" };
	char key[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mods); i++) {
		snprintf(key, sizeof(key), "%s%s", field, mods[i]);
		count_by(key, record);
		pair_by("common_pid", key, record);
	}
	pair_by(field, NULL, record);
	for (i = 0; i < ARRAY_SIZE(rests); i++)
		compare(field, rests[i], record);
}

static void take(struct dkt_ctx *ctx, const uint8_t *data, size_t size)
{
	struct dkt_event *const *events;
	const struct dkt_field *const *fields;
	struct dkt_record record = { .ts = 1 };
	uint8_t *exact;
	size_t i, n;

	if (dkt_events(ctx, &events, &n) || n != 1)
		return;
	exact = malloc(size ? size : 1);
	must(exact);
	memcpy(exact, data, size);
	record.event = events[0];
	record.data = exact;
	record.size = (uint32_t)size;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		print_in(names[i], &record);
	/* Without fields it is shown as bytes. */
	dkt_event_fields(record.event, &fields, &n);
	for (i = 0; i < n && i < MAX_FIELDS; i++)
		ask_about(fields[i]->name, &record);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	struct dkt__given given = { .system = "fuzz", .text = (const char *)data };
	struct dkt_ctx *ctx;

	if (!end)
		return 0;
	given.len = (size_t)(end - data);
	must(!dkt_ctx_new(NULL, &ctx));
	must(!dkt__events_given(ctx, &given, 1));
	take(ctx, end + 1, size - given.len - 1);
	dkt_ctx_free(ctx);
	return 0;
}
