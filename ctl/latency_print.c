/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency's table, its picture and the slowest pairs. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "bar.h"
#include "latency.h"
#include "out.h"

static const double parts[] = { 0.5, 0.9, 0.99, 0.999 };

#define N_PARTS  ARRAY_SIZE(parts)
#define N_POWERS 64

/* ---- order ---- */

struct weight {
	uint64_t sum;
	size_t group;
};

static int by_weight(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return x->group < y->group ? -1 : 1;
}

size_t *latency_order(const struct latency_report *report, size_t *n)
{
	struct weight *weights __cleanup(free) = NULL;
	struct dkt_latency latency;
	size_t total = 0, i, *order;

	*n = 0;
	while (!dkt_pairs_group(report->pairs, total, &latency))
		total++;
	weights = calloc(total + 1, sizeof(*weights));
	order = calloc(total + 1, sizeof(*order));
	if (!weights || !order) {
		free(order);
		return NULL;
	}
	for (i = 0; i < total; i++) {
		dkt_pairs_group(report->pairs, i, &latency);
		/* A group whose pairs were all open or taken back has nothing to show. */
		if (latency.count)
			weights[(*n)++] = (struct weight){ .sum = latency.sum, .group = i };
	}
	qsort(weights, *n, sizeof(*weights), by_weight);
	for (i = 0; i < *n; i++)
		order[i] = weights[i].group;
	return order;
}

/* ---- the table ---- */

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

static int print_table(const struct latency_report *report, const size_t *order, size_t n)
{
	static const struct column columns[] = {
		{ "COUNT", COL_RIGHT }, { "MIN", COL_RIGHT },   { "P50", COL_RIGHT },
		{ "P90", COL_RIGHT },   { "P99", COL_RIGHT },   { "P99.9", COL_RIGHT },
		{ "MAX", COL_RIGHT },   { "TOTAL", COL_RIGHT },
	};
	struct column with_name[1 + ARRAY_SIZE(columns)] = { { report->title, 0 } };
	bool named = *report->title;
	struct table *table;
	size_t i;
	int err = 0;

	memcpy(with_name + 1, columns, sizeof(columns));
	table = table_new("latency", named ? with_name : columns, ARRAY_SIZE(columns) + named,
			  false);
	if (!table)
		return -ENOMEM;
	for (i = 0; !err && named && i < n; i++) {
		struct dkt_latency latency;

		dkt_pairs_group(report->pairs, order[i], &latency);
		err = add_row(table, report, order[i], latency.name);
	}
	if (!err && (!named || n > 1))
		err = add_row(table, report, DKT_PAIRS_ALL, "(all)");
	if (!err)
		err = table_print(table);
	table_free(table);
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
	err = print_table(report, order, n);
	if (!err)
		print_picture(report, out);
	return err ? err : print_slowest(report, out);
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
