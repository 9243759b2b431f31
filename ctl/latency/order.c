/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of latency in the order that is asked for. */
#include <stdlib.h>
#include <string.h>

#include "latency/latency.h"

enum { BY_NAME, BY_COUNT, BY_MIN, BY_P50, BY_P90, BY_P99, BY_P99_9, BY_MAX, BY_TOTAL };

const char *const latency_columns[] = { "name", "count", "min", "p50",   "p90",
					"p99",  "p99.9", "max", "total", NULL };

#define DESCENDING ".descending"
#define ASCENDING  ".ascending"

struct row {
	const char *name;
	uint64_t value;
	size_t group;
};

static bool ends_in(const char *text, size_t len, const char *end, size_t *rest)
{
	size_t n = strlen(end);

	if (len < n || strcmp(text + len - n, end) != 0)
		return false;
	*rest = len - n;
	return true;
}

static int no_column(const char *text, size_t len)
{
	struct dkt__guess guess;
	char names[128] = "";
	size_t i, used = 0;

	dkt__guess_start(&guess, text, len);
	for (i = 0; latency_columns[i]; i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 latency_columns[i]);
		dkt__guess_try(&guess, latency_columns[i]);
	}
	return app_usage("--sort: '%.*s' is no column: they are %s%s", (int)len, text, names,
			 dkt__guess_words(&guess));
}

int latency_sort_read(const char *text, struct latency_sort *sort)
{
	size_t i, len;

	*sort = (struct latency_sort){ .column = BY_TOTAL, .descending = true };
	if (!text)
		return 0;
	len = strlen(text);
	/* A column's own name has a dot, so that the direction is looked for at the end. */
	sort->descending = ends_in(text, len, DESCENDING, &len);
	if (!sort->descending)
		ends_in(text, len, ASCENDING, &len);
	for (i = 0; latency_columns[i]; i++)
		if (strlen(latency_columns[i]) == len && !strncmp(latency_columns[i], text, len))
			break;
	if (!latency_columns[i])
		return no_column(text, len);
	sort->column = (unsigned int)i;
	return 0;
}

static uint64_t value_of(const struct latency_report *report, size_t group,
			 const struct dkt_latency *latency)
{
	switch (report->sort.column) {
	case BY_COUNT:
		return latency->count;
	case BY_MIN:
		return latency->min;
	case BY_P50:
		return dkt_pairs_quantile(report->pairs, group, 0.5);
	case BY_P90:
		return dkt_pairs_quantile(report->pairs, group, 0.9);
	case BY_P99:
		return dkt_pairs_quantile(report->pairs, group, 0.99);
	case BY_P99_9:
		return dkt_pairs_quantile(report->pairs, group, 0.999);
	case BY_MAX:
		return latency->max;
	case BY_TOTAL:
		return latency->sum;
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b, void *data)
{
	const struct latency_sort *sort = data;
	const struct row *x = a, *y = b;
	int order = x->value < y->value ? -1 : x->value > y->value;

	/* Names can be numbers, or begin or end with one. */
	if (sort->column == BY_NAME)
		order = strverscmp(x->name, y->name);
	if (order)
		return sort->descending ? -order : order;
	return x->group < y->group ? -1 : 1;
}

size_t *latency_order(const struct latency_report *report, size_t *n)
{
	struct latency_sort sort = report->sort;
	struct row *rows __cleanup(free) = NULL;
	struct dkt_latency latency;
	size_t total = 0, i, *order;

	*n = 0;
	while (!dkt_pairs_group(report->pairs, total, &latency))
		total++;
	rows = calloc(total + 1, sizeof(*rows));
	order = calloc(total + 1, sizeof(*order));
	if (!rows || !order) {
		free(order);
		return NULL;
	}
	for (i = 0; i < total; i++) {
		dkt_pairs_group(report->pairs, i, &latency);
		/* A group whose pairs were all open or taken back has nothing to show. */
		if (latency.count)
			rows[(*n)++] = (struct row){ .name = latency.name,
						     .value = value_of(report, i, &latency),
						     .group = i };
	}
	qsort_r(rows, *n, sizeof(*rows), compare, &sort);
	for (i = 0; i < *n; i++)
		order[i] = rows[i].group;
	return order;
}

size_t latency_rows(const struct latency_report *report, size_t n)
{
	return report->top && report->top < n ? report->top : n;
}
