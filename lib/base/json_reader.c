/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads JSON value by value, as RFC 8259 defines it. */
#include "lib/base/json_reader.h"

#include "lib/base/parse.h"

/* Values within values. */
#define DEPTH_MAX 32

#define SPACES " \t\r\n"

int dkt__json_wrong(struct dkt__json *json, const char *words)
{
	if (!json->wrong)
		json->wrong = words;
	return -EBADMSG;
}

void dkt__json_clear(struct dkt__json *json)
{
	free(json->text.data);
	*json = (struct dkt__json){ 0 };
}

/* Takes the character, and spaces before it. */
static bool take(struct dkt__json *json, char c)
{
	json->at += strspn(json->at, SPACES);
	if (*json->at != c)
		return false;
	json->at++;
	return true;
}

/* ---- texts ---- */

static bool take_hex(struct dkt__json *json, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++, json->at++) {
		const char *digits = "0123456789abcdef";
		const char *digit = *json->at ? strchr(digits, *json->at | 0x20) : NULL;

		if (!digit)
			return false;
		*unit = *unit << 4 | (uint32_t)(digit - digits);
	}
	return true;
}

static void put_utf8(struct dkt_buf *buf, uint32_t c)
{
	const char bytes[] = { (char)(0xf0 | c >> 18), (char)(0x80 | (c >> 12 & 63)),
			       (char)(0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63)) };

	if (c < 0x80)
		dkt__buf_add(buf, &(char){ (char)c }, 1);
	else if (c < 0x800)
		dkt__buf_add(buf, (char[]){ (char)(0xc0 | c >> 6), bytes[3] }, 2);
	else if (c < 0x10000)
		dkt__buf_add(buf, (char[]){ (char)(0xe0 | c >> 12), bytes[2], bytes[3] }, 3);
	else
		dkt__buf_add(buf, bytes, 4);
}

/* Takes what follows \u: characters above 16 bits are two units, and a half of one is none. */
static int take_unit(struct dkt__json *json)
{
	uint32_t high, low;

	if (!take_hex(json, &high))
		return dkt__json_wrong(json, "an escape in a text is not right");
	if (!high)
		return dkt__json_wrong(json, "a text has a zero byte");
	if (high >= 0xd800 && high < 0xdc00 && json->at[0] == '\\' && json->at[1] == 'u') {
		json->at += 2;
		if (!take_hex(json, &low))
			return dkt__json_wrong(json, "an escape in a text is not right");
		high = low >= 0xdc00 && low < 0xe000 ?
			       0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) :
			       0xfffd;
	}
	put_utf8(&json->text, high >= 0xd800 && high < 0xe000 ? 0xfffd : high);
	return 0;
}

static int take_escape(struct dkt__json *json)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name = *json->at ? strchr(names, *json->at) : NULL;

	if (name)
		dkt__buf_add(&json->text, &values[name - names], 1);
	else if (*json->at != 'u')
		return dkt__json_wrong(json, "an escape in a text is not right");
	json->at++;
	return name ? 0 : take_unit(json);
}

int dkt__json_text(struct dkt__json *json)
{
	int err = take(json, '"') ? 0 : dkt__json_wrong(json, "a text is of another type");

	dkt_buf_reset(&json->text);
	while (!err && *json->at != '"') {
		size_t n = 0;

		while ((unsigned char)json->at[n] >= ' ' && !strchr("\"\\", json->at[n]))
			n++;
		dkt__buf_add(&json->text, json->at, n);
		json->at += n;
		if (*json->at == '\\') {
			json->at++;
			err = take_escape(json);
		} else if (*json->at != '"') {
			err = dkt__json_wrong(json, "a text does not end");
		}
	}
	if (err)
		return err;
	json->at++;
	dkt__buf_add(&json->text, "", 1);
	if (json->text.err)
		return json->text.err;
	json->text.len--;
	return 0;
}

/* ---- numbers and words ---- */

static size_t digits_at(const char *p)
{
	return strspn(p, "0123456789");
}

/* Returns the length of the number; 0: there is none. */
static size_t number_len(const char *p)
{
	const char *from = p;
	size_t n;

	p += *p == '-';
	n = digits_at(p);
	if (!n || (n > 1 && *p == '0'))
		return 0;
	p += n;
	if (*p == '.') {
		n = digits_at(++p);
		p += n;
	}
	if (n && (*p == 'e' || *p == 'E')) {
		p++;
		p += *p == '+' || *p == '-';
		n = digits_at(p);
		p += n;
	}
	return n ? (size_t)(p - from) : 0;
}

int dkt__json_int(struct dkt__json *json, int64_t *value)
{
	const char *p;
	bool negative;
	uint64_t number;
	size_t n;

	json->at += strspn(json->at, SPACES);
	p = json->at;
	n = number_len(p);
	negative = *p == '-';
	p += negative;
	if (!n || dkt__take_u64(&p, NULL, DKT__DEC, &number) || p != json->at + n ||
	    number > (uint64_t)INT64_MAX + negative)
		return dkt__json_wrong(json, "a number is missing");
	json->at = p;
	*value = negative ? (int64_t)-number : (int64_t)number;
	return 0;
}

static int skip_word(struct dkt__json *json)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t n = number_len(json->at);

	for (size_t i = 0; !n && i < ARRAY_SIZE(words); i++)
		if (!strncmp(json->at, words[i], strlen(words[i])))
			n = strlen(words[i]);
	json->at += n;
	return n ? 0 : dkt__json_wrong(json, "a value is missing");
}

/* ---- objects and arrays ---- */

/* Takes what is between two brackets. */
static int take_list(struct dkt__json *json, const char *brackets, dkt__json_element fn, void *data)
{
	int err = 0;

	if (!take(json, brackets[0]))
		return dkt__json_wrong(json, "a list or an object is of another type");
	if (json->depth == DEPTH_MAX)
		return dkt__json_wrong(json, "values are too deep within others");
	json->depth++;
	if (!take(json, brackets[1])) {
		do {
			err = fn(data, json);
		} while (!err && take(json, ','));
		if (!err && !take(json, brackets[1]))
			err = dkt__json_wrong(json, "a list or an object does not end");
	}
	json->depth--;
	return err;
}

int dkt__json_array(struct dkt__json *json, dkt__json_element fn, void *data)
{
	return take_list(json, "[]", fn, data);
}

struct members {
	dkt__json_member fn;
	void *data;
};

static int take_member(void *data, struct dkt__json *json)
{
	const struct members *members = data;
	int err = dkt__json_text(json);

	if (!err && !take(json, ':'))
		err = dkt__json_wrong(json, "a member has no value");
	return err ? err : members->fn(members->data, json);
}

int dkt__json_object(struct dkt__json *json, dkt__json_member fn, void *data)
{
	return take_list(json, "{}", take_member, &(struct members){ fn, data });
}

static int skip_one(void *data, struct dkt__json *json)
{
	(void)data;
	return dkt__json_skip(json);
}

int dkt__json_skip(struct dkt__json *json)
{
	json->at += strspn(json->at, SPACES);
	switch (*json->at) {
	case '{':
		return dkt__json_object(json, skip_one, NULL);
	case '[':
		return dkt__json_array(json, skip_one, NULL);
	case '"':
		return dkt__json_text(json);
	default:
		return skip_word(json);
	}
}

int dkt__json_end(struct dkt__json *json)
{
	json->at += strspn(json->at, SPACES);
	return *json->at ? dkt__json_wrong(json, "something follows its end") : 0;
}
