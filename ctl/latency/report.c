/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report of latency: a row for each group, sorted, and one for all pairs. */
#include "latency/latency.h"
#include "out/disk.h"

#include "app/print.h"

enum { GROUP, COUNT, MIN, P50, P90, P99, P99_9, MAX, TOTAL, LOG2, COLUMNS };

static const struct column table_columns[COLUMNS] = {
	[GROUP] = { .key = "group" },
	[COUNT] = { .key = "count", .type = COL_NUMBER },
	[MIN] = { .key = "min", .type = COL_DURATION, .flags = COL_SPARE },
	[P50] = { .key = "p50", .type = COL_DURATION },
	[P90] = { .key = "p90", .type = COL_DURATION, .flags = COL_SPARE },
	[P99] = { .key = "p99", .type = COL_DURATION },
	[P99_9] = { .key = "p99.9", .type = COL_DURATION, .flags = COL_SPARE },
	[MAX] = { .key = "max", .type = COL_DURATION },
	[TOTAL] = { .key = "total", .type = COL_DURATION },
	[LOG2] = { .key = "log2", .type = COL_LIST },
};

void latency_title(const char *by, char title[LATENCY_TITLE_SIZE])
{
	const char *mod = strchr(by, '.');
	size_t skip = strncmp(by, "common_", 7) ? 0 : 7;

	if (mod && !strcmp(mod, ".syscall"))
		snprintf(title, LATENCY_TITLE_SIZE, "syscall");
	else
		snprintf(title, LATENCY_TITLE_SIZE, "%.*s", (int)strcspn(by + skip, "."),
			 by + skip);
}

static struct json_object *quantile(const struct latency_report *report, size_t group, double part)
{
	return val_number(dkt_pairs_quantile(report->pairs, group, part));
}

/* words: for people. */
static struct json_object *group_name(const struct latency_report *report,
				      const struct dkt_latency *group, bool words)
{
	char disk[DISK_SIZE];

	if (!group->is_number)
		return val_text(group->name);
	if (words && disk_is(report->title)) {
		disk_text(group->number, report->disks, disk);
		return val_text(disk);
	}
	return group->is_signed ? json_object_new_int64((int64_t)group->number) :
				  val_number(group->number);
}

/* Adds a row that begins with column from. */
static void add_group(const struct latency_report *report, struct rows *rows, size_t group,
		      const char *name, size_t from, bool words)
{
	struct json_object *values[COLUMNS] = { 0 };
	struct dkt_latency it;

	dkt_pairs_group(report->pairs, group, &it, sizeof(it));
	/* No pair of the group has ended, or a gap cancelled them all. */
	if (!it.count && group != DKT_PAIRS_ALL)
		return;
	if (from == GROUP)
		values[GROUP] = name ? val_text(name) : group_name(report, &it, words);
	values[COUNT] = val_number(it.count);
	values[MIN] = val_number(it.min);
	values[P50] = quantile(report, group, 0.5);
	values[P90] = quantile(report, group, 0.9);
	values[P99] = quantile(report, group, 0.99);
	values[P99_9] = quantile(report, group, 0.999);
	values[MAX] = val_number(it.max);
	values[TOTAL] = val_number(it.sum);
	if (report->app->json)
		values[LOG2] = latency_powers(report, group);
	rows_add_values(rows, values + from);
}

/* Text also has a row for all groups, unless there is only one group. JSON has it as "all". */
static void put_groups(const struct latency_report *report, struct out *out)
{
	struct column columns[COLUMNS];
	char title[LATENCY_TITLE_SIZE];
	bool text = out->form == OUT_TEXT, words = text || report->words,
	     named = *report->title || out->form == OUT_CSV;
	size_t from = named ? GROUP : COUNT, n;
	size_t n_columns = out->form == OUT_CSV ? LOG2 : COLUMNS;
	struct dkt_latency it;
	struct rows *rows;

	latency_title(report->title, title);
	memcpy(columns, table_columns, sizeof(columns));
	columns[GROUP].heading = title;
	rows = rows_new("groups", columns + from, n_columns - from);
	for (size_t group = 0; named && !dkt_pairs_group(report->pairs, group, &it, sizeof(it));
	     group++)
		add_group(report, rows, group, NULL, from, words);
	n = rows_count(rows);
	if (named)
		rows_sort(rows, report->sort.column, report->sort.descending);
	if (report->top)
		rows_cut(rows, report->top);
	if (text && (!named || n > 1))
		add_group(report, rows, DKT_PAIRS_ALL, "(all)", from, text);
	out_rows(out, rows);
	if (text && named && report->top && report->top < n)
		printf("(%zu more rows)\n", n - report->top);
}

static void put_all(const struct latency_report *report, struct out *out)
{
	struct rows *rows = rows_new("all", table_columns + COUNT, COLUMNS - COUNT);
	struct json_object *list;

	add_group(report, rows, DKT_PAIRS_ALL, NULL, COUNT, false);
	list = rows_json(rows);
	out_json(out, "all", json_object_get(json_object_array_get_idx(list, 0)));
	json_object_put(list);
	rows_free(rows);
}

static void put_counts(const struct latency_report *report, struct out *out)
{
	struct dkt_pairs_info info;

	dkt_pairs_info(report->pairs, &info, sizeof(info));
	out_json(out, "begins", val_number(info.begins));
	out_json(out, "ends", val_number(info.ends));
	out_json(out, "nested", val_number(info.nested));
	out_json(out, "unmatched_begins", val_number(info.open + info.unmatched_begins));
	out_json(out, "unmatched_ends", val_number(info.unmatched_ends));
	out_json(out, "spanned", val_number(info.spanned));
	print_losses(out, &report->all);
}

static int put_report(const struct latency_report *report, struct out *out)
{
	bool more = out->form == OUT_JSON || (out->form == OUT_TEXT && !report->table_only);
	int err = 0;

	if (out->form == OUT_JSON)
		put_all(report, out);
	put_groups(report, out);
	if (out->form == OUT_TEXT && more)
		latency_print_powers(report);
	if (more)
		err = latency_put_slowest(report, out);
	put_counts(report, out);
	return err;
}

struct json_object *latency_json(const struct latency_report *report)
{
	struct out out;
	int err;

	out_begin(&out, OUT_JSON, false, 0);
	err = put_report(report, &out);
	return out_take(&out, err);
}

int latency_print(const struct latency_report *report)
{
	struct dkt_latency all;
	struct out out;
	int err;

	print_begin(report->app, &out, 0);
	dkt_pairs_group(report->pairs, DKT_PAIRS_ALL, &all, sizeof(all));
	if (out.form == OUT_TEXT && !all.count) {
		printf("no pair\n");
		return out_end(&out);
	}
	err = put_report(report, &out);
	return out_end(&out) ? -ENOMEM : err;
}
