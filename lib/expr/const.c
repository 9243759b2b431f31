/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values in expressions: numbers, units, and names of numbers. */
#include "lib/base/parse.h"
#include "lib/expr.h"

static bool skip_spaces(const char *text, uint32_t *at, uint32_t end)
{
	while (*at < end && dkt__expr_is_space(text[*at]))
		(*at)++;
	return *at < end;
}

bool dkt__expr_next_item(const struct dkt_expr *expr, struct expr_span span, uint32_t *at,
			 struct expr_item *item)
{
	uint32_t end = span.at + span.len, start;

	if (!skip_spaces(expr->text, at, end))
		return false;
	start = *at;
	while (*at < end && expr->text[*at] != '|' && !dkt__expr_is_space(expr->text[*at]))
		(*at)++;
	memset(item, 0, sizeof(*item));
	item->span = (struct expr_span){ .at = start, .len = *at - start };
	item->negative = expr->text[start] == '-';
	item->is_number = dkt__expr_is_digit(expr->text[start + item->negative]);
	if (skip_spaces(expr->text, at, end))
		(*at)++;
	return true;
}

int dkt__expr_read_number(const struct dkt_expr *expr, struct expr_item *item)
{
	const char *p = expr->text + item->span.at + item->negative;
	const char *end = expr->text + item->span.at + item->span.len;
	const char *digits = p;
	uint64_t factor;
	int err;

	if (item->span.len > EXPR_MAX_NUMBER)
		return -ERANGE;
	err = dkt__take_u64(&p, end, DKT__AS_C, &item->magnitude);
	if (err || p == end)
		return err;
	factor = dkt__time_unit(p, (size_t)(end - p)) ?: dkt__size_unit(p, (size_t)(end - p));
	if (*digits == '0' || !factor)
		return -EINVAL;
	item->has_unit = true;
	return __builtin_mul_overflow(item->magnitude, factor, &item->magnitude) ? -ERANGE : 0;
}

int dkt__expr_constant(struct dkt_expr *expr, struct dkt_event *event,
		       const struct dkt_field *field, const struct expr_item *item, uint64_t *value)
{
	const char *start = expr->text + item->span.at + item->negative;
	size_t len = item->span.len - item->negative;
	char *word __cleanup(free) = strndup(start, len);
	struct dkt__guess guess;
	int err = -ENOENT;

	if (!word)
		return dkt__no_memory(expr->ctx);
	dkt__guess_start(&guess, start, len);
	if (expr->opts.constant)
		err = expr->opts.constant(expr->opts.data, field->name, word, value);
	if (err == -ENOENT)
		err = dkt__expr_print_name(event, field->name, word, value, &guess) ||
				      dkt__expr_built_in(event, field->name, word, value, &guess) ?
			      0 :
			      -ENOENT;
	if (!err && item->negative)
		*value = -*value;
	if (err == -ENOENT)
		return dkt__expr_fail(expr, -EINVAL, item->span.at,
				      "%s is not a number, nor the name of one for %s%s", word,
				      field->name, dkt__guess_words(&guess));
	if (err && err != -ENOMEM)
		return dkt__expr_fail(expr, err, item->span.at, "%s: %s", word, strerror(-err));
	return dkt__with_words(expr->ctx, err);
}
