/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values in expressions: numbers, units and names that stand for numbers. */
#include "expr.h"

#include "base/banned.h"

static bool skip_spaces(const char *text, uint32_t *at, uint32_t end)
{
	while (*at < end && expr__is_space(text[*at]))
		(*at)++;
	return *at < end;
}

bool expr__next_item(const struct dkt_expr *expr, struct expr_span span, uint32_t *at,
		     struct expr_item *item)
{
	uint32_t end = span.at + span.len, start;

	if (!skip_spaces(expr->text, at, end))
		return false;
	start = *at;
	while (*at < end && expr->text[*at] != '|' && !expr__is_space(expr->text[*at]))
		(*at)++;
	memset(item, 0, sizeof(*item));
	item->span = (struct expr_span){ .at = start, .len = *at - start };
	item->negative = expr->text[start] == '-';
	item->is_number = expr__is_digit(expr->text[start + item->negative]);
	if (skip_spaces(expr->text, at, end))
		(*at)++;
	return true;
}

static int digit_value(char c)
{
	if (expr__is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static uint64_t unit_factor(const char *unit, size_t len)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = {
		{ "ns", 1 },         { "us", 1000 },      { "ms", 1000000 },
		{ "s", 1000000000 }, { "k", 1ULL << 10 }, { "M", 1ULL << 20 },
		{ "G", 1ULL << 30 }, { "T", 1ULL << 40 }, { "K", 1ULL << 10 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == len && !memcmp(units[i].name, unit, len))
			return units[i].factor;
	return 0;
}

int expr__read_number(const struct dkt_expr *expr, struct expr_item *item)
{
	const char *p = expr->text + item->span.at + item->negative;
	const char *end = expr->text + item->span.at + item->span.len;
	unsigned int base = 10;
	uint64_t factor = 1;

	if (item->span.len > EXPR_MAX_NUMBER)
		return -ERANGE;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		base = 16;
		p += 2;
	} else if (*p == '0') {
		base = 8;
	}
	for (; p < end && (unsigned int)digit_value(*p) < base; p++)
		if (__builtin_mul_overflow(item->magnitude, base, &item->magnitude) ||
		    __builtin_add_overflow(item->magnitude, (uint64_t)digit_value(*p),
					   &item->magnitude))
			return -ERANGE;
	if (p == end)
		return 0;
	factor = base == 10 ? unit_factor(p, (size_t)(end - p)) : 0;
	if (!factor)
		return -EINVAL;
	item->has_unit = true;
	return __builtin_mul_overflow(item->magnitude, factor, &item->magnitude) ? -ERANGE : 0;
}

static int ask_caller(struct dkt_expr *expr, const char *field, const char *word, uint64_t *value)
{
	if (!expr->opts.constant)
		return -ENOENT;
	return expr->opts.constant(expr->opts.data, field, word, value);
}

int expr__constant(struct dkt_expr *expr, struct dkt_event *event, const struct dkt_field *field,
		   const struct expr_item *item, uint64_t *value)
{
	const char *start = expr->text + item->span.at + item->negative;
	size_t len = item->span.len - item->negative;
	char *word __cleanup(free) = strndup(start, len);
	struct dkt_guess guess;
	int err;

	if (!word)
		return -ENOMEM;
	dkt_guess_start(&guess, start, len);
	err = ask_caller(expr, field->name, word, value);
	if (err == -ENOENT)
		err = expr__print_name(event, field->name, word, value, &guess) ||
				      expr__built_in(event, field->name, word, value, &guess) ?
			      0 :
			      -ENOENT;
	if (!err && item->negative)
		*value = -*value;
	if (err == -ENOENT)
		return expr__fail(expr, -EINVAL, item->span.at,
				  "%s is no number, and no name of one for %s%s", word, field->name,
				  dkt_guess_words(&guess));
	if (err && err != -ENOMEM)
		return expr__fail(expr, err, item->span.at, "%s: %s", word, strerror(-err));
	return err;
}
