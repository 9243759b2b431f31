/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for an expression that is wrong: the place under a caret, and what was perhaps meant. */
#include <strings.h>

#include "expr.h"

#include "banned.h"

/* Of a long expression, this much is shown before and after the place. */
#define SHOW_BEFORE 60
#define SHOW_AFTER  40

static bool starts_char(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Appends "\n  text\n  ^" with one column for each character, whatever bytes are in the text. */
static void show_place(struct dkt_buf *buf, const char *text, uint32_t at)
{
	size_t len = strlen(text), from = 0, to = len, i, column = 2;

	if (len > SHOW_BEFORE + SHOW_AFTER) {
		from = at > SHOW_BEFORE ? at - SHOW_BEFORE : 0;
		to = DKT__MIN(len, (size_t)at + SHOW_AFTER);
	}
	while (from && !starts_char(text[from]))
		from--;
	while (to < len && !starts_char(text[to]))
		to++;
	dkt_buf_str(buf, from ? "\n  ..." : "\n  ");
	column += from ? 3 : 0;
	for (i = from; i < to; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c == 0x7f)
			c = ' ';
		dkt_buf_add(buf, &c, 1);
		column += i < at && starts_char(text[i]);
	}
	dkt_buf_str(buf, to < len ? "...\n" : "\n");
	for (i = 0; i < column; i++)
		dkt_buf_str(buf, " ");
	dkt_buf_str(buf, "^");
}

int expr__fail(const struct dkt_expr *expr, int err, uint32_t at, const char *fmt, ...)
{
	char *words __cleanup(free) = NULL;
	struct dkt_buf buf = { 0 };
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&words, fmt, ap);
	va_end(ap);
	if (n < 0) {
		words = NULL;
		return -ENOMEM;
	}
	show_place(&buf, expr->text, at);
	if (!buf.err)
		dkt_fail(expr->ctx, err, "filter: %s%.*s", words, (int)buf.len, buf.data);
	else
		dkt_fail(expr->ctx, err, "filter: %s", words);
	free(buf.data);
	return err;
}

/* ---- did you mean ---- */

/* Letters to add, drop, change or swap with their neighbour; words are short. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][64], i, j, cost;
	unsigned int m = (unsigned int)strlen(a), n = (unsigned int)strlen(b);
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *spare;

	for (j = 0; j <= n; j++)
		last[j] = j;
	for (i = 1; i <= m; i++) {
		row[0] = i;
		for (j = 1; j <= n; j++) {
			cost = last[j - 1] + (a[i - 1] != b[j - 1]);
			cost = DKT__MIN(cost, last[j] + 1);
			cost = DKT__MIN(cost, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cost = DKT__MIN(cost, before[j - 2] + 1);
			row[j] = cost;
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[n];
}

/* True if the candidate is the word with something before or after an underscore. */
static bool is_part(const char *word, const char *candidate)
{
	size_t len = strlen(word);
	const char *p = candidate;

	if (len < 2)
		return false;
	while ((p = strstr(p, word))) {
		if ((p == candidate || p[-1] == '_') && (!p[len] || p[len] == '_'))
			return true;
		p++;
	}
	return false;
}

void expr__guess_start(struct expr_guess *guess, const char *word, size_t len)
{
	memset(guess, 0, sizeof(*guess));
	if (len >= sizeof(guess->word))
		return;
	memcpy(guess->word, word, len);
	guess->cost = DKT__MIN(1 + (unsigned int)len / 4, 3) + 1;
}

void expr__guess_try(struct expr_guess *guess, const char *candidate)
{
	size_t len = strlen(candidate), word = strlen(guess->word);
	unsigned int cost;

	if (!word || !len || len >= sizeof(guess->best))
		return;
	if (!strcasecmp(guess->word, candidate) || is_part(guess->word, candidate))
		cost = 1;
	else
		cost = distance(guess->word, candidate);
	/* A word all of whose letters change is not meant. */
	if (cost >= guess->cost || cost >= word)
		return;
	guess->cost = cost;
	memcpy(guess->best, candidate, len + 1);
}

const char *expr__guess_words(struct expr_guess *guess, char room[static 96])
{
	int n = 0;

	if (guess->best[0])
		n = snprintf(room, 96, "; did you mean %s?", guess->best);
	return n > 0 && n < 96 ? room : "";
}
