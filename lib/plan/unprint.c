/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a print format backwards: makes a record of its text. The plan's steps are matched against
 * the text; the match backtracks where a string could end earlier or a condition could be
 * different. Then the record is printed, and accepted only if the same text results.
 */
#include <ctype.h>

#include "base/parse.h"
#include "event.h"
#include "plan/unprint.h"
#include "symbol.h"

/* Fields of one record, each found at most twice. */
#define SETS_MAX 128

/* Steps that are tried for one text, and how deep they follow each other. */
#define TRIES_MAX 4000
#define DEPTH_MAX 400

/* Operations between a field and what is printed of it. */
#define OPS_MAX 8

/* The kinds of fields that are recognized. */
struct set {
	const struct dkt__bytes *bytes; /* NULL: a number */
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
	struct set sets[SETS_MAX];
	size_t n_sets;
	unsigned int tries;
	struct dkt_buf buf;
};

static bool match(struct unprint *u, uint32_t i, const char *p, unsigned int depth);

/* ---- numbers: from what is printed back to the field ---- */

/* A number on the stack: a constant, or a field with what was done to it. */
struct symbolic {
	bool is_field;
	uint64_t value;
	uint32_t offset;
	uint8_t load;
	struct {
		uint8_t op;
		uint64_t value;
	} ops[OPS_MAX];
	unsigned int n_ops;
};

static bool constant_op(uint8_t op, uint64_t b, struct symbolic *a)
{
	switch (op) {
	case DKT__CODE_ADD:
		a->value += b;
		return true;
	case DKT__CODE_SUB:
		a->value -= b;
		return true;
	case DKT__CODE_SHL:
		a->value <<= b & 63;
		return true;
	case DKT__CODE_SHR:
		a->value >>= b & 63;
		return true;
	case DKT__CODE_AND:
		a->value &= b;
		return true;
	case DKT__CODE_OR:
		a->value |= b;
		return true;
	case DKT__CODE_MUL:
		a->value *= b;
		return true;
	default:
		return false;
	}
}

static bool symbolic_op(const struct dkt__code *code, struct symbolic *a, const struct symbolic *b)
{
	if (b->is_field)
		return false;
	if (!a->is_field)
		return constant_op(code->op, b->value, a);
	if (a->n_ops == OPS_MAX)
		return false;
	a->ops[a->n_ops].op = code->op;
	a->ops[a->n_ops++].value = b->value;
	return true;
}

/* False: it is not a field with constants around it. */
static bool symbolic_of(const struct dkt__value *value, struct symbolic *out)
{
	struct symbolic stack[4];
	const struct dkt__code *code = value->code, *end = code + value->n_code;
	unsigned int n = 0;

	for (; code < end; code++) {
		if (code->op == DKT__CODE_CONST || code->op == DKT__CODE_LOAD) {
			if (n == ARRAY_SIZE(stack))
				return false;
			stack[n++] = (struct symbolic){ .is_field = code->op == DKT__CODE_LOAD,
							.value = code->value,
							.offset = code->bytes.offset,
							.load = code->load };
		} else if (code->op == DKT__CODE_CAST || code->op == DKT__CODE_BOOL) {
			continue;
		} else {
			if (n < 2 || !symbolic_op(code, &stack[n - 2], &stack[n - 1]))
				return false;
			n--;
		}
	}
	if (n != 1 || !stack[0].is_field)
		return false;
	*out = stack[0];
	return true;
}

/* The field's bits that make that number. False: it is not known which. */
static bool invert(const struct symbolic *from, uint64_t *number)
{
	unsigned int i = from->n_ops;

	while (i--) {
		uint64_t value = from->ops[i].value;

		switch (from->ops[i].op) {
		case DKT__CODE_ADD:
			*number -= value;
			break;
		case DKT__CODE_SUB:
			*number += value;
			break;
		case DKT__CODE_AND:
			*number &= value;
			break;
		case DKT__CODE_SHL:
			*number >>= value & 63;
			break;
		case DKT__CODE_SHR:
		case DKT__CODE_SHR_SIGNED:
			*number <<= value & 63;
			break;
		case DKT__CODE_MUL:
			*number = value ? *number / value : 0;
			break;
		case DKT__CODE_DIV:
		case DKT__CODE_DIV_SIGNED:
			*number *= value;
			break;
		default:
			return false;
		}
	}
	return true;
}

static bool add_set(struct unprint *u, const struct set *set)
{
	if (u->n_sets == SETS_MAX)
		return false;
	u->sets[u->n_sets++] = *set;
	return true;
}

/* The print format prints the value as that number. */
static bool set_number(struct unprint *u, const struct dkt__value *value, uint64_t number)
{
	struct symbolic from = { .offset = value->offset, .load = value->load };
	struct set set;

	if (value->load == DKT__LOAD_CONST)
		return value->constant == number;
	/* A value that is computed from several fields is verified by the check of the text. */
	if (value->load == DKT__LOAD_CODE &&
	    (!symbolic_of(value, &from) || !invert(&from, &number)))
		return true;
	set = (struct set){ .offset = from.offset, .load = from.load, .number = number };
	return add_set(u, &set);
}

/* ---- the record that was found ---- */

static uint32_t load_size(uint8_t load)
{
	switch (load) {
	case DKT__LOAD_U8:
	case DKT__LOAD_S8:
		return 1;
	case DKT__LOAD_U16:
	case DKT__LOAD_S16:
		return 2;
	case DKT__LOAD_U32:
	case DKT__LOAD_S32:
		return 4;
	default:
		return 8;
	}
}

/* Bits of one field may come from several places of the text. */
static bool put_number(struct unprint *u, const struct set *set)
{
	uint32_t size = load_size(set->load);
	uint64_t old = 0;

	if (set->offset > u->room || u->room - set->offset < size)
		return false;
	memcpy(&old, u->data + set->offset, size);
	old |= set->number;
	memcpy(u->data + set->offset, &old, size);
	u->size = DKT__MAX(u->size, set->offset + size);
	return true;
}

static bool put_text(struct unprint *u, const struct set *set)
{
	const struct dkt__bytes *bytes = set->bytes;
	bool fixed = bytes->kind == DKT__BYTES_FIXED;
	uint32_t at = bytes->offset, word;

	if (bytes->kind == DKT__BYTES_DYNAMIC || bytes->kind == DKT__BYTES_RELATIVE)
		at = u->size;
	if (fixed && bytes->size && set->len >= bytes->size)
		return false;
	if (at > u->room || u->room - at < set->len + 1)
		return false;
	memcpy(u->data + at, set->text, set->len);
	u->data[at + set->len] = '\0';
	u->size = DKT__MAX(u->size, at + (fixed ? bytes->size : set->len + 1));
	if (bytes->kind == DKT__BYTES_DYNAMIC || bytes->kind == DKT__BYTES_RELATIVE) {
		if (bytes->kind == DKT__BYTES_RELATIVE)
			at -= bytes->offset + 4;
		word = (set->len + 1) << 16 | at;
		memcpy(u->data + bytes->offset, &word, sizeof(word));
	}
	return true;
}

/* The bytes up to the end of all fields, without what dynamic ones point at. */
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

/* A number in hex, with or without 0x and zeroes before it; NULL: none is there. */
static const char *hex(const char *p, const char *end, uint64_t *number)
{
	if (end - p > 2 && p[0] == '0' && p[1] == 'x')
		p += 2;
	if (!is_hex(p, end))
		return NULL;
	for (*number = 0; is_hex(p, end); p++)
		*number = *number << 4 | (uint64_t)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
	return p;
}

/* The kernel and trace-cmd write pointers and system calls in different ways. */
static bool same_text(const char *a, const char *a_end, const char *b, const char *b_end)
{
	bool word = false; /* what is before belongs to a word */
	uint64_t x, y;

	while (a < a_end && b < b_end) {
		const char *p = word ? NULL : hex(a, a_end, &x), *q = p ? hex(b, b_end, &y) : NULL;

		if (q && x == y) {
			a = p;
			b = q;
			word = true;
			continue;
		}
		if (*a != *b)
			return false;
		word = isalnum((unsigned char)*a);
		a++;
		b++;
	}
	while (a < a_end && *a == ' ')
		a++;
	while (b < b_end && *b == ' ')
		b++;
	return a == a_end && b == b_end;
}

/* Puts the record together; true if it prints as the text. */
static bool is_right(struct unprint *u)
{
	struct dkt_record record = { .event = u->event, .data = u->data };

	u->size = DKT__MAX(fixed_size(u->event), u->plan->need);
	if (u->size > u->room)
		return false;
	memset(u->data + 8, 0, u->room - 8);
	for (size_t i = 0; i < u->n_sets; i++)
		if (u->sets[i].bytes ? !put_text(u, &u->sets[i]) : !put_number(u, &u->sets[i]))
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

/* A number in the text, blanks and a minus before it; NULL: there is none. */
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

static bool match_number(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step = &u->plan->steps[i];
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
	return set_number(u, &step->value, number) && match(u, i + 1, p, depth);
}

/* A string ends where what follows it in the format goes on. */
static bool match_string(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step = &u->plan->steps[i], *next = step + 1;
	struct set set = { .bytes = &step->bytes, .text = p };
	const char *q = p;
	size_t n = u->n_sets;

	for (; q <= u->end; q++) {
		if (next->literal_len) {
			q = memmem(q, (size_t)(u->end - q), next->literal, next->literal_len);
			if (!q)
				return false;
		} else if (next->op == DKT__STEP_END) {
			q = u->end;
		}
		set.len = (uint32_t)(q - p);
		u->n_sets = n;
		if (add_set(u, &set) && match(u, i + 1, q, depth))
			return true;
		if (u->tries > TRIES_MAX)
			return false;
	}
	return false;
}

/* Names of values stand alone; what has none is a number. */
static bool match_symbolic(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step = &u->plan->steps[i];
	size_t n = u->n_sets;

	for (uint32_t k = 0; k < step->table->n; k++) {
		const struct dkt__name *name = &step->table->names[k];

		if (name->len > (size_t)(u->end - p) || memcmp(p, name->text, name->len))
			continue;
		u->n_sets = n;
		if (set_number(u, &step->value, name->value) &&
		    match(u, i + 1, p + name->len, depth))
			return true;
	}
	u->n_sets = n;
	return match_number(u, i, p, depth);
}

/* The longest name of a bit there. */
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

static bool match_flags(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step = &u->plan->steps[i];
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
	return set_number(u, &step->value, bits) && match(u, i + 1, p, depth);
}

/* "name+0x1c/0x40 [module]": the name gets an address. */
static bool match_function(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step = &u->plan->steps[i];
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
		return take_number(u, p, 16, &address) && set_number(u, &step->value, address) &&
		       match(u, i + 1, p + len, depth);
	address = dkt__symbol_make(u->event->ctx, p, len);
	return address && set_number(u, &step->value, address) && match(u, i + 1, p + len, depth);
}

/* A condition went one way or the other; the bit that one way stands for is set. */
static bool match_unless(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step = &u->plan->steps[i];
	struct symbolic from;
	size_t n = u->n_sets;
	bool done = true;

	if (step->value.load == DKT__LOAD_CODE && symbolic_of(&step->value, &from) &&
	    from.n_ops == 1 && from.ops[0].op == DKT__CODE_AND &&
	    __builtin_popcountll(from.ops[0].value) == 1)
		done = set_number(u, &step->value, from.ops[0].value);
	if (done && match(u, i + 1, p, depth))
		return true;
	/* "handled" or "unhandled": of the field only this is printed. */
	u->n_sets = n;
	if (step->value.load != DKT__LOAD_CODE && set_number(u, &step->value, 1) &&
	    match(u, i + 1, p, depth))
		return true;
	u->n_sets = n;
	return match(u, step->target, p, depth);
}

static bool match_padding(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const char *q = skip_space(u, p);
	size_t n = u->n_sets;

	for (; q >= p; q--) {
		u->n_sets = n;
		if (match(u, i + 1, q, depth))
			return true;
	}
	return false;
}

static bool match_op(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step = &u->plan->steps[i];
	struct set set = { .offset = step->value.offset, .load = step->value.load };

	switch (step->op) {
	case DKT__STEP_END:
		return skip_space(u, p) == u->end && is_right(u);
	case DKT__STEP_TEXT:
		return match(u, i + 1, p, depth);
	case DKT__STEP_DEC:
	case DKT__STEP_UDEC:
	case DKT__STEP_HEX:
	case DKT__STEP_HEX_ZERO:
	case DKT__STEP_INT:
	case DKT__STEP_POINTER:
		return match_number(u, i, p, depth);
	case DKT__STEP_CHAR:
		set.number = p < u->end ? (uint8_t)*p : 0;
		return set.load < DKT__LOAD_CODE && set.load != DKT__LOAD_CONST && p < u->end &&
		       add_set(u, &set) && match(u, i + 1, p + 1, depth);
	case DKT__STEP_COMM:
	case DKT__STEP_STRING:
		return match_string(u, i, p, depth);
	case DKT__STEP_SYMBOLIC:
		return match_symbolic(u, i, p, depth);
	case DKT__STEP_FLAGS:
		return match_flags(u, i, p, depth);
	case DKT__STEP_FUNCTION:
		return match_function(u, i, p, depth);
	case DKT__STEP_UNLESS:
		return match_unless(u, i, p, depth);
	case DKT__STEP_JUMP:
		return match(u, step->target, p, depth);
	case DKT__STEP_PAD_BEGIN:
	case DKT__STEP_PAD_END:
		return match_padding(u, i, p, depth);
	default:
		return false;
	}
}

/* The steps from there on make the text from there on. */
static bool match(struct unprint *u, uint32_t i, const char *p, unsigned int depth)
{
	const struct dkt__step *step;
	size_t left = (size_t)(u->end - p), len;

	if (i >= u->plan->n_steps || depth > DEPTH_MAX || u->tries++ > TRIES_MAX)
		return false;
	step = &u->plan->steps[i];
	len = step->literal_len;
	/* Space and the newline at the end of a format are not in a line. */
	while (step->op == DKT__STEP_END && len > left &&
	       (step->literal[len - 1] == ' ' || step->literal[len - 1] == '\n'))
		len--;
	if (len > left || memcmp(p, step->literal, len))
		return false;
	return match_op(u, i, p + len, depth + 1);
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
	bool good = plan && plan->way == DKT__PLAN_STEPS && match(&u, 0, text, 0);

	free(u.buf.data);
	return good ? u.size : 0;
}
