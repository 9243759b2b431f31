/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints rows as JSON. */
#include "ctl/out/json.h"

#include <dktrace/dktrace.h>

#include "ctl/out/rows.h"
#include "lib/base/buf.h"

struct json_object *rows_json(const struct rows *rows)
{
	struct json_object *list = json_object_new_array();

	for (size_t line = 0; line < rows->n_rows; line++) {
		struct json_object *o = json_object_new_object();

		for (size_t i = 0; i < rows->n; i++)
			if (!(rows->columns[i].flags & COL_PEOPLE) &&
			    rows->columns[i].type != COL_BAR)
				json_object_object_add(
					o, rows->columns[i].key,
					json_object_get(rows->list[line]->values[i]));
		json_object_array_add(list, o);
	}
	return list;
}

/* ---- text ---- */

/* Appends bytes from DEL on. A JSON string has two backslashes for the one of \xHH. */
static void add_high(struct dkt_buf *to, const char *text, size_t len, struct dkt_buf *scratch)
{
	const char *p;
	size_t n;

	dkt_buf_reset(scratch);
	dkt_buf_text(scratch, text, len);
	p = dkt_buf_data(scratch, &n);
	for (const char *end = p + n; p < end; p++) {
		if (*p == '\\' && p[1] == 'x')
			dkt__buf_add(to, "\\", 1);
		dkt__buf_add(to, p, 1);
	}
}

static void add_json(struct dkt_buf *to, const char *json, struct dkt_buf *scratch)
{
	const char *p = json, *from;

	while (*p) {
		for (from = p; *p && (unsigned char)*p < 0x7f; p++)
			;
		dkt__buf_add(to, from, (size_t)(p - from));
		for (from = p; (unsigned char)*p >= 0x7f; p++)
			;
		if (p > from)
			add_high(to, from, (size_t)(p - from), scratch);
	}
}

static int print(struct json_object *object, int flags, const char *end, FILE *f)
{
	const char *json = json_object_to_json_string_ext(object, flags);
	struct dkt_buf *to = NULL, *scratch = NULL;
	int err = json ? dkt_buf_new(&to) : -ENOMEM;
	const char *text;
	size_t len;

	if (!err)
		err = dkt_buf_new(&scratch);
	if (!err) {
		add_json(to, json, scratch);
		dkt_buf_str(to, end);
		err = dkt_buf_error(to) ?: dkt_buf_error(scratch);
	}
	if (!err) {
		text = dkt_buf_data(to, &len);
		fwrite(text, 1, len, f);
	}
	dkt_buf_free(to);
	dkt_buf_free(scratch);
	return err;
}

int json_print(struct json_object *object, FILE *f)
{
	return print(object, JSON_C_TO_STRING_PRETTY, "\n", f);
}

int json_line(struct json_object *object, FILE *f)
{
	return print(object, JSON_C_TO_STRING_PLAIN, "\n", f);
}

int json_part(struct json_object *object, FILE *f)
{
	return print(object, JSON_C_TO_STRING_PLAIN, "", f);
}
