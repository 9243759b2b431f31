/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hist's table for programs: JSON, CSV, folded stacks. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "hist/hist.h"
#include "out/csv.h"
#include "out/shown.h"

static struct json_object *key_json(const struct dkt_table *table, size_t row, size_t i)
{
	const struct dkt_column *column = &dkt_table_info(table)->columns[i];
	char *text __cleanup(free) = NULL;

	if (column->is_number && !column->is_named &&
	    (!*column->modifier || !strcmp(column->modifier, "dec")))
		return column->is_signed ?
			       json_object_new_int64((int64_t)dkt_table_value(table, row, i)) :
			       json_object_new_uint64(dkt_table_value(table, row, i));
	text = hist_text(table, row, i);
	return json_object_new_string(text ? text : "");
}

int hist_print_json(const struct hist_view *view, FILE *out)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	struct json_object *root = json_object_new_object(), *rows = json_object_new_array();
	size_t row, i, n = hist_rows(view);
	char room[HIST_NAME_SIZE];

	for (row = 0; row < n; row++) {
		struct json_object *o = json_object_new_object();

		for (i = 0; i < info->n_columns; i++) {
			uint64_t sum = i < info->n_keys ? 0 : hist_sum(view, row, i);

			json_object_object_add(
				o, hist_name(info, i, room),
				i < info->n_keys           ? key_json(view->table, row, i) :
				info->columns[i].is_signed ? json_object_new_int64((int64_t)sum) :
							     json_object_new_uint64(sum));
		}
		if (info->has_more)
			json_object_object_add(
				o, "saved",
				json_object_new_string(dkt_table_more(view->table, row)));
		json_object_array_add(rows, o);
	}
	json_object_object_add(root, "rows", rows);
	json_object_object_add(root, "hits", json_object_new_uint64(info->hits));
	json_object_object_add(root, "entries", json_object_new_uint64(info->n_rows));
	json_object_object_add(root, "dropped", json_object_new_uint64(info->dropped));
	return shown_object(root, out);
}

int hist_print_csv(const struct hist_view *view, FILE *out)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	size_t row, i, n = hist_rows(view);
	char room[HIST_NAME_SIZE];

	for (i = 0; i < info->n_columns; i++) {
		fputs(i ? "," : "", out);
		csv_text(hist_name(info, i, room), view->raw_text, out);
	}
	fputc('\n', out);
	for (row = 0; row < n; row++) {
		for (i = 0; i < info->n_columns; i++) {
			char *text __cleanup(free) = NULL;

			if (i)
				fputc(',', out);
			if (i >= info->n_keys) {
				fprintf(out, info->columns[i].is_signed ? "%" PRId64 : "%" PRIu64,
					hist_sum(view, row, i));
				continue;
			}
			text = hist_text(view->table, row, i);
			if (!text)
				return -ENOMEM;
			csv_text(text, view->raw_text, out);
		}
		fputc('\n', out);
	}
	return 0;
}

int hist_print_folded(struct dkt_ctx *ctx, const struct hist_view *view, FILE *out)
{
	const struct dkt_table_info *info = dkt_table_info(view->table);
	size_t row, i, stack = 0, n = hist_rows(view);

	while (stack < info->n_keys && !strstr(info->columns[stack].name, "stacktrace") &&
	       strcmp(info->columns[stack].modifier, "stacktrace") != 0)
		stack++;
	if (stack == info->n_keys)
		return dkt_fail(ctx, -EINVAL, "--folded: no key is a stack");
	for (row = 0; row < n; row++) {
		char *frames __cleanup(free) = hist_cell(view->table, row, stack);

		for (i = 0; i < info->n_keys; i++) {
			char *text __cleanup(free) = i == stack ? NULL :
								  hist_cell(view->table, row, i);

			if (text)
				fprintf(out, "%s;", text);
		}
		fprintf(out, "%s %" PRIu64 "\n", frames ? frames : "",
			hist_sum(view, row, info->n_keys));
	}
	return 0;
}
