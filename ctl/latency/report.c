/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report of latency: a row for each group, sorted, and one for all pairs. */
#include "ctl/app/groups.h"
#include "ctl/latency/latency.h"
#include "ctl/out/disk.h"

#include "ctl/app/print.h"

enum { GROUP, COUNT, MIN, P50, P90, P99, P99_9, MAX, TOTAL, LOG2, DISK, COLUMNS };

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
	[DISK] = { .key = "group" DISK_BESIDE, .flags = COL_DATA },
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
	return val_number(dkt_intervals_quantile(report->pairs, group, part));
}

/* NULL: the group is not a disk. */
static struct json_object *disk_name(const struct latency_report *report,
				     const struct dkt_latency *group)
{
	char disk[DISK_SIZE];

	if (!group->is_number || !dkt__disk_is_field(report->title))
		return NULL;
	disk_text(group->number, report->disks, disk);
	return val_text(disk);
}

/* words: for people. */
static struct json_object *group_name(const struct latency_report *report,
				      const struct dkt_latency *group, bool words)
{
	struct json_object *disk = words ? disk_name(report, group) : NULL;

	if (disk)
		return disk;
	if (!group->is_number)
		return val_text(group->name);
	return group->is_signed ? json_object_new_int64((int64_t)group->number) :
				  val_number(group->number);
}

/* The columns of the rows. */
struct shape {
	size_t list[COLUMNS];
	size_t n;
	bool words; /* in place of the numbers of groups */
};

static struct json_object *value_of(const struct latency_report *report, size_t group,
				    const struct dkt_latency *latency, size_t column, bool words)
{
	switch (column) {
	case GROUP:
		return group == DKT_INTERVALS_ALL ? val_text("(all)") :
						    group_name(report, latency, words);
	case COUNT:
		return val_number(latency->count);
	case MIN:
		return val_number(latency->min);
	case P50:
		return quantile(report, group, 0.5);
	case P90:
		return quantile(report, group, 0.9);
	case P99:
		return quantile(report, group, 0.99);
	case P99_9:
		return quantile(report, group, 0.999);
	case MAX:
		return val_number(latency->max);
	case TOTAL:
		return val_number(latency->sum);
	case LOG2:
		return OPT(report->app, print)->json ? latency_powers(report, group) : NULL;
	default:
		return disk_name(report, latency);
	}
}

static void add_group(const struct latency_report *report, struct rows *rows, size_t group,
		      const struct shape *shape)
{
	struct json_object *values[COLUMNS];
	struct dkt_latency latency;

	dkt_intervals_group(report->pairs, group, &latency, sizeof(latency));
	/* No pair of the group has ended, or a gap cancelled them all. */
	if (!latency.count && group != DKT_INTERVALS_ALL)
		return;
	for (size_t i = 0; i < shape->n; i++)
		values[i] = value_of(report, group, &latency, shape->list[i], shape->words);
	rows_add_values(rows, values);
}

/* Chooses the columns from one on. CSV has no lists; what is no disk has no name of one. */
static void choose(const struct latency_report *report, const struct out *out, size_t from,
		   struct shape *shape, struct column columns[COLUMNS])
{
	for (size_t i = from; i < COLUMNS; i++) {
		if ((i == LOG2 && out->form == OUT_CSV) ||
		    (i == DISK &&
		     (from != GROUP || shape->words || !dkt__disk_is_field(report->title))))
			continue;
		columns[shape->n] = table_columns[i];
		shape->list[shape->n++] = i;
	}
}

/* Text also has a row for all groups, unless there is only one group. JSON has it as "all". */
static void put_groups(const struct latency_report *report, struct out *out)
{
	bool text = out->form == OUT_TEXT, named = *report->title || out->form == OUT_CSV;
	struct shape shape = { .words = text || report->words };
	char title[LATENCY_TITLE_SIZE];
	struct column columns[COLUMNS];
	struct dkt_latency latency;
	struct rows *rows;
	size_t n;

	latency_title(report->title, title);
	choose(report, out, named ? GROUP : COUNT, &shape, columns);
	if (named)
		columns[GROUP].heading = title;
	rows = rows_new("groups", columns, shape.n);
	for (size_t group = 0;
	     named && !dkt_intervals_group(report->pairs, group, &latency, sizeof(latency));
	     group++)
		add_group(report, rows, group, &shape);
	n = rows_count(rows);
	if (named)
		rows_sort(rows, report->sort.column, report->sort.descending);
	if (report->top)
		rows_cut(rows, report->top);
	if (text && (!named || n > 1))
		add_group(report, rows, DKT_INTERVALS_ALL, &shape);
	out_rows(out, rows);
	if (text && named && report->top && report->top < n)
		printf("(%zu more rows)\n", n - report->top);
}

static void put_all(const struct latency_report *report, struct out *out)
{
	struct shape shape = { 0 };
	struct column columns[COLUMNS];
	struct json_object *list;
	struct rows *rows;

	choose(report, out, COUNT, &shape, columns);
	rows = rows_new("all", columns, shape.n);
	add_group(report, rows, DKT_INTERVALS_ALL, &shape);
	list = rows_json(rows);
	out_json(out, "all", json_object_get(json_object_array_get_idx(list, 0)));
	json_object_put(list);
	rows_free(rows);
}

static void put_counts(const struct latency_report *report, struct out *out)
{
	struct dkt_intervals_info info;

	dkt_intervals_info(report->pairs, &info, sizeof(info));
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
	dkt_intervals_group(report->pairs, DKT_INTERVALS_ALL, &all, sizeof(all));
	if (out.form == OUT_TEXT && !all.count) {
		printf("no pair\n");
		return out_end(&out);
	}
	err = put_report(report, &out);
	return out_end(&out) ? -ENOMEM : err;
}
