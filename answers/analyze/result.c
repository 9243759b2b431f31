/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of a table. */
#include "answers/analyze/result.h"

#include "lib/base/util.h"

#define FIRST_ROOM 16

int result_add(struct result_rows *rows, const struct result_cell *cells)
{
	size_t n = rows->table->n, room = rows->room ? 2 * rows->room : FIRST_ROOM;

	if (rows->n == rows->room) {
		struct result_cell *more = reallocarray(rows->cells, room, n * sizeof(*more));

		if (!more)
			return -ENOMEM;
		rows->cells = more;
		rows->room = room;
	}
	memcpy(rows->cells + rows->n++ * n, cells, n * sizeof(*cells));
	return 0;
}

struct order {
	enum result_type type;
	size_t column;
	bool descending;
};

static int compare_cells(enum result_type type, const struct result_cell *a,
			 const struct result_cell *b)
{
	int64_t m = (int64_t)a->number, n = (int64_t)b->number;
	int texts = strverscmp(a->text ? a->text : "", b->text ? b->text : "");

	if (!a->known || !b->known)
		return a->known - b->known;
	switch (type) {
	case RESULT_REAL:
	case RESULT_SHARE:
		return (a->real > b->real) - (a->real < b->real);
	case RESULT_TEXT:
	case RESULT_DISK:
	case RESULT_SYSCALL:
	case RESULT_PATH:
		return texts;
	case RESULT_PROCESS:
	case RESULT_IRQ:
	case RESULT_SOFTIRQ:
	case RESULT_VALUE:
		return texts ? texts : (m > n) - (m < n);
	default:
		return (m > n) - (m < n);
	}
}

/* Equal rows keep their order, which is that of their addresses. */
static int compare(const void *a, const void *b, void *data)
{
	const struct order *by = data;
	const struct result_cell *x = *(struct result_cell *const *)a;
	const struct result_cell *y = *(struct result_cell *const *)b;
	int order = compare_cells(by->type, x + by->column, y + by->column);

	if (order)
		return by->descending ? -order : order;
	return x < y ? -1 : 1;
}

int result_sort(struct result_rows *rows, size_t column, bool descending)
{
	struct order by = { rows->table->columns[column].type, column, descending };
	size_t n = rows->table->n;
	struct result_cell **list __cleanup(free) = calloc(rows->n, sizeof(struct result_cell *));
	struct result_cell *sorted = calloc(rows->n, n * sizeof(*sorted));

	if (!list || !sorted) {
		free(sorted);
		return rows->n ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < rows->n; i++)
		list[i] = rows->cells + i * n;
	qsort_r(list, rows->n, sizeof(struct result_cell *), compare, &by);
	for (size_t i = 0; i < rows->n; i++)
		memcpy(sorted + i * n, list[i], n * sizeof(*sorted));
	free(rows->cells);
	rows->cells = sorted;
	rows->room = rows->n;
	return 0;
}

void result_clear(struct result_rows *rows)
{
	free(rows->cells);
	*rows = (struct result_rows){ .table = rows->table };
}
