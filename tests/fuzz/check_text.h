/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that json and csv are valid; aborts if not. */
#ifndef DKT_CHECK_TEXT_H
#define DKT_CHECK_TEXT_H

#include <json.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/replay.h"

/* A line is an object. */
static inline void check_json(const char *text, size_t len)
{
	const char *end = text + len, *line;

	while (text < end) {
		struct json_object *object;
		char *copy;

		line = memchr(text, '\n', (size_t)(end - text));
		must(line);
		copy = strndup(text, (size_t)(line - text));
		must(copy && strlen(copy) == (size_t)(line - text));
		object = json_tokener_parse(copy);
		must(object && json_object_is_type(object, json_type_object));
		json_object_put(object);
		free(copy);
		text = line + 1;
	}
}

/* Bytes of UTF-8 that show something: no control, no bidi control, not broken; 0 else. */
static inline size_t shown_char(const unsigned char *p, size_t len)
{
	uint32_t code;
	size_t n, i;

	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] != 0x7f;
	n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	if (!n || n > len)
		return 0;
	code = p[0] & (0x7fU >> n);
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < 0xa0 || code == 0x61c || code == 0x200e || code == 0x200f ||
	    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
		return 0;
	return n;
}

/* Lines that nothing in them ends, hides or turns round; end is what ends them. */
static inline void check_shown(const char *text, size_t len, const char *end)
{
	size_t i, n, end_len = strlen(end);

	for (i = 0; i < len; i += n) {
		n = len - i >= end_len && !memcmp(text + i, end, end_len) ?
			    end_len :
			    shown_char((const unsigned char *)text + i, len - i);
		must(n);
	}
	must(!len || (len >= end_len && !memcmp(text + len - end_len, end, end_len)));
}

/* Skips a cell; *rest is the text after it. False: the cell is invalid by RFC 4180. */
static inline bool csv_cell(const char *p, const char *end, const char **rest)
{
	if (p < end && *p == '"') {
		for (p++; p < end; p++) {
			if (*p != '"')
				continue;
			if (p + 1 == end || p[1] != '"')
				break;
			p++;
		}
		if (p >= end)
			return false;
		*rest = p + 1;
		return true;
	}
	while (p < end && *p != ',' && *p != '\r') {
		if (*p == '"' || *p == '\n')
			return false;
		p++;
	}
	*rest = p;
	return true;
}

/* Tables of RFC 4180, each with a header of as many cells as its rows. */
static inline void check_csv(const char *p, size_t len)
{
	unsigned int cells = 0, last = 0;
	const char *end = p + len;
	bool header = false;

	while (p < end) {
		const char *from = p;

		must(csv_cell(p, end, &p));
		if (!cells)
			header = p - from == 6 && !memcmp(from, "system", 6);
		cells++;
		must(p < end);
		if (*p == ',') {
			p++;
			continue;
		}
		must(end - p >= 2 && p[0] == '\r' && p[1] == '\n');
		p += 2;
		/* A header is followed by a row of its table. */
		if (last)
			must(!header && cells == last);
		last = header ? cells : 0;
		cells = 0;
	}
	must(!cells && !last);
}

#endif
