/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a print format backwards: creates a record from its text. The matcher follows the plan's
 * steps through the text. It backtracks where a string could end earlier or a condition could be
 * different. A record is accepted only if it prints as the same text.
 */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/plan/derived.h"
#include "lib/symbol.h"

/* The values that one text may have; a print format may print a field more than once. */
#define VALUES_MAX 128

/* Limits on the steps tried for one text and on their recursion: a text can be hostile. */
#define TRIES_MAX 4000
#define DEPTH_MAX 400

/* The value of one field, as found in the text. */
struct field_value {
	const struct dkt__bytes *bytes; /* of a string; NULL: a number */
	uint32_t offset;
	uint8_t load; /* enum dkt__load */
	uint64_t number;
	const char *text;
	uint32_t len;
};

struct unprint {
	struct dkt_event *event;
	const struct dkt__plan *plan;
	const char *text, *end;
	uint8_t *data;
	uint32_t room, size;
	struct field_value values[VALUES_MAX];
	size_t n_values;
	unsigned int tries, depth;
	struct dkt_buf buf;
};

static bool match(struct unprint *u, const struct dkt__step *step, const char *p);

/* ---- values of fields ---- */

static bool add_value(struct unprint *u, const struct field_value *value)
{
	if (u->n_values == VALUES_MAX)
		return false;
	u->values[u->n_values++] = *value;
	return true;
}

/* Notes that the print format prints the value as that number; false: it cannot. */
static bool add_number(struct unprint *u, const struct dkt__value *value, uint64_t number)
{
	struct dkt__derived from;

	if (value->load == DKT__LOAD_CONST)
		return value->constant == number;
	/* Other expressions add no value; comparing the texts verifies them. */
	if (!dkt__derived_read(value, &from) || !dkt__derived_invert(&from, &number))
		return true;
	return add_value(u, &(struct field_value){
				    .offset = from.offset, .load = from.load, .number = number });
}

/* ---- the record ---- */

/* Sets bits and clears none, because the text may show a field in parts. */
static bool store_number(struct unprint *u, const struct field_value *value)
{
	uint32_t size = dkt__load_size(value->load);
	uint64_t old;

	if (value->offset > u->room || u->room - value->offset < size)
		return false;
	old = (uint64_t)dkt__load_at(u->data + value->offset, value->load);
	dkt__put_number(u->data + value->offset, old | value->number, size);
	u->size = DKT__MAX(u->size, value->offset + size);
	return true;
}

static bool store_text(struct unprint *u, const struct field_value *value)
{
	const struct dkt__bytes *bytes = value->bytes;
	bool fixed = bytes->kind == DKT__BYTES_FIXED;
	uint32_t at = bytes->offset, word;

	if (bytes->kind == DKT__BYTES_DYNAMIC || bytes->kind == DKT__BYTES_RELATIVE)
		at = u->size;
	if (fixed && bytes->size && value->len >= bytes->size)
		return false;
	if (at > u->room || u->room - at < value->len + 1)
		return false;
	memcpy(u->data + at, value->text, value->len);
	u->data[at + value->len] = '\0';
	u->size = DKT__MAX(u->size, at + (fixed ? bytes->size : value->len + 1));
	if (bytes->kind == DKT__BYTES_DYNAMIC || bytes->kind == DKT__BYTES_RELATIVE) {
		if (bytes->kind == DKT__BYTES_RELATIVE)
			at -= bytes->offset + 4;
		word = (value->len + 1) << 16 | at;
		memcpy(u->data + bytes->offset, &word, sizeof(word));
	}
	return true;
}

/* Returns the size of the fields without the contents of dynamic ones. */
static uint32_t fixed_size(const struct dkt_event *event)
{
	const struct tep_format_field *field = event->tep->format.fields;
	uint32_t size = 8;

	for (; field; field = field->next)
		if (field->offset >= 0 && field->size >= 0)
			size = DKT__MAX(size, (uint32_t)field->offset + (uint32_t)field->size);
	return size;
}

static bool is_hex(const char *p, const char *end)
{
	return p < end && isxdigit((unsigned char)*p);
}

/* Parses a hexadecimal number, with or without 0x. Returns its end; NULL: not a number. */
static const char *parse_hex(const char *p, const char *end, uint64_t *number)
{
	if (end - p > 2 && p[0] == '0' && p[1] == 'x')
		p += 2;
	if (!is_hex(p, end))
		return NULL;
	for (*number = 0; is_hex(p, end); p++)
		*number = *number << 4 | (uint64_t)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
	return p;
}

/* Ignores 0x, leading zeros and spaces at the end, which the kernel and trace-cmd write differently. */
static bool same_text(const char *a, const char *a_end, const char *b, const char *b_end)
{
	bool in_word = false; /* the character before belongs to a word */
	uint64_t x, y;

	while (a < a_end && b < b_end) {
		const char *p = in_word ? NULL : parse_hex(a, a_end, &x);
		const char *q = p ? parse_hex(b, b_end, &y) : NULL;

		if (q && x == y) {
			a = p;
			b = q;
			in_word = true;
			continue;
		}
		if (*a != *b)
			return false;
		in_word = isalnum((unsigned char)*a);
		a++;
		b++;
	}
	while (a < a_end && *a == ' ')
		a++;
	while (b < b_end && *b == ' ')
		b++;
	return a == a_end && b == b_end;
}

/* Assembles the record; true if it prints as the text. */
static bool prints_as_text(struct unprint *u)
{
	struct dkt_record record = { .event = u->event, .data = u->data };

	u->size = DKT__MAX(fixed_size(u->event), u->plan->need);
	if (u->size > u->room)
		return false;
	memset(u->data + 8, 0, u->room - 8);
	for (size_t i = 0; i < u->n_values; i++)
		if (u->values[i].bytes ? !store_text(u, &u->values[i]) :
					 !store_number(u, &u->values[i]))
			return false;
	record.size = u->size;
	dkt_buf_reset(&u->buf);
	dkt_record_text(&record, &u->buf);
	return !u->buf.err && same_text(u->buf.data, u->buf.data + u->buf.len, u->text, u->end);
}

/* ---- steps ---- */

static const char *skip_space(const struct unprint *u, const char *p)
{
	while (p < u->end && *p == ' ')
		p++;
	return p;
}

/* Parses a number after spaces and a minus. Returns its end; NULL: not a number. */
static const char *take_number(const struct unprint *u, const char *p, unsigned int base,
			       uint64_t *number)
{
	bool minus;

	p = skip_space(u, p);
	minus = p < u->end && *p == '-';
	p += minus;
	if (dkt__take_u64(&p, u->end, base, number))
		return NULL;
	*number = minus ? 0 - *number : *number;
	return p;
}

static bool match_number(struct unprint *u, const struct dkt__step *step, const char *p)
{
	unsigned int base = 10;
	const char *begin = p;
	uint64_t number;

	if (step->op == DKT__STEP_HEX || step->op == DKT__STEP_HEX_ZERO ||
	    step->op == DKT__STEP_POINTER)
		base = 16;
	if (step->op == DKT__STEP_INT)
		base = step->spec->base;
	p = take_number(u, p, base, &number);
	if (!p)
		return false;
	if (step->op == DKT__STEP_INT && step->spec->left)
		while (p < u->end && *p == ' ' && p - begin < step->spec->width)
			p++;
	return add_number(u, &step->value, number) && match(u, step + 1, p);
}

/* The string may end wherever the literal after it begins. */
static bool match_string(struct unprint *u, const struct dkt__step *step, const char *p)
{
	const struct dkt__step *next = step + 1;
	struct field_value value = { .bytes = &step->bytes, .text = p };
	const char *q = p;
	size_t n = u->n_values;

	for (; q <= u->end; q++) {
		if (next->literal_len) {
			q = memmem(q, (size_t)(u->end - q), next->literal, next->literal_len);
			if (!q)
				return false;
		} else if (next->op == DKT__STEP_END) {
			q = u->end;
		}
		value.len = (uint32_t)(q - p);
		u->n_values = n;
		if (add_value(u, &value) && match(u, step + 1, q))
			return true;
		if (u->tries > TRIES_MAX)
			return false;
	}
	return false;
}

/* The print format prints a value without a name as a number. */
static bool match_symbolic(struct unprint *u, const struct dkt__step *step, const char *p)
{
	size_t n = u->n_values;

	for (uint32_t k = 0; k < step->table->n; k++) {
		const struct dkt__name *name = &step->table->names[k];

		if (name->len > (size_t)(u->end - p) || memcmp(p, name->text, name->len))
			continue;
		u->n_values = n;
		if (add_number(u, &step->value, name->value) && match(u, step + 1, p + name->len))
			return true;
	}
	u->n_values = n;
	return match_number(u, step, p);
}

/* Returns the longest name of a bit that the text has at p, or NULL. */
static const struct dkt__name *find_flag(const struct unprint *u, const struct dkt__table *table,
					 const char *p)
{
	const struct dkt__name *found = NULL;

	for (uint32_t k = 0; k < table->n; k++) {
		const struct dkt__name *name = &table->names[k];

		if (name->len && name->len <= (size_t)(u->end - p) &&
		    !memcmp(p, name->text, name->len) && (!found || name->len > found->len))
			found = name;
	}
	return found;
}

static bool match_flags(struct unprint *u, const struct dkt__step *step, const char *p)
{
	const struct dkt__table *table = step->table;
	const struct dkt__name *name;
	const char *q;
	uint64_t bits = 0, rest;

	while (p < u->end) {
		name = find_flag(u, table, p);
		q = name ? p + name->len : NULL;
		if (name)
			bits |= name->value;
		else if (u->end - p > 2 && p[0] == '0' && p[1] == 'x')
			q = take_number(u, p, 16, &rest);
		if (!q)
			break;
		if (!name)
			bits |= rest;
		p = q;
		if (!table->delim_len || (size_t)(u->end - p) < table->delim_len ||
		    memcmp(p, table->delim, table->delim_len))
			break;
		p += table->delim_len;
	}
	return add_number(u, &step->value, bits) && match(u, step + 1, p);
}

/* "name+0x1c/0x40 [module]": dkt__symbol_create() invents an address for the name. */
static bool match_function(struct unprint *u, const struct dkt__step *step, const char *p)
{
	size_t len = 0;
	uint64_t address;

	while (p + len < u->end && !strchr(" ,):", p[len]))
		len++;
	if ((size_t)(u->end - p) > len + 2 && p[len] == ' ' && p[len + 1] == '[') {
		const char *close = memchr(p + len, ']', (size_t)(u->end - p) - len);

		len = close ? (size_t)(close - p) + 1 : len;
	}
	if (!len)
		return false;
	if (p[0] == '0' && len > 1 && p[1] == 'x')
		return take_number(u, p, 16, &address) && add_number(u, &step->value, address) &&
		       match(u, step + 1, p + len);
	address = dkt__symbol_create(u->event->ctx, p, len);
	return address && add_number(u, &step->value, address) && match(u, step + 1, p + len);
}

/* Tries the steps of a true condition, with the bit set that it tests, then those of a false one. */
static bool match_unless(struct unprint *u, const struct dkt__step *step, const char *p)
{
	struct dkt__derived from;
	size_t n = u->n_values;
	bool added = true;

	if (dkt__derived_read(&step->value, &from) && from.n_ops == 1 &&
	    from.ops[0].op == DKT__CODE_AND && __builtin_popcountll(from.ops[0].constant) == 1)
		added = add_number(u, &step->value, from.ops[0].constant);
	if (added && match(u, step + 1, p))
		return true;
	/* A field may show only in the condition, as "handled" or "unhandled" for a bool. */
	u->n_values = n;
	if (step->value.load != DKT__LOAD_CODE && add_number(u, &step->value, 1) &&
	    match(u, step + 1, p))
		return true;
	u->n_values = n;
	return match(u, u->plan->steps + step->target, p);
}

static bool match_padding(struct unprint *u, const struct dkt__step *step, const char *p)
{
	const char *q = skip_space(u, p);
	size_t n = u->n_values;

	for (; q >= p; q--) {
		u->n_values = n;
		if (match(u, step + 1, q))
			return true;
	}
	return false;
}

static bool match_op(struct unprint *u, const struct dkt__step *step, const char *p)
{
	struct field_value value = { .offset = step->value.offset, .load = step->value.load };

	switch (step->op) {
	case DKT__STEP_END:
		return skip_space(u, p) == u->end && prints_as_text(u);
	case DKT__STEP_TEXT:
		return match(u, step + 1, p);
	case DKT__STEP_DEC:
	case DKT__STEP_UDEC:
	case DKT__STEP_HEX:
	case DKT__STEP_HEX_ZERO:
	case DKT__STEP_INT:
	case DKT__STEP_POINTER:
		return match_number(u, step, p);
	case DKT__STEP_CHAR:
		value.number = p < u->end ? (uint8_t)*p : 0;
		return value.load < DKT__LOAD_CODE && value.load != DKT__LOAD_CONST && p < u->end &&
		       add_value(u, &value) && match(u, step + 1, p + 1);
	case DKT__STEP_COMM:
	case DKT__STEP_STRING:
		return match_string(u, step, p);
	case DKT__STEP_SYMBOLIC:
		return match_symbolic(u, step, p);
	case DKT__STEP_FLAGS:
		return match_flags(u, step, p);
	case DKT__STEP_FUNCTION:
		return match_function(u, step, p);
	case DKT__STEP_UNLESS:
		return match_unless(u, step, p);
	case DKT__STEP_JUMP:
		return match(u, u->plan->steps + step->target, p);
	case DKT__STEP_PAD_BEGIN:
	case DKT__STEP_PAD_END:
		return match_padding(u, step, p);
	default:
		return false;
	}
}

/* True if this step and those after it print the text from p on. */
static bool match(struct unprint *u, const struct dkt__step *step, const char *p)
{
	size_t left = (size_t)(u->end - p), len = step->literal_len;
	bool matched;

	if (u->depth > DEPTH_MAX || u->tries++ > TRIES_MAX)
		return false;
	/* A line lacks the spaces and the newline at the end of a print format. */
	while (step->op == DKT__STEP_END && len > left &&
	       (step->literal[len - 1] == ' ' || step->literal[len - 1] == '\n'))
		len--;
	if (len > left || memcmp(p, step->literal, len))
		return false;
	u->depth++;
	matched = match_op(u, step, p + len);
	u->depth--;
	return matched;
}

uint32_t dkt__unprint(struct dkt_event *event, const char *text, size_t len, uint8_t *data,
		      uint32_t room)
{
	const struct dkt__plan *plan = dkt__plan_get(event);
	struct unprint u = { .event = event,
			     .plan = plan,
			     .text = text,
			     .end = text + len,
			     .data = data,
			     .room = room };
	bool good = plan && plan->way == DKT__PLAN_STEPS && match(&u, plan->steps, text);

	dkt__starve(event->ctx, u.buf.err);
	free(u.buf.data);
	return good ? u.size : 0;
}
