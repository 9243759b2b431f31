/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints rows as comma-separated values. */
#include <dktrace/dktrace.h>

#include "ctl/out/rows.h"
#include "lib/base/buf.h"

/* Quotes the text if necessary, but does not escape control characters. */
static void put_raw(const char *text, size_t len, FILE *f)
{
	bool quote = false;

	for (size_t i = 0; !quote && i < len; i++)
		quote = text[i] && strchr("\",\n\r", text[i]);

	if (quote)
		fputc('"', f);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			fputc('"', f);
		fputc(text[i], f);
	}
	if (quote)
		fputc('"', f);
}

static void put_text(const char *text, size_t len, bool raw, struct dkt_buf *buf, FILE *f)
{
	const char *cell;

	if (raw) {
		put_raw(text, len, f);
		return;
	}
	dkt_buf_reset(buf);
	dkt__buf_cell(buf, text, len);
	cell = dkt_buf_data(buf, &len);
	fwrite(cell, 1, len, f);
}

static bool is_number(const struct json_object *value)
{
	return json_object_is_type(value, json_type_int) ||
	       json_object_is_type(value, json_type_double);
}

static void put_key(const char *key, bool raw, struct dkt_buf *buf, FILE *f)
{
	put_text(key, strlen(key), raw, buf, f);
}

static void put_value(struct json_object *value, bool raw, struct dkt_buf *buf, FILE *f)
{
	size_t len;
	const char *text = val_bytes(value, &len);

	put_text(text, len, raw, buf, f);
}

/* Prints the values of a row, or the keys if row is NULL. */
static void put_line(const struct rows *rows, const struct row *row, bool raw, struct dkt_buf *buf,
		     FILE *f)
{
	const char *between = "";

	for (size_t i = 0; i < rows->n; i++) {
		struct json_object *value = row ? row->values[i] : NULL;

		if (rows->columns[i].flags & COL_PEOPLE || rows->columns[i].type == COL_BAR)
			continue;
		fputs(between, f);
		between = ",";
		if (!row)
			put_key(rows->columns[i].key, raw, buf, f);
		else if (is_number(value))
			fputs(json_object_get_string(value), f);
		else if (value)
			put_value(value, raw, buf, f);
	}
	fputc('\n', f);
}

static int put_lines(const struct rows *rows, bool keys, bool raw, FILE *f)
{
	struct dkt_buf *buf;
	int err = dkt_buf_new(&buf);

	if (err)
		return err;
	if (keys)
		put_line(rows, NULL, raw, buf, f);
	for (size_t i = 0; i < rows->n_rows; i++)
		put_line(rows, rows->list[i], raw, buf, f);
	err = dkt_buf_error(buf);
	dkt_buf_free(buf);
	return err;
}

int rows_csv(const struct rows *rows, bool raw, FILE *f)
{
	return put_lines(rows, true, raw, f);
}

int rows_csv_lines(const struct rows *rows, bool raw, FILE *f)
{
	return put_lines(rows, false, raw, f);
}
