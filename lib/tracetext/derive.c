/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derives the fields of events whose format nobody knows from the words of their lines. */
#include "lib/tracetext/format.h"

#include <ctype.h>

#include "lib/base/parse.h"

/* ---- words ---- */

struct pair {
	const char *key, *value;
	size_t key_len, value_len;
};

/* True if a key can begin after this character. */
static bool is_before_key(char c)
{
	return strchr(" [({<,;:", c);
}

/* Sets the value of "KEY=VALUE", which can be in quotes or end a bracket. Names of processes have spaces. */
static void take_value(const char *from, const char *end, struct pair *pair)
{
	const bool is_comm = pair->key_len >= 4 &&
			     !memcmp(pair->key + pair->key_len - 4, "comm", 4);
	const char *stop = from;
	const char *quote =
		from < end && *from == '"' ? memchr(from + 1, '"', (size_t)(end - from - 1)) : NULL;

	if (quote) {
		pair->value = from + 1;
		pair->value_len = (size_t)(quote - from - 1);
		return;
	}
	for (; stop < end; stop++) {
		const char *next = stop + 1;

		if (*stop != ' ')
			continue;
		while (next < end && dkt__in_name(*next))
			next++;
		if (!is_comm || (next < end && next > stop + 1 && *next == '='))
			break;
	}
	while (stop > from &&
	       (strchr(",;", stop[-1]) ||
		(strchr(")]}>", stop[-1]) &&
		 !memchr(from, "([{<"[strchr(")]}>", stop[-1]) - ")]}>"], (size_t)(stop - from)))))
		stop--;
	pair->value = from;
	pair->value_len = (size_t)(stop - from);
}

/* Takes "KEY NUMBER", where the number can be one as "254,0". */
static bool take_spaced(const char *from, const char *end, struct pair *pair)
{
	const char *stop = from;

	if (from < end && *stop == '-')
		stop++;
	if (stop == end || !isdigit((unsigned char)*stop))
		return false;
	while (stop < end && (isxdigit((unsigned char)*stop) || strchr("x,:.", *stop)))
		stop++;
	if (stop < end && *stop != ' ' && *stop != ')' && *stop != ']')
		return false;
	while (strchr(",:.", stop[-1]))
		stop--;
	pair->value = from;
	pair->value_len = (size_t)(stop - from);
	return true;
}

/* Finds the next pair at or after *p, and moves *p after it. */
static bool next_pair(const char **p, const char *begin, const char *end, struct pair *pair)
{
	while (*p < end) {
		const char *key = *p, *stop = key;

		while (stop < end && dkt__in_name(*stop))
			stop++;
		*p = DKT__MAX(stop, key + 1);
		if (stop == key || stop == end || isdigit((unsigned char)*key) ||
		    (key > begin && !is_before_key(key[-1])))
			continue;
		*pair = (struct pair){ .key = key, .key_len = (size_t)(stop - key) };
		if (*stop == '=' && (stop + 1 == end || stop[1] != '='))
			take_value(stop + 1, end, pair);
		else if (*stop != ' ' || !take_spaced(stop + 1, end, pair))
			continue;
		*p = pair->value + pair->value_len;
		return true;
	}
	return false;
}

/* ---- values ---- */

static bool all_hex(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)p[i]))
			return false;
	return true;
}

/* Reads a number as the kernel prints it, also an address without a prefix. A zero before it is of a string. */
static bool read_number(const struct pair *pair, uint64_t *value, bool *negative)
{
	const char *p = pair->value, *end = p + pair->value_len;
	bool minus = pair->value_len > 1 && *p == '-';
	int err;

	*negative = minus;
	if (pair->value_len > 2 && p[0] == '0' && p[1] == 'x') {
		err = dkt__take_u64(&p, end, DKT__HEX, value);
		return !err && p == end;
	}
	if (pair->value_len == 16 && all_hex(p, 16))
		return !dkt__take_u64(&p, end, DKT__HEX, value) && p == end;
	p += minus;
	if (p == end || (*p == '0' && p + 1 < end))
		return false;
	err = dkt__take_u64(&p, end, DKT__DEC, value);
	if (err || p != end || (minus && *value > INT64_MAX))
		return false;
	*value = minus ? -*value : *value;
	return true;
}

/* ---- keys ---- */

static struct dkt__derived_key *find(const struct dkt__derived_keys *keys, const struct pair *pair)
{
	for (size_t i = 0; i < keys->n; i++)
		if (!strncmp(keys->list[i].name, pair->key, pair->key_len) &&
		    !keys->list[i].name[pair->key_len])
			return &keys->list[i];
	return NULL;
}

/* The text itself is the field msg, and the names of common fields are taken. */
static bool is_taken(const struct pair *pair)
{
	return pair->key_len >= DKT__DERIVED_NAME ||
	       (pair->key_len == 3 && !memcmp(pair->key, "msg", 3)) ||
	       (pair->key_len > 7 && !memcmp(pair->key, "common_", 7));
}

static int add(struct dkt__derived_keys *keys, const struct pair *pair,
	       struct dkt__derived_key **key)
{
	struct dkt__derived_key added = { .name = "" };

	*key = NULL;
	if (keys->n == DKT__DERIVED_MAX || is_taken(pair))
		return 0;
	memcpy(added.name, pair->key, pair->key_len);
	if (dkt__append(keys->list, keys->n, added))
		return -ENOMEM;
	*key = &keys->list[keys->n - 1];
	return 0;
}

static void note_value(struct dkt__derived_key *key, const struct pair *pair)
{
	bool negative;
	uint64_t value;

	if (key->type == DKT__DERIVED_STRING)
		return;
	if (!read_number(pair, &value, &negative))
		key->type = DKT__DERIVED_STRING;
	else if (negative)
		key->type = DKT__DERIVED_SIGNED;
	else
		key->is_large |= value > INT64_MAX;
}

int dkt__derive_keys(struct dkt__derived_keys *keys, const struct dkt__line *line)
{
	const char *p = line->text, *end = p + line->text_len;
	struct dkt__derived_key *key;
	struct pair pair;
	int err;

	keys->lines++;
	while (next_pair(&p, line->text, end, &pair)) {
		key = find(keys, &pair);
		err = key ? 0 : add(keys, &pair, &key);
		if (err)
			return err;
		/* The first of several values in a line counts. */
		if (!key || key->lines == keys->lines)
			continue;
		if (key->lines != keys->lines - 1)
			key->type = DKT__DERIVED_STRING;
		key->lines = keys->lines;
		note_value(key, &pair);
	}
	return 0;
}

void dkt__derive_types(struct dkt__derived_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++) {
		struct dkt__derived_key *key = &keys->list[i];

		if (key->lines != keys->lines ||
		    (key->type == DKT__DERIVED_SIGNED && key->is_large))
			key->type = DKT__DERIVED_STRING;
	}
}

/* ---- records ---- */

/* A number, or where a string is. */
#define SLOT 8

void dkt__derive_format(const struct dkt__derived_keys *keys, uint32_t offset, struct dkt_buf *buf)
{
	static const char *const types[] = { "u64 ", "s64 ", "__data_loc char[] " };

	for (size_t i = 0; i < keys->n; i++, offset += SLOT) {
		const struct dkt__derived_key *key = &keys->list[i];

		dkt_buf_printf(buf, "\tfield:%s%s;\toffset:%u;\tsize:%d;\tsigned:%d;\n",
			       types[key->type], key->name, offset,
			       key->type == DKT__DERIVED_STRING ? 4 : SLOT,
			       key->type != DKT__DERIVED_UNSIGNED);
	}
}

/* Appends a string. Returns the size then. */
static uint32_t put_string(const struct pair *pair, uint8_t *data, uint32_t at, uint32_t size,
			   uint32_t room)
{
	const uint32_t len = (uint32_t)pair->value_len + 1;
	const uint32_t where = len << 16 | size;

	if (pair->value_len >= UINT16_MAX || size > UINT16_MAX || size + len > room)
		return size;
	memcpy(data + at, &where, sizeof(where));
	memcpy(data + size, pair->value, pair->value_len);
	data[size + pair->value_len] = '\0';
	return size + len;
}

uint32_t dkt__derive_put(const struct dkt__derived_keys *keys, const struct dkt__line *line,
			 uint32_t offset, uint8_t *data, uint32_t size, uint32_t room)
{
	const char *p = line->text, *end = p + line->text_len;
	bool done[DKT__DERIVED_MAX] = { false }, negative;
	const struct dkt__derived_key *key;
	struct pair pair;
	uint64_t value;

	while (next_pair(&p, line->text, end, &pair)) {
		key = find(keys, &pair);
		if (!key || done[key - keys->list])
			continue;
		done[key - keys->list] = true;
		if (key->type == DKT__DERIVED_STRING)
			size = put_string(&pair, data, offset + SLOT * (uint32_t)(key - keys->list),
					  size, room);
		else if (read_number(&pair, &value, &negative))
			memcpy(data + offset + SLOT * (key - keys->list), &value, sizeof(value));
	}
	return size;
}
