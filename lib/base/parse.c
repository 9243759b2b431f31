/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strict conversion of text to numbers: the whole word must be a number in range. */
#include <strings.h>

#include "lib/base/parse.h"

/* A list may not have more numbers: "0-4294967295" is a mistake. */
#define LIST_MAX 65536

/* ---- numbers ---- */

/* Returns 16 or more if p is not at a digit. */
static unsigned int digit_of(const char *p, const char *end)
{
	unsigned int c = p == end ? 0 : (unsigned char)*p;

	if (c - '0' < 10)
		return c - '0';
	c |= 0x20;
	return c - 'a' < 6 ? c - 'a' + 10 : 16;
}

static unsigned int take_base(const char **p, const char *end, unsigned int base)
{
	const char *at = *p;

	if ((base && base != DKT__HEX) || digit_of(at, end))
		return base ? base : DKT__DEC;
	if (at + 1 != end && (at[1] | 0x20) == 'x' && digit_of(at + 2, end) < 16) {
		*p += 2;
		return DKT__HEX;
	}
	return base ? base : 8;
}

int dkt__take_u64(const char **p, const char *end, unsigned int base, uint64_t *value)
{
	const char *at = *p, *start;
	unsigned int digit;
	uint64_t v = 0;
	bool over = false;

	*value = 0;
	base = take_base(&at, end, base);
	for (start = at; (digit = digit_of(at, end)) < base; at++)
		over |= __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v);
	if (at == start)
		return -EINVAL;
	*p = at;
	if (over)
		return -ERANGE;
	*value = v;
	return 0;
}

int dkt__take_s64(const char **p, const char *end, unsigned int base, int64_t *value)
{
	const char *at = *p;
	bool minus = at != end && *at == '-';
	uint64_t v;
	int err;

	at += minus || (at != end && *at == '+');
	*value = 0;
	err = dkt__take_u64(&at, end, base, &v);
	if (err == -EINVAL)
		return err;
	*p = at;
	if (err || v > (uint64_t)INT64_MAX + minus)
		return -ERANGE;
	*value = (int64_t)(minus ? 0 - v : v);
	return 0;
}

int dkt__parse_u64(const char *text, unsigned int base, uint64_t *value)
{
	int err = dkt__take_u64(&text, NULL, base, value);

	if (*text)
		*value = 0;
	return *text ? -EINVAL : err;
}

int dkt__parse_s64(const char *text, unsigned int base, int64_t *value)
{
	int err = dkt__take_s64(&text, NULL, base, value);

	if (*text)
		*value = 0;
	return *text ? -EINVAL : err;
}

int dkt__parse_int(const char *text, int64_t least, int64_t most, int64_t *value)
{
	int err = dkt__parse_s64(text, DKT__DEC, value);

	if (err || (*value >= least && *value <= most))
		return err;
	*value = 0;
	return -ERANGE;
}

uint64_t dkt__line_u64(const char *text, const char *name)
{
	size_t n = strlen(name);
	uint64_t value = 0;

	while (text && strncmp(text, name, n)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (text)
		text += n + strspn(text + n, " \t");
	if (text)
		dkt__take_u64(&text, NULL, DKT__DEC, &value);
	return value;
}

/* ---- amounts with a unit ---- */

struct unit {
	const char *name;
	uint64_t factor;
};

/* The only tables of units. */
static const struct unit times[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", UINT64_C(1000000000) },
	{ "m", UINT64_C(60000000000) },
	{ "h", UINT64_C(3600000000000) },
	{ "d", UINT64_C(86400000000000) },
};

static const struct unit sizes[] = {
	{ "k", UINT64_C(1) << 10 }, { "K", UINT64_C(1) << 10 }, { "M", UINT64_C(1) << 20 },
	{ "G", UINT64_C(1) << 30 }, { "T", UINT64_C(1) << 40 },
};

static uint64_t find_unit(const struct unit *units, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(units[i].name) == len && !memcmp(units[i].name, name, len))
			return units[i].factor;
	return 0;
}

uint64_t dkt__time_unit(const char *name, size_t len)
{
	return find_unit(times, ARRAY_SIZE(times), name, len);
}

uint64_t dkt__size_unit(const char *name, size_t len)
{
	return find_unit(sizes, ARRAY_SIZE(sizes), name, len);
}

int dkt__parse_size(const char *text, uint64_t *bytes)
{
	int err = dkt__take_u64(&text, NULL, DKT__DEC, bytes);
	uint64_t factor = *text ? dkt__size_unit(text, strlen(text)) : 1;

	if (!err && factor && !__builtin_mul_overflow(*bytes, factor, bytes))
		return 0;
	*bytes = 0;
	return err == -EINVAL || !factor ? -EINVAL : -ERANGE;
}

/* Reads digits after a point as parts of a unit; drops parts of a ns. */
static const char *take_fraction(const char *p, uint64_t *digits, uint64_t *parts)
{
	*digits = 0;
	for (*parts = 1; digit_of(p, NULL) < 10; p++)
		if (*parts < UINT64_C(1000000000)) {
			*digits = *digits * 10 + digit_of(p, NULL);
			*parts *= 10;
		}
	return p;
}

int dkt__parse_time(const char *text, uint64_t bare, uint64_t *ns)
{
	int err = dkt__take_u64(&text, NULL, DKT__DEC, ns);
	uint64_t digits = 0, parts = 1, factor;

	if (!err && text[0] == '.' && digit_of(text + 1, NULL) < 10)
		text = take_fraction(text + 1, &digits, &parts);
	factor = *text ? dkt__time_unit(text, strlen(text)) : bare;
	digits = (uint64_t)((unsigned __int128)digits * factor / parts);
	if (!err && factor && !__builtin_mul_overflow(*ns, factor, ns) &&
	    !__builtin_add_overflow(*ns, digits, ns))
		return 0;
	*ns = 0;
	return err == -EINVAL || !factor ? -EINVAL : -ERANGE;
}

/* ---- lists ---- */

int dkt__take_range(const char **p, uint64_t most, uint64_t *first, uint64_t *last)
{
	int err = dkt__take_u64(p, NULL, DKT__DEC, first);

	*last = *first;
	if (!err && **p == '-') {
		++*p;
		err = dkt__take_u64(p, NULL, DKT__DEC, last);
	}
	if (err || *last < *first)
		return err ? err : -EINVAL;
	return *last > most ? -ERANGE : 0;
}

int dkt__parse_list(const char *text, int most, int **list, size_t *n)
{
	uint64_t first, last;
	int *all = NULL, *more;
	size_t len = 0;
	int err;

	*list = NULL;
	*n = 0;
	do {
		err = dkt__take_range(&text, (uint64_t)most, &first, &last);
		if (!err && *text && *text != ',')
			err = -EINVAL;
		if (!err && len + (last - first) >= LIST_MAX)
			err = -ERANGE;
		more = err ? NULL : reallocarray(all, len + last - first + 1, sizeof(*all));
		if (!more) {
			free(all);
			return err ? err : -ENOMEM;
		}
		for (all = more; first <= last; first++)
			all[len++] = (int)first;
	} while (*text++);
	*list = all;
	*n = len;
	return 0;
}
