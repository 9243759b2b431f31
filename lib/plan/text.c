/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plan steps that print numbers with a width, names of bits, arrays and addresses. */
#include "lib/plan.h"
#include "lib/symbol.h"

/* ---- padding ---- */

#define MAX_WIDTH 4096 /* limits a width that comes from a record */

/* Returns the spec with the width and precision that arguments give, as printf reads them. */
static struct dkt__spec spec_of(const struct dkt__run *run, const struct dkt__spec *from)
{
	struct dkt__spec spec = *from;

	if (spec.width_value) {
		spec.width = (int32_t)dkt__run_value(run, spec.width_value);
		if (spec.width < 0) {
			spec.left = true;
			spec.width = spec.width == INT32_MIN ? INT32_MAX : -spec.width;
		}
	}
	if (spec.precision_value)
		spec.precision = (int32_t)dkt__run_value(run, spec.precision_value);
	spec.width = DKT__MIN(spec.width, MAX_WIDTH);
	return spec;
}

static void put_fill(struct dkt__run *run, char c, int n)
{
	if (n <= 0 || !dkt__run_room(run, (size_t)n))
		return;
	memset(run->p, c, (size_t)n);
	run->p += n;
}

void dkt__run_pad(struct dkt__run *run, const struct dkt__step *step, size_t mark)
{
	struct dkt__spec spec = spec_of(run, step->spec);
	size_t len = (size_t)(run->p - run->buf->data) - mark, fill;

	if (spec.precision >= 0 && len > (size_t)spec.precision) {
		len = (size_t)spec.precision;
		run->p = run->buf->data + mark + len;
	}
	if (spec.width < 0 || len >= (size_t)spec.width)
		return;
	fill = (size_t)spec.width - len;
	put_fill(run, ' ', (int)fill);
	if (spec.left || (size_t)(run->p - run->buf->data) != mark + len + fill)
		return;
	memmove(run->p - len, run->buf->data + mark, len);
	memset(run->buf->data + mark, ' ', fill);
}

/* ---- integers ---- */

int dkt__int_digits(const struct dkt__spec *spec, uint64_t v, char *text)
{
	char *p = text;
	int n = 0;
	char swap;

	if (!v && !spec->precision)
		return 0;
	if (spec->base == 16) {
		p = dkt__put_hex(text, v);
	} else if (spec->base == 10) {
		p = dkt__put_dec(text, v);
	} else {
		do {
			*p++ = (char)('0' + (v & 7));
			v >>= 3;
		} while (v);
		for (n = 0; n < (p - text) / 2; n++) {
			swap = text[n];
			text[n] = p[-1 - n];
			p[-1 - n] = swap;
		}
	}
	if (spec->upper)
		for (n = 0; n < p - text; n++)
			if (text[n] >= 'a')
				text[n] = (char)(text[n] - 'a' + 'A');
	return (int)(p - text);
}

static const char *int_prefix(const struct dkt__spec *spec, uint64_t v, bool negative)
{
	if (spec->is_signed)
		return negative ? "-" : spec->plus ? "+" : spec->space ? " " : "";
	if (spec->alt && spec->base == 16 && v)
		return spec->upper ? "0X" : "0x";
	return "";
}

void dkt__run_int(struct dkt__run *run, const struct dkt__step *step)
{
	struct dkt__spec spec = spec_of(run, step->spec);
	uint64_t v = dkt__run_value(run, &step->value);
	bool negative = spec.is_signed && (int64_t)v < 0;
	const char *prefix = int_prefix(&spec, v, negative);
	int digits, zeros, fill, sign = (int)strlen(prefix);
	char text[24];

	digits = dkt__int_digits(&spec, negative ? 0 - v : v, text);
	zeros = DKT__MIN(spec.precision, MAX_WIDTH) - digits;
	if (spec.alt && spec.base == 8 && zeros <= 0 && (!digits || text[0] != '0'))
		zeros = 1;
	zeros = zeros > 0 ? zeros : 0;
	fill = spec.width - digits - zeros - sign;
	if (fill > 0 && spec.zero && !spec.left && spec.precision < 0) {
		zeros += fill;
		fill = 0;
	}
	if (!spec.left)
		put_fill(run, ' ', fill);
	dkt__run_put(run, prefix, (size_t)sign);
	put_fill(run, '0', zeros);
	dkt__run_put(run, text, (size_t)digits);
	if (spec.left)
		put_fill(run, ' ', fill);
}

void dkt__run_0x(struct dkt__run *run, uint64_t v)
{
	if (!dkt__run_room(run, 18))
		return;
	memcpy(run->p, "0x", 2);
	run->p = dkt__put_hex(run->p + 2, v);
}

/* ---- names ---- */

void dkt__run_flags(struct dkt__run *run, const struct dkt__step *step)
{
	const struct dkt__table *table = step->table;
	uint64_t v = dkt__run_value(run, &step->value);
	bool first = true;

	for (uint32_t i = 0; i < table->n && v; i++) {
		const struct dkt__name *name = &table->names[i];

		if ((v & name->value) != name->value)
			continue;
		if (!first)
			dkt__run_put(run, table->delim, table->delim_len);
		first = false;
		dkt__run_put(run, name->text, name->len);
		v &= ~name->value;
	}
	if (!v)
		return;
	if (!first)
		dkt__run_put(run, table->delim, table->delim_len);
	dkt__run_0x(run, v);
}

/* ---- addresses ---- */

void dkt__run_kernel_string(struct dkt__run *run, const struct dkt__step *step)
{
	uint64_t address = dkt__run_value(run, &step->value);
	const char *text = dkt__kernel_string(run->ctx, address);

	if (text)
		dkt__run_put(run, text, strlen(text));
	else if (dkt__run_room(run, 16))
		run->p = dkt__put_hex(run->p, address);
}

void dkt__run_pointer(struct dkt__run *run, const struct dkt__step *step)
{
	uint64_t v = dkt__run_value(run, &step->value);

	if (v)
		dkt__run_0x(run, v);
	else
		dkt__run_put(run, "(nil)", 5);
}

void dkt__run_function(struct dkt__run *run, const struct dkt__step *step)
{
	uint64_t address = dkt__run_value(run, &step->value), offset;
	const char *name = dkt_symbol_name(run->ctx, address, &offset);

	if (!name) {
		dkt__run_0x(run, address);
		return;
	}
	dkt__run_put(run, name, strlen(name));
	if (step->kind || dkt__symbol_is_file(name)) {
		dkt__run_putc(run, '+');
		dkt__run_0x(run, offset);
	}
}

void dkt__function_text(struct dkt_ctx *ctx, uint64_t address, bool with_offset,
			struct dkt_buf *buf)
{
	const struct dkt__step step = { .kind = with_offset,
					.value = { .load = DKT__LOAD_CONST, .constant = address } };
	struct dkt__run run = { .ctx = ctx, .buf = buf, .p = dkt__buf_room(buf, 64) };

	if (!run.p)
		return;
	run.end = buf->data + buf->size;
	dkt__run_function(&run, &step);
	buf->len = (size_t)(run.p - buf->data);
}

/* ---- arrays ---- */

void dkt__run_hex(struct dkt__run *run, const struct dkt__step *step)
{
	uint32_t len;
	const uint8_t *p = dkt__run_bytes(run, &step->bytes, &len);
	uint64_t count = step->count ? (uint32_t)dkt__run_value(run, step->count) : len;

	len = (uint32_t)DKT__MIN(count, len);
	if (!dkt__run_room(run, (size_t)len * 3 + 16))
		return;
	for (uint32_t i = 0; i < len; i++) {
		if (i && step->kind)
			*run->p++ = (char)step->kind;
		run->p = dkt__put_hex_digits(run->p, p[i], 2);
	}
}

void dkt__run_array(struct dkt__run *run, const struct dkt__step *step)
{
	uint64_t element = dkt__run_value(run, step->element);
	uint8_t load = dkt__plan_load((unsigned int)element, false);
	uint32_t len, n;
	const uint8_t *p = dkt__run_bytes(run, &step->bytes, &len);
	uint64_t count = step->count ? (uint32_t)dkt__run_value(run, step->count) : len;

	if (element > 8 || load == DKT__LOAD_CONST) {
		dkt__run_put(run, "{bad size}", 10);
		return;
	}
	n = (uint32_t)DKT__MIN(count, len / element);
	dkt__run_putc(run, '{');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			dkt__run_putc(run, ',');
		dkt__run_0x(run, dkt__load_at(p + i * element, load));
	}
	dkt__run_putc(run, '}');
}

/* ---- bitmaps ---- */

/* Returns byte i, counted from the lowest bit; a bitmap consists of words in CPU byte order. */
static uint8_t bitmap_byte(const uint8_t *p, uint32_t len, uint32_t i)
{
#if DKT__BIG_ENDIAN
	return p[len - 1 - i];
#else
	(void)len;
	return p[i];
#endif
}

/* Returns the bytes of a bitmap, their number, and the number of bits in use. */
static const uint8_t *bitmap_bytes(const struct dkt__run *run, const struct dkt__step *step,
				   uint32_t *len, uint32_t *bits)
{
	const uint8_t *p = dkt__run_bytes(run, &step->bytes, len);
	uint64_t count = step->count ? (uint32_t)dkt__run_value(run, step->count) : UINT32_MAX;

	*bits = (uint32_t)DKT__MIN(count, *len * UINT64_C(8));
	return p;
}

void dkt__run_bitmask(struct dkt__run *run, const struct dkt__step *step)
{
	uint32_t len, bits;
	const uint8_t *p = bitmap_bytes(run, step, &len, &bits);

	if (!dkt__run_room(run, (size_t)len * 3 + 16))
		return;
	for (uint32_t i = (bits + 3) / 4; i--;) {
		*run->p++ = "0123456789abcdef"[bitmap_byte(p, len, i / 2) >> i % 2 * 4 & 15];
		if (i && !(i & 7))
			*run->p++ = ',';
	}
}

void dkt__run_bitlist(struct dkt__run *run, const struct dkt__step *step)
{
	uint32_t len, end, bits;
	const uint8_t *p = bitmap_bytes(run, step, &len, &bits);
	bool first = true;

	for (uint32_t bit = 0; bit < bits; bit = end + 1) {
		for (end = bit; end < bits && bitmap_byte(p, len, end / 8) >> end % 8 & 1; end++)
			;
		if (end == bit || !dkt__run_room(run, 48))
			continue;
		if (!first)
			*run->p++ = ',';
		first = false;
		run->p = dkt__put_dec(run->p, bit);
		if (end > bit + 1) {
			*run->p++ = '-';
			run->p = dkt__put_dec(run->p, end - 1);
		}
	}
}
