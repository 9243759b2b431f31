/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Error messages for an invalid expression, with a caret under the wrong part. */
#include "lib/base/escape.h"
#include "lib/expr.h"

/* A long text is shortened to this number of bytes before and after the place. */
#define SHOW_BEFORE 60
#define SHOW_AFTER  40

static bool starts_char(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Appends "  text\n  ^" with one column for each character, whatever bytes are in the text. */
static void show_place(struct dkt_buf *buf, const char *text, uint32_t at)
{
	size_t len = strlen(text), from = 0, to = len, column = 2;

	if (len > SHOW_BEFORE + SHOW_AFTER) {
		from = at > SHOW_BEFORE ? at - SHOW_BEFORE : 0;
		to = DKT__MIN(len, (size_t)at + SHOW_AFTER);
	}
	while (from && !starts_char(text[from]))
		from--;
	while (to < len && !starts_char(text[to]))
		to++;
	dkt_buf_str(buf, from ? "  ..." : "  ");
	column += from ? 3 : 0;
	for (size_t i = from; i < to;) {
		struct dkt__char c = dkt__char_at(text + i, to - i);

		/* A character that cannot be shown takes one column, too. */
		dkt__buf_add(buf, c.shown ? text + i : " ", c.shown ? c.len : 1);
		column += i < at;
		i += c.len;
	}
	dkt_buf_str(buf, to < len ? "...\n" : "\n");
	for (size_t i = 0; i < column; i++)
		dkt_buf_str(buf, " ");
	dkt_buf_str(buf, "^");
}

static DKT_PRINTF(6, 0) int fail_at(struct dkt_ctx *ctx, int err, const char *option,
				    const char *text, uint32_t at, const char *fmt, va_list ap)
{
	char *words __cleanup(free) = dkt__words(fmt, ap);
	struct dkt_buf buf = { 0 };

	if (!words)
		return dkt__no_memory(ctx);
	show_place(&buf, text, at);
	if (!buf.err)
		dkt_fail(ctx, err, "%s: %s\n%.*s", option, words, (int)buf.len, buf.data);
	else
		dkt_fail(ctx, err, "%s: %s", option, words);
	free(buf.data);
	return err;
}

int dkt__expr_fail(const struct dkt_expr *expr, int err, uint32_t at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = fail_at(expr->ctx, err, "filter", expr->text, at, fmt, ap);
	va_end(ap);
	return err;
}

int dkt__fail_at(struct dkt_ctx *ctx, int err, const char *option, const char *text, size_t at,
		 const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = fail_at(ctx, err, option, text, (uint32_t)at, fmt, ap);
	va_end(ap);
	return err;
}
