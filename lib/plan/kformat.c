/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's printf on recorded arguments.
 *
 * Follows lib/vsprintf.c, also where it differs from C: "%.0d" of 0 is "0", "%#x" of 0 is "0x0", a
 * precision does not stop zero padding, a negative precision argument is 0, and an unknown
 * conversion ends the text.
 */
#include "lib/plan/kformat.h"
#include "lib/base/number.h"

/* Limits the width: no message of the kernel is longer, but a damaged width can be. */
#define MAX_WIDTH 4096

/* Marks a string of which only the beginning was recorded. */
#define CUT "..."

/* ---- recorded data ---- */

static bool next_word(struct dkt__kformat *k, uint64_t *word)
{
	const size_t i = k->next;

	*word = 0;
	if (i >= k->args->n)
		return false;
	k->next++;
	if (!k->args->words)
		return false;
	memcpy(word, (const char *)k->args->words + 8 * i, 8);
	return true;
}

bool dkt__kformat_take(struct dkt__kformat *k, const struct dkt__kconv *conv, uint64_t *word)
{
	bool known = next_word(k, word) && !conv->unknown;

	if (!known)
		dkt__kformat_unknown(k, conv, NULL);
	return known;
}

/* Returns the recorded bytes that argument i points to; NULL: not recorded. */
static const void *bytes_behind(const struct dkt__kformat *k, size_t i, size_t *len)
{
	const void *bytes = NULL;

	*len = 0;
	if (k->args->pointee)
		k->args->pointee(k->args->data, i, &bytes, len);
	return *len ? bytes : NULL;
}

const void *dkt__kformat_raw(const struct dkt__kformat *k, size_t i, size_t *len)
{
	const void *bytes = bytes_behind(k, i, len), *more = NULL;
	size_t n = 0;

	if (k->args->sz > offsetof(struct dkt__kprintf_args, raw) && k->args->raw)
		k->args->raw(k->args->data, i, &more, &n);
	if (n <= *len)
		return bytes;
	*len = n;
	return more;
}

/* ---- text ---- */

void dkt__kformat_unknown(struct dkt__kformat *k, const struct dkt__kconv *conv,
			  const uint64_t *address)
{
	dkt__run_putc(&k->run, '<');
	dkt__run_put(&k->run, conv->from, (size_t)(conv->to - conv->from));
	if (address) {
		dkt__run_putc(&k->run, ' ');
		dkt__run_0x(&k->run, *address);
	}
	dkt__run_putc(&k->run, '>');
}

void dkt__kformat_pad(struct dkt__kformat *k, const struct dkt__kconv *conv, size_t mark)
{
	struct dkt__step step = { .spec = &conv->spec };

	if (conv->spec.width >= 0 || conv->spec.precision >= 0)
		dkt__run_pad(&k->run, &step, mark);
}

void dkt__kformat_text(struct dkt__kformat *k, const struct dkt__kconv *conv, const char *text,
		       size_t len)
{
	size_t mark = (size_t)(k->run.p - k->run.buf->data);

	dkt__run_put(&k->run, text, len);
	dkt__kformat_pad(k, conv, mark);
}

bool dkt__kformat_bad(struct dkt__kformat *k, struct dkt__kconv *conv, uint64_t address)
{
	const char *text;

	if (dkt__likely(address - 65536 < UINT64_MAX - 65536 - 4095))
		return false;
	/* IS_ERR_VALUE() */
	if (address >= (uint64_t)-4095 || address < (uint64_t)sysconf(_SC_PAGESIZE))
		text = address ? "(efault)" : "(null)";
	else
		return false;
	/* The kernel limits these texts to 16 bytes. */
	if (conv->spec.precision < 0)
		conv->spec.precision = 16;
	dkt__kformat_text(k, conv, text, strlen(text));
	return true;
}

static void put_string(struct dkt__kformat *k, struct dkt__kconv *conv)
{
	size_t len, n, i = k->next;
	uint64_t address = 0;
	const char *bytes;

	/* The text is enough, also if its address was not recorded. */
	if (!k->args->words && !conv->unknown && bytes_behind(k, i, &len))
		k->next++;
	else if (!dkt__kformat_take(k, conv, &address) || dkt__kformat_bad(k, conv, address))
		return;
	if (!conv->spec.precision) {
		dkt__kformat_text(k, conv, "", 0);
		return;
	}
	bytes = bytes_behind(k, i, &len);
	if (!bytes) {
		dkt__kformat_unknown(k, conv, &address);
		return;
	}
	n = strnlen(bytes, len);
	dkt__kformat_text(k, conv, bytes, n);
	if (dkt__unlikely(n == len) &&
	    (conv->spec.precision < 0 || (size_t)conv->spec.precision > n))
		dkt__run_put(&k->run, CUT, sizeof(CUT) - 1);
}

static void put_char(struct dkt__kformat *k, struct dkt__kconv *conv)
{
	uint64_t word;
	char c;

	if (!dkt__kformat_take(k, conv, &word))
		return;
	c = (char)word;
	conv->spec.precision = -1;
	dkt__kformat_text(k, conv, &c, 1);
}

/* ---- numbers ---- */

static char *put_fill(char *p, char c, int n)
{
	if (n <= 0)
		return p;
	memset(p, c, (size_t)n);
	return p + n;
}

/* Sets the sign or prefix, and returns its length. */
static int prefix_of(const struct dkt__spec *spec, uint64_t v, const char **prefix)
{
	*prefix = "";
	if (spec->is_signed)
		*prefix = (int64_t)v < 0 ? "-" : spec->plus ? "+" : spec->space ? " " : "";
	else if (spec->alt && spec->base == 16)
		*prefix = spec->upper ? "0X" : "0x";
	else if (spec->alt && spec->base == 8 && v)
		*prefix = "0";
	return (int)strlen(*prefix);
}

void dkt__kformat_number(struct dkt__kformat *k, const struct dkt__spec *spec, uint64_t v)
{
	int width = DKT__MIN(spec->width, MAX_WIDTH), least = DKT__MIN(spec->precision, MAX_WIDTH);
	const char *prefix;
	int n_prefix = prefix_of(spec, v, &prefix), n, zeros, fill;
	bool zero = spec->zero && !spec->left;
	char text[24];
	char *p;

	n = dkt__int_digits(spec, spec->is_signed && (int64_t)v < 0 ? 0 - v : v, text);
	zeros = least > n ? least - n : 0;
	fill = width - n_prefix - zeros - n;
	if (!dkt__run_room(&k->run, 2 * MAX_WIDTH + sizeof(text)))
		return;
	p = k->run.p;
	if (!spec->left && !zero)
		p = put_fill(p, ' ', fill);
	memcpy(p, prefix, (size_t)n_prefix);
	p = put_fill(p + n_prefix, '0', (zero && fill > 0 ? fill : 0) + zeros);
	memcpy(p, text, (size_t)n);
	p += n;
	if (spec->left)
		p = put_fill(p, ' ', fill);
	k->run.p = p;
}

/* Truncates an argument to its type and extends it to 64 bits again. */
static uint64_t narrow(uint64_t v, unsigned int size, bool is_signed)
{
	unsigned int shift = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static bool is_plain(const struct dkt__spec *spec)
{
	return spec->width < 0 && spec->precision < 0 && !spec->plus && !spec->space && !spec->alt;
}

static void put_integer(struct dkt__kformat *k, struct dkt__kconv *conv)
{
	const struct dkt__spec *spec = &conv->spec;
	uint64_t v;

	if (!dkt__kformat_take(k, conv, &v))
		return;
	v = narrow(v, conv->size, spec->is_signed);
	if (dkt__unlikely(!is_plain(spec) || spec->base == 8 || spec->upper))
		dkt__kformat_number(k, spec, v);
	else if (!dkt__run_room(&k->run, 24))
		return;
	else if (spec->base == 16)
		k->run.p = dkt__put_hex(k->run.p, v);
	else if (spec->is_signed)
		k->run.p = dkt__put_int(k->run.p, (int64_t)v);
	else
		k->run.p = dkt__put_dec(k->run.p, v);
}

/* ---- the format ---- */

/* Parses a number, or takes the argument for "*"; otherwise leaves value unchanged. */
static const char *parse_number(struct dkt__kformat *k, struct dkt__kconv *conv, const char *p,
				const char *end, int32_t *value)
{
	uint64_t word;

	if (p < end && *p == '*') {
		if (!next_word(k, &word))
			conv->unknown = true;
		*value = (int32_t)word;
		return p + 1;
	}
	if (p < end && *p >= '0' && *p <= '9')
		*value = 0;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		*value = DKT__MIN(*value * 10 + (*p - '0'), 1000000);
	return p;
}

/* Parses flags, width, precision and size. Sets conv->to to the conversion's letter. */
static void parse(struct dkt__kformat *k, struct dkt__kconv *conv, const char *end)
{
	struct dkt__spec *spec = &conv->spec;
	const char *p = dkt__spec_flags(conv->from + 1, end, spec);
	bool star;

	p = parse_number(k, conv, p, end, &spec->width);
	if (spec->width < -1 || (spec->width < 0 && p[-1] == '*')) {
		spec->left = true;
		spec->width = spec->width < -MAX_WIDTH ? MAX_WIDTH : -spec->width;
	}
	if (p < end && *p == '.') {
		star = p + 1 < end && p[1] == '*';
		p = parse_number(k, conv, p + 1, end, &spec->precision);
		if (star && spec->precision < 0)
			spec->precision = 0;
	}
	conv->to = dkt__spec_size(p, end, 8, &conv->size);
}

/* Prints a conversion; false: the kernel ends the text here. */
static bool convert(struct dkt__kformat *k, struct dkt__kconv *conv, const char *end)
{
	struct dkt__spec *spec = &conv->spec;

	parse(k, conv, end);
	if (conv->to >= end)
		return false;
	spec->base = 10;
	switch (*conv->to++) {
	case 'd':
	case 'i':
		spec->is_signed = true;
		break;
	case 'u':
		break;
	case 'x':
		spec->base = 16;
		break;
	case 'X':
		spec->base = 16;
		spec->upper = true;
		break;
	case 'o':
		spec->base = 8;
		break;
	case 's':
		put_string(k, conv);
		return true;
	case 'p':
		dkt__kformat_pointer(k, conv, end);
		return true;
	case 'c':
		put_char(k, conv);
		return true;
	case '%':
		dkt__run_putc(&k->run, '%');
		return true;
	default:
		return false;
	}
	/* For integers the kernel treats a precision of 0 as no precision. */
	if (!spec->precision)
		spec->precision = -1;
	put_integer(k, conv);
	return true;
}

/* Prints the most frequent conversions, without width and flags; false: another conversion. */
static inline bool convert_plain(struct dkt__kformat *k, const char **at, const char *end)
{
	const char *p = *at + 1;
	struct dkt__kconv conv = { .from = *at,
				   .size = 4,
				   .spec = { .width = -1, .precision = -1 } };

	if (end - p >= 3 && *p == 'l') {
		conv.size = 8;
		p += p[1] == 'l' ? 2 : 1;
	}
	if (p >= end)
		return false;
	conv.to = p + 1;
	switch (*p) {
	case 'd':
		conv.spec.is_signed = true;
		conv.spec.base = 10;
		break;
	case 'u':
		conv.spec.base = 10;
		break;
	case 'x':
		conv.spec.base = 16;
		break;
	case 's':
		put_string(k, &conv);
		*at = conv.to;
		return true;
	default:
		return false;
	}
	put_integer(k, &conv);
	*at = conv.to;
	return true;
}

void dkt__kformat_run(struct dkt__kformat *k, const char *fmt, size_t len)
{
	const char *p = fmt, *end = fmt + len, *percent;

	while (p < end) {
		struct dkt__kconv conv;

		percent = memchr(p, '%', (size_t)(end - p));
		dkt__run_put(&k->run, p, (size_t)((percent ? percent : end) - p));
		if (!percent)
			return;
		p = percent;
		if (dkt__likely(convert_plain(k, &p, end)))
			continue;
		conv = (struct dkt__kconv){ .from = p, .spec = { .width = -1, .precision = -1 } };
		if (!convert(k, &conv, end))
			return;
		p = conv.to;
	}
}

void dkt__buf_kprintf(struct dkt_buf *buf, const char *fmt, size_t len,
		      const struct dkt__kprintf_args *args)
{
	static const struct dkt__kprintf_args none = { .sz = sizeof(none) };

	if (!buf || !(fmt || !len))
		return;
	args = args ? args : &none;

	struct dkt__kformat k = { .args = args, .run = { .ctx = args->ctx, .buf = buf } };

	k.run.p = dkt__buf_room(buf, len + 64);
	if (!k.run.p)
		return;
	k.run.end = buf->data + buf->size;
	dkt__kformat_run(&k, fmt, len);
	buf->len = (size_t)(k.run.p - buf->data);
}
