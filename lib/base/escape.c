/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Escapes text from records, files and names before it is shown. */
#include "lib/base/escape.h"
#include "lib/base/buf.h"

/* The maximum of characters for one escaped byte. */
#define ESCAPE_ROOM 6

/* ---- characters ---- */

/*
 * Not shown, besides ASCII's controls: C1 controls, and invisible characters of Unicode that join,
 * divide or reverse visible text: zero widths, marks, separators and embeddings.
 */
static const uint32_t hidden[][2] = {
	/* clang-format off */
	{ 0x0080, 0x009f },
	{ 0x061c, 0x061c },
	{ 0x200b, 0x200f },
	{ 0x2028, 0x202e },
	{ 0x2060, 0x206f },
	{ 0xfeff, 0xfeff },
	/* clang-format on */
};

/* Returns the length of the UTF-8 character at p, or 0, and sets *code. */
static unsigned int decode(const char *p, size_t len, uint32_t *code)
{
	const uint8_t *u = (const uint8_t *)p;
	uint32_t c = u[0], least;
	unsigned int n;

	*code = c;
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (len < n)
		return 0;
	c &= 0x7fU >> n;
	for (unsigned int i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	/* Reject overlong forms, surrogates, and codes beyond the last. */
	least = n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000;
	if (c < least || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*code = c;
	return n;
}

unsigned int dkt__utf8_len(const char *p, size_t len)
{
	uint32_t code;

	return decode(p, len, &code);
}

struct dkt__char dkt__char_at(const char *p, size_t len)
{
	uint32_t code;
	unsigned int n = decode(p, len, &code);
	struct dkt__char c = { .code = code, .len = (uint8_t)DKT__MAX(n, 1), .is_utf8 = n };

	c.shown = n && code >= 0x20 && code != 0x7f;
	for (unsigned int i = 0; n > 1 && i < ARRAY_SIZE(hidden); i++)
		if (code >= hidden[i][0] && code <= hidden[i][1])
			c.shown = false;
	return c;
}

void dkt__add_utf8(struct dkt_buf *buf, const char *text, size_t len)
{
	size_t i = 0, from;

	while (i < len) {
		unsigned int n = 1;

		for (from = i; i < len; i += n) {
			n = dkt__utf8_len(text + i, len - i);
			if (!n || (text[i] == '\\' && i + 1 < len && text[i + 1] == 'x'))
				break;
		}
		dkt__buf_add(buf, text + from, i - from);
		if (i == len)
			break;
		dkt__buf_add(buf, "\\x", 2);
		dkt__buf_hex(buf, (uint8_t)text[i++], 2, '0');
	}
}

char *dkt__put_escape(char *p, struct dkt__char c)
{
	bool wide = c.is_utf8 && c.code >= 0x80;

	*p++ = '\\';
	*p++ = wide ? 'u' : 'x';
	return dkt__put_hex_digits(p, c.code, wide ? 4 : 2);
}

/* ---- lines ---- */

/* Writes text with unprintable characters escaped; with lines, newlines stay. */
static char *put_text(char *p, const char *text, size_t len, bool lines)
{
	size_t i = 0;

	while (i < len) {
		struct dkt__char c = dkt__char_at(text + i, len - i);

		if (c.shown || (lines && c.code == '\n')) {
			memcpy(p, text + i, c.len);
			p += c.len;
		} else if (c.code == '\n' || c.code == '\t') {
			*p++ = '\\';
			*p++ = c.code == '\n' ? 'n' : 't';
		} else {
			p = dkt__put_escape(p, c);
		}
		i += c.len;
	}
	return p;
}

static void add_text(struct dkt_buf *buf, const char *text, size_t len, bool lines)
{
	char *p = NULL;

	if (dkt__likely(dkt__is_plain(text, len))) {
		dkt__buf_add(buf, text, len);
		return;
	}
	if (len < SIZE_MAX / ESCAPE_ROOM - 16)
		p = dkt__buf_room(buf, len * ESCAPE_ROOM + 16);
	if (p)
		buf->len = (size_t)(put_text(p, text, len, lines) - buf->data);
	else if (buf)
		buf->err = -ENOMEM;
}

void dkt_buf_text(struct dkt_buf *buf, const char *text, size_t len)
{
	if (text)
		add_text(buf, text, len, false);
}

void dkt__buf_escape(struct dkt_buf *buf, size_t from)
{
	if (!buf)
		return;

	char *copy __cleanup(free) = NULL;
	size_t n = buf->len - from;
	bool newline;

	if (buf->err || !n)
		return;
	newline = buf->data[buf->len - 1] == '\n';
	n -= newline;
	if (dkt__likely(dkt__is_plain(buf->data + from, n)))
		return;
	copy = malloc(n);
	if (!copy) {
		buf->err = -ENOMEM;
		return;
	}
	memcpy(copy, buf->data + from, n);
	buf->len = from;
	add_text(buf, copy, n, false);
	if (newline)
		dkt__buf_add(buf, "\n", 1);
}

/* ---- words ---- */

char *dkt__words(const char *fmt, va_list ap)
{
	bool lines = strchr(fmt, '\n') || !strcmp(fmt, "%s");
	char *text = dkt__vformat(fmt, ap);
	struct dkt_buf buf = { 0 };
	size_t len = text ? strlen(text) : 0;

	if (!text || dkt__is_plain(text, len))
		return text;
	add_text(&buf, text, len, lines);
	free(text);
	return dkt__buf_take(&buf);
}

/* ---- cells ---- */

/* True for a number as people write it: "-5" or "+1.5e3". */
static bool is_number(const char *text, size_t len)
{
	size_t i = 0, digits = 0;

	i += len && (text[0] == '-' || text[0] == '+');
	for (; i < len && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.'); i++)
		digits += text[i] != '.';
	return digits && i == len;
}

/* True for text that a spreadsheet would evaluate. */
static bool is_formula(const char *text, size_t len)
{
	return len && (*text == '=' || *text == '+' || *text == '-' || *text == '@') &&
	       !is_number(text, len);
}

static bool is_plain_cell(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == ',' ||
		    text[i] == '\\')
			return false;
	return !is_formula(text, len);
}

char *dkt__put_cell(char *p, const char *text, size_t len)
{
	size_t i = 0;

	if (is_plain_cell(text, len)) {
		dkt__copy_few(p, text, len);
		return p + len;
	}
	*p++ = '"';
	if (is_formula(text, len))
		*p++ = '\'';
	while (i < len) {
		struct dkt__char c = dkt__char_at(text + i, len - i);
		bool escape = c.code == '\\' && i + 1 < len &&
			      (text[i + 1] == 'x' || text[i + 1] == 'u');

		if (c.code == '"')
			*p++ = '"';
		if (!c.shown || escape) {
			p = dkt__put_escape(p, c);
		} else {
			memcpy(p, text + i, c.len);
			p += c.len;
		}
		i += c.len;
	}
	*p++ = '"';
	return p;
}

char *dkt__put_raw_cell(char *p, const char *text, size_t len)
{
	const char *end = text + len;

	if (!memchr(text, '"', len) && !memchr(text, ',', len) && !memchr(text, '\n', len) &&
	    !memchr(text, '\r', len)) {
		memcpy(p, text, len);
		return p + len;
	}
	*p++ = '"';
	while (text < end) {
		if (*text == '"')
			*p++ = '"';
		*p++ = *text++;
	}
	*p++ = '"';
	return p;
}

void dkt__buf_cell(struct dkt_buf *buf, const char *text, size_t len)
{
	char *p = NULL;

	if (!buf || !text)
		return;
	if (len < SIZE_MAX / ESCAPE_ROOM - 32)
		p = dkt__buf_room(buf, len * ESCAPE_ROOM + 32);
	if (p)
		buf->len = (size_t)(dkt__put_cell(p, text, len) - buf->data);
	else
		buf->err = -ENOMEM;
}
