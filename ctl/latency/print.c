/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency's table, its picture and the slowest pairs. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "latency/latency.h"
#include "out/bar.h"
#include "out/out.h"

static const double parts[] = { 0.5, 0.9, 0.99, 0.999 };

#define N_PARTS  ARRAY_SIZE(parts)
#define N_POWERS 64

/* ---- the table ---- */

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

static int add_row(struct table *table, const struct latency_report *report, size_t group,
		   const char *name)
{
	char text[4 + N_PARTS][DURATION_SIZE], count[24];
	struct dkt_latency latency;
	const char *cells[6 + N_PARTS];
	size_t i, n = 0;

	dkt_pairs_group(report->pairs, group, &latency);
	if (*report->title)
		cells[n++] = name;
	snprintf(count, sizeof(count), "%" PRIu64, latency.count);
	cells[n++] = count;
	duration_text(latency.min, text[0]);
	cells[n++] = text[0];
	for (i = 0; i < N_PARTS; i++) {
		duration_text(dkt_pairs_quantile(report->pairs, group, parts[i]), text[1 + i]);
		cells[n++] = text[1 + i];
	}
	duration_text(latency.max, text[1 + N_PARTS]);
	cells[n++] = text[1 + N_PARTS];
	duration_text(latency.sum, text[2 + N_PARTS]);
	cells[n] = text[2 + N_PARTS];
	return table_add(table, cells);
}

static int print_table(const struct latency_report *report, const size_t *order, size_t n,
		       FILE *out)
{
	static const struct column columns[] = {
		{ "COUNT", COL_RIGHT }, { "MIN", COL_RIGHT },   { "P50", COL_RIGHT },
		{ "P90", COL_RIGHT },   { "P99", COL_RIGHT },   { "P99.9", COL_RIGHT },
		{ "MAX", COL_RIGHT },   { "TOTAL", COL_RIGHT },
	};
	char title[LATENCY_TITLE_SIZE];
	struct column with_name[1 + ARRAY_SIZE(columns)] = { { title, 0 } };
	bool named = *report->title;
	struct table *table;
	size_t i, rows = latency_rows(report, n);
	int err = 0;

	latency_title(report->title, title);
	memcpy(with_name + 1, columns, sizeof(columns));
	table = table_new("latency", named ? with_name : columns, ARRAY_SIZE(columns) + named,
			  false);
	if (!table)
		return -ENOMEM;
	if (report->app->raw_text)
		table_raw(table);
	for (i = 0; !err && named && i < rows; i++) {
		struct dkt_latency latency;

		dkt_pairs_group(report->pairs, order[i], &latency);
		err = add_row(table, report, order[i], latency.name);
	}
	if (!err && (!named || n > 1))
		err = add_row(table, report, DKT_PAIRS_ALL, "(all)");
	if (!err)
		err = table_print(table);
	table_free(table);
	if (!err && named && rows < n)
		fprintf(out, "(%zu more rows)\n", n - rows);
	return err;
}

/* ---- the picture: powers of two ---- */

static void range_text(unsigned int power, char *text, size_t size)
{
	char from[DURATION_SIZE], to[DURATION_SIZE];

	duration_text(power ? UINT64_C(1) << power : 0, from);
	duration_text(power < 63 ? UINT64_C(1) << (power + 1) : UINT64_MAX, to);
	snprintf(text, size, "%7s - %7s", from, to);
}

static void print_picture(const struct latency_report *report, FILE *out)
{
	uint64_t counts[N_POWERS], max = 0;
	unsigned int power, first = N_POWERS, last = 0;
	char range[48], bar[128], count[24];
	size_t room;

	for (power = 0; power < N_POWERS; power++) {
		counts[power] = dkt_pairs_power(report->pairs, DKT_PAIRS_ALL, power);
		if (!counts[power])
			continue;
		first = first == N_POWERS ? power : first;
		last = power;
		max = counts[power] > max ? counts[power] : max;
	}
	snprintf(count, sizeof(count), "%" PRIu64, max);
	room = bar_room(18 + 2 + strlen(count) + 1);
	fputs("\n", out);
	for (power = first; power <= last && power < N_POWERS; power++) {
		range_text(power, range, sizeof(range));
		bar_text(counts[power], max, bar, room);
		fprintf(out, "%-18s  %*" PRIu64 "%s%s\n", range, (int)strlen(count), counts[power],
			*bar ? " " : "", bar);
	}
}

/* ---- the slowest ---- */

static void put_record(const struct latency_report *report, const struct dkt_record *record,
		       struct dkt_buf *buf)
{
	const char *comm = report->source ? dkt_source_comm(report->source, record) : "<...>";
	size_t from;

	dkt_buf_data(buf, &from);
	dkt_style_trace(record, comm, buf);
	if (!report->app->raw_text)
		dkt_buf_escape(buf, from);
}

static int print_slowest(const struct latency_report *report, FILE *out)
{
	char text[DURATION_SIZE];
	struct dkt_slow slow;
	struct dkt_buf *buf;
	const char *data;
	size_t i, len;
	int err;

	if (dkt_pairs_slow(report->pairs, 0, &slow))
		return 0;
	err = dkt_buf_new(&buf);
	for (i = 0; !err && !dkt_pairs_slow(report->pairs, i, &slow); i++) {
		duration_text(slow.ns, text);
		dkt_buf_printf(buf, "\n%s\n", text);
		put_record(report, &slow.begin, buf);
		put_record(report, &slow.end, buf);
	}
	if (!err)
		err = dkt_buf_error(buf);
	if (!err) {
		data = dkt_buf_data(buf, &len);
		fwrite(data, 1, len, out);
	}
	dkt_buf_free(buf);
	return err;
}

int latency_print(const struct latency_report *report, FILE *out)
{
	size_t n, *order __cleanup(free) = latency_order(report, &n);
	struct dkt_latency all;
	int err = order ? 0 : -ENOMEM;

	if (err)
		return err;
	dkt_pairs_group(report->pairs, DKT_PAIRS_ALL, &all);
	if (!all.count) {
		fprintf(out, "no pair\n");
		return 0;
	}
	err = print_table(report, order, n, out);
	if (err || report->table_only)
		return err;
	print_picture(report, out);
	return print_slowest(report, out);
}

/* ---- what was not counted ---- */

static void note(uint64_t n, const char *words)
{
	if (n)
		fprintf(stderr, "dktrace: %" PRIu64 " %s\n", n, words);
}

void latency_print_notes(const struct latency_report *report)
{
	struct dkt_pairs_info info;

	dkt_pairs_info(report->pairs, &info);
	note(info.nested, "began again before they ended: the younger beginning was counted");
	note(info.unmatched_ends, "ended without a beginning that was seen");
	note(info.open + info.unmatched_begins, "began and did not end");
	note(info.spanned, "not counted, as records were lost meanwhile");
}
