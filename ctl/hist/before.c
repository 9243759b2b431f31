/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Earlier tables of hist, with which a later one is compared. */
#include "compat/io/say.h"
#include "ctl/hist/view.h"
#include "lib/base/json_number.h"

/* Ends the text of each key; the escaped texts do not contain it. */
#define END_OF_KEY "\x1f"

/* The keys of a row identify it in both tables. The caller frees the text. */
static char *row_name(const struct dkt_table *table, size_t row)
{
	size_t len, n_keys = dkt_table_info(table)->n_keys;
	char *name = NULL;
	FILE *f = open_memstream(&name, &len);

	for (size_t i = 0; f && i < n_keys; i++) {
		char *cell __cleanup(free) = hist_cell(table, row, i);

		fprintf(f, "%s" END_OF_KEY, cell ? cell : "");
	}
	return f && !fclose(f) ? name : NULL;
}

uint64_t hist_sum_before(const struct hist_view *view, size_t row, size_t column)
{
	char *name __cleanup(free) = view->before ? row_name(view->table, row) : NULL;
	size_t n_keys = dkt_table_info(view->table)->n_keys;
	struct json_object *sums;

	if (!name || !json_object_object_get_ex(view->before, name, &sums))
		return 0;
	return dkt__json_get_u64(json_object_array_get_idx(sums, column - n_keys));
}

struct json_object *hist_remember(const struct dkt_table *table)
{
	const struct dkt_table_info *info = dkt_table_info(table);
	struct json_object *all = json_object_new_object();

	for (size_t row = 0; row < info->n_rows; row++) {
		char *name __cleanup(free) = row_name(table, row);
		struct json_object *sums = json_object_new_array();

		for (size_t i = info->n_keys; i < info->n_columns; i++)
			json_object_array_add(sums, dkt__json_u64(dkt_table_value(table, row, i)));
		json_object_object_add(all, name ? name : "", sums);
	}
	return all;
}

/* Adds a row's sums to all. False: the row lacks a column. */
static bool load_row(const struct dkt_table_info *info, struct json_object *row,
		     struct json_object *all)
{
	struct json_object *sums = json_object_new_array(), *cell;
	char *name __cleanup(free) = NULL;
	char buf[HIST_NAME_SIZE];
	bool good = true;
	size_t len;
	FILE *f = open_memstream(&name, &len);

	for (size_t i = 0; f && i < info->n_columns; i++) {
		if (!json_object_object_get_ex(row, hist_name(info, i, buf), &cell)) {
			good = false;
			break;
		}
		if (i < info->n_keys) {
			char *text __cleanup(free) = dkl_shown(json_object_get_string(cell));

			fprintf(f, "%s" END_OF_KEY, text ? text : "");
		} else {
			json_object_array_add(sums, json_object_get(cell));
		}
	}
	if (!f || fclose(f))
		good = false;
	if (good)
		json_object_object_add(all, name, sums);
	else
		json_object_put(sums);
	return good;
}

static int load_rows(struct dkt_ctx *ctx, const char *path, const struct dkt_table_info *info,
		     struct json_object *root, struct json_object *all)
{
	struct json_object *rows;

	if (!json_object_object_get_ex(root, "rows", &rows) ||
	    !json_object_is_type(rows, json_type_array))
		return dkt_fail(ctx, -EINVAL, "%s is not a table of 'dktrace hist --json'", path);
	for (size_t i = 0; i < json_object_array_length(rows); i++)
		if (!load_row(info, json_object_array_get_idx(rows, i), all))
			return dkt_fail(ctx, -EINVAL,
					"%s: row %zu does not have the columns of this table", path,
					i + 1);
	return 0;
}

struct json_object *hist_load(struct dkt_ctx *ctx, const char *path, int fd,
			      const struct dkt_table *table)
{
	struct json_object *root, *all;

	errno = 0;
	root = fd < 0 ? json_object_from_file(path) : json_object_from_fd(fd);
	if (!root) {
		dkt_fail(ctx, -EINVAL, "read %s: %s", path,
			 errno ? strerror(errno) : "it is not JSON");
		return NULL;
	}
	all = json_object_new_object();
	if (load_rows(ctx, path, dkt_table_info(table), root, all)) {
		json_object_put(all);
		all = NULL;
	}
	json_object_put(root);
	return all;
}
