/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of a command: prints text at once, JSON and CSV at the end. */
#include "ctl/out/out.h"

#include <stdarg.h>

#include "ctl/out/fold.h"
#include "ctl/out/json.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

void out_begin(struct out *out, enum out_form form, bool raw, int labels)
{
	static const struct column members[] = { { .key = "key" }, { .key = "value" } };

	*out = (struct out){ .form = form, .raw = raw, .labels = labels };
	if (form == OUT_JSON)
		out->root = json_object_new_object();
	else if (form == OUT_CSV)
		out->members = rows_new("members", members, ARRAY_SIZE(members));
}

void out_keep(struct out *out, int err)
{
	out->err = out->err ? out->err : err;
}

void out_line(struct out *out, const char *label, const char *fmt, ...)
{
	char *text __cleanup(free) = NULL;
	va_list ap;

	if (out->form != OUT_TEXT)
		return;
	va_start(ap, fmt);
	text = dkt__vformat(fmt, ap);
	va_end(ap);
	printf("%-*s", out->labels, label);
	out_keep(out, text ? fold_print(stdout, text, (size_t)out->labels, fold_width()) : -ENOMEM);
	out->any = true;
}

void out_text(struct out *out, const char *label, const char *text)
{
	if (text && *text)
		out_line(out, label, "%s", text);
}

void out_json(struct out *out, const char *key, struct json_object *value)
{
	if (out->form == OUT_JSON)
		json_object_object_add(out->root, key, value);
	else
		json_object_put(value);
}

void out_put(struct out *out, const char *key, struct json_object *value)
{
	if (out->form == OUT_CSV)
		rows_add(out->members, val_text(key), value);
	else
		out_json(out, key, value);
}

void out_field(struct out *out, const char *key, const char *text)
{
	out_put(out, key, val_text(text));
	out_text(out, key, text);
}

static void put_table(struct out *out, const struct rows *rows)
{
	FILE *f = stdout;

	/* An empty table is printed only if it is all that CSV has. */
	if (out->err || (!rows->n_rows && (out->form == OUT_TEXT || rows_count(out->members))))
		return;
	if (out->form == OUT_CSV && rows_count(out->members)) {
		if (!out->tables)
			out->tables = open_memstream(&out->text, &out->len);
		f = out->tables;
	}
	if (!f) {
		out_keep(out, -ENOMEM);
		return;
	}
	if (out->any)
		fputc('\n', f);
	out->any = true;
	out_keep(out, out->form == OUT_CSV ? rows_csv(rows, out->raw, f) :
					     rows_table(rows, out->raw, f));
}

void out_rows(struct out *out, struct rows *rows)
{
	out_keep(out, rows ? rows->err : -ENOMEM);
	if (rows && out->form == OUT_JSON)
		out_json(out, rows->name, rows_json(rows));
	else if (rows)
		put_table(out, rows);
	rows_free(rows);
}

void out_data(struct out *out, struct rows *rows)
{
	if (out->form == OUT_TEXT)
		rows_free(rows);
	else
		out_rows(out, rows);
}

static void print_csv(struct out *out)
{
	if (out->tables && fclose(out->tables))
		out_keep(out, -ENOMEM);
	if (!out->err && rows_count(out->members))
		out_keep(out, rows_csv(out->members, out->raw, stdout));
	if (!out->err && out->len)
		printf("\n%s", out->text);
}

int out_end(struct out *out)
{
	if (out->form == OUT_CSV)
		print_csv(out);
	else if (out->form == OUT_JSON && !out->err)
		out->err = json_print(out->root, stdout);
	rows_free(out->members);
	free(out->text);
	json_object_put(out->root);
	return out->err;
}

struct json_object *out_take(struct out *out, int err)
{
	if (!err && !out->err)
		return out->root;
	json_object_put(out->root);
	return NULL;
}
