/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text of records and files as people and programs may see it. */
#include "out/shown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dktrace/dktrace.h>

/* Appends bytes from DEL on. In a JSON string the escape \xHH begins with two backslashes. */
static void add_high(struct dkt_buf *to, const char *text, size_t len, struct dkt_buf *room)
{
	const char *p, *end;
	size_t n;

	dkt_buf_reset(room);
	dkt_buf_text(room, text, len);
	p = dkt_buf_data(room, &n);
	for (end = p + n; p < end; p++) {
		if (*p == '\\' && p[1] == 'x')
			dkt_buf_add(to, "\\", 1);
		dkt_buf_add(to, p, 1);
	}
}

static void add_json(struct dkt_buf *to, const char *json, struct dkt_buf *room)
{
	const char *p = json, *from;

	while (*p) {
		for (from = p; *p && (unsigned char)*p < 0x7f; p++)
			;
		dkt_buf_add(to, from, (size_t)(p - from));
		for (from = p; (unsigned char)*p >= 0x7f; p++)
			;
		if (p > from)
			add_high(to, from, (size_t)(p - from), room);
	}
}

int shown_json(const char *json, FILE *out)
{
	struct dkt_buf *to = NULL, *room = NULL;
	int err = dkt_buf_new(&to);
	const char *text;
	size_t len;

	if (!err)
		err = dkt_buf_new(&room);
	if (!err) {
		add_json(to, json, room);
		err = dkt_buf_error(to) ? dkt_buf_error(to) : dkt_buf_error(room);
	}
	if (!err) {
		text = dkt_buf_data(to, &len);
		fwrite(text, 1, len, out);
	}
	dkt_buf_free(to);
	dkt_buf_free(room);
	return err;
}

int shown_object(struct json_object *object, FILE *out)
{
	const char *json = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY);
	int err = json ? shown_json(json, out) : -ENOMEM;

	fputc('\n', out);
	json_object_put(object);
	return err;
}
