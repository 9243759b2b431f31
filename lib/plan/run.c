/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a plan on a record. */
#include "lib/event.h"
#include "lib/plan.h"

/* ---- expressions ---- */

static uint64_t load_element(const struct dkt__run *run, const struct dkt__code *code,
			     uint64_t index)
{
	uint32_t len;
	const uint8_t *p = dkt__run_bytes(run, &code->bytes, &len);

	if (index >= len / code->element)
		return 0;
	return dkt__load_at(p + index * code->element, code->load);
}

/* Divides as the CPU does, but returns a number where the CPU would trap. */
static uint64_t divide(uint8_t op, uint64_t a, uint64_t b)
{
	if (!b)
		return 0;
	switch (op) {
	case DKT__CODE_DIV:
		return a / b;
	case DKT__CODE_MOD:
		return a % b;
	case DKT__CODE_DIV_SIGNED:
		return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
	default:
		return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
	}
}

static uint64_t binary(const struct dkt__code *code, uint64_t a, uint64_t b)
{
	switch (code->op) {
	case DKT__CODE_ADD:
		return a + b;
	case DKT__CODE_SUB:
		return a - b;
	case DKT__CODE_MUL:
		return a * b;
	case DKT__CODE_SHL:
		return a << (b & code->value);
	case DKT__CODE_SHR:
		return a >> (b & code->value);
	case DKT__CODE_SHR_SIGNED:
		return (uint64_t)((int64_t)a >> (b & code->value));
	case DKT__CODE_AND:
		return a & b;
	case DKT__CODE_OR:
		return a | b;
	case DKT__CODE_XOR:
		return a ^ b;
	case DKT__CODE_EQ:
		return a == b;
	case DKT__CODE_NE:
		return a != b;
	case DKT__CODE_LT:
		return a < b;
	case DKT__CODE_LT_SIGNED:
		return (int64_t)a < (int64_t)b;
	case DKT__CODE_LE:
		return a <= b;
	case DKT__CODE_LE_SIGNED:
		return (int64_t)a <= (int64_t)b;
	case DKT__CODE_LOGIC_AND:
		return a && b;
	case DKT__CODE_LOGIC_OR:
		return a || b;
	default:
		return divide(code->op, a, b);
	}
}

uint64_t dkt__plan_code(const struct dkt__run *run, const struct dkt__code *code, uint32_t n)
{
	uint64_t stack[DKT__CODE_DEPTH], *top = stack;
	const struct dkt__code *end = code + n;
	uint32_t len;

	/* top points one above the last number pushed. */
	for (; code < end; code++) {
		switch (code->op) {
		case DKT__CODE_CONST:
			*top++ = code->value;
			break;
		case DKT__CODE_LOAD:
			*top++ = dkt__load_at(run->data + code->bytes.offset, code->load);
			break;
		case DKT__CODE_DYN_LEN:
			dkt__run_bytes(run, &code->bytes, &len);
			*top++ = len;
			break;
		case DKT__CODE_INDEX:
			top[-1] = load_element(run, code, top[-1]);
			break;
		case DKT__CODE_CAST:
			top[-1] = dkt__cast(top[-1], code->load);
			break;
		case DKT__CODE_BOOL:
			top[-1] = !!top[-1];
			break;
		case DKT__CODE_NOT:
			top[-1] = !top[-1];
			break;
		case DKT__CODE_SELECT:
			top -= 2;
			top[-1] = top[-1] ? top[0] : top[1];
			break;
		default:
			top--;
			top[-1] = binary(code, top[-1], top[0]);
		}
	}
	return top[-1];
}

/* ---- the output buffer ---- */

bool dkt__run_grow(struct dkt__run *run, size_t n)
{
	char *p;

	run->buf->len = (size_t)(run->p - run->buf->data);
	p = dkt__buf_room(run->buf, n);
	if (!p)
		return false;
	run->p = p;
	run->end = run->buf->data + run->buf->size;
	return true;
}

/* ---- steps ---- */

/* Returns the index of the first zero byte of the word in memory; 8: no byte is zero. */
static unsigned int zero_byte(uint64_t word)
{
	uint64_t low = UINT64_C(0x0101010101010101), zeros;

#if DKT__BIG_ENDIAN
	word = __builtin_bswap64(word);
#endif
	/* The bits above the first zero byte can be wrong. */
	zeros = (word - low) & ~word & low << 7;
	return zeros ? (unsigned int)__builtin_ctzll(zeros) / 8 : 8;
}

/* Copies up to DKT__COMM_BYTES; DKT__STEP_ROOM leaves room for all of them. */
static char *put_comm(char *p, const uint8_t *from)
{
	unsigned int n;
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	memcpy(p, &word, sizeof(word));
	n = zero_byte(word);
	if (n == 8) {
		memcpy(&word, from + 8, sizeof(word));
		memcpy(p + 8, &word, sizeof(word));
		n += zero_byte(word);
	}
	return p + n;
}

static void run_string(struct dkt__run *run, const struct dkt__step *step)
{
	uint32_t len;
	const uint8_t *from = dkt__run_bytes(run, &step->bytes, &len);

	dkt__run_put(run, from, strnlen((const char *)from, len));
}

static const struct dkt__name *find_name(const struct dkt__table *table, uint64_t v)
{
	uint32_t low = 0, high = table->n, mid;

	if (!table->sorted) {
		for (mid = 0; mid < table->n; mid++)
			if (table->names[mid].value == v)
				return &table->names[mid];
		return NULL;
	}
	while (low < high) {
		mid = low + (high - low) / 2;
		if (table->names[mid].value < v)
			low = mid + 1;
		else
			high = mid;
	}
	return low < table->n && table->names[low].value == v ? &table->names[low] : NULL;
}

void dkt__run_symbolic(struct dkt__run *run, const struct dkt__step *step)
{
	uint64_t v = dkt__run_value(run, &step->value);
	const struct dkt__name *name = find_name(step->table, v);

	if (name)
		dkt__run_put(run, name->text, name->len);
	else
		dkt__run_0x(run, v);
}

static inline char *put_literal(char *p, const struct dkt__step *step)
{
	uint32_t n = step->literal_len;

	/* Most literals are short: a copy of a fixed size is faster than a call. */
	memcpy(p, step->literal, 16);
	if (dkt__unlikely(n > 16))
		memcpy(p + 16, step->literal + 16, n - 16);
	return p + n;
}

/* Most numbers are whole words: load those without a switch. */
static inline uint64_t value_of(const struct dkt__run *run, const struct dkt__step *step)
{
	uint64_t word;

	if (step->value.load != DKT__LOAD_U64)
		return dkt__run_value(run, &step->value);
	memcpy(&word, run->data + step->value.offset, sizeof(word));
	return word;
}

/* The steps that are not short, but for those that pad. */
static void (*const rare[])(struct dkt__run *run, const struct dkt__step *step) = {
	[DKT__STEP_STRING] = run_string,
	[DKT__STEP_SYMBOLIC] = dkt__run_symbolic,
	[DKT__STEP_FLAGS] = dkt__run_flags,
	[DKT__STEP_INT] = dkt__run_int,
	[DKT__STEP_KERNEL_STRING] = dkt__run_kernel_string,
	[DKT__STEP_BYTES_HEX] = dkt__run_hex,
	[DKT__STEP_ARRAY] = dkt__run_array,
	[DKT__STEP_BITMASK] = dkt__run_bitmask,
	[DKT__STEP_BITLIST] = dkt__run_bitlist,
	[DKT__STEP_POINTER] = dkt__run_pointer,
	[DKT__STEP_FUNCTION] = dkt__run_function,
	[DKT__STEP_NET] = dkt__run_net,
};

static inline char *put_hex_zero(char *p, const struct dkt__step *step, uint64_t v)
{
	unsigned int digits = dkt__hex_len(v);

	return dkt__put_hex_digits(p, v, DKT__MAX(digits, step->digits));
}

/*
 * Prints the steps at p. Returns the end; NULL: memory is out. Inlined twice: with has_room, all steps
 * are short and fit at p, so that no step checks the room and run's buffer is not used.
 */
static inline __attribute__((always_inline)) char *
run_steps(const struct dkt__plan *plan, struct dkt__run *run, char *p, bool has_room)
{
	size_t mark = 0;

	for (const struct dkt__step *step = plan->steps;; step++) {
		if (!has_room) {
			run->p = p;
			if (!dkt__run_room(run, (size_t)step->literal_len + DKT__STEP_ROOM))
				return NULL;
			p = run->p;
		}
		p = put_literal(p, step);
		switch (step->op) {
		case DKT__STEP_TEXT:
			break;
		case DKT__STEP_END:
			return p;
		case DKT__STEP_DEC:
			p = dkt__put_int(p, (int64_t)value_of(run, step));
			break;
		case DKT__STEP_UDEC:
			p = dkt__put_dec(p, value_of(run, step));
			break;
		case DKT__STEP_HEX:
			p = dkt__put_hex(p, value_of(run, step));
			break;
		case DKT__STEP_HEX_ZERO:
			p = put_hex_zero(p, step, value_of(run, step));
			break;
		case DKT__STEP_CHAR:
			*p++ = (char)value_of(run, step);
			break;
		case DKT__STEP_COMM:
			p = put_comm(p, run->data + step->bytes.offset);
			break;
		case DKT__STEP_UNLESS:
			if (!value_of(run, step))
				step = plan->steps + step->target - 1;
			break;
		case DKT__STEP_JUMP:
			step = plan->steps + step->target - 1;
			break;
		default:
			if (has_room)
				__builtin_unreachable();
			run->p = p;
			if (step->op == DKT__STEP_PAD_BEGIN)
				mark = (size_t)(p - run->buf->data);
			else if (step->op == DKT__STEP_PAD_END)
				dkt__run_pad(run, step, mark);
			else
				rare[step->op](run, step);
			p = run->p;
		}
	}
}

char *dkt__plan_put(const struct dkt__plan *plan, const struct dkt_record *record, char *p)
{
	struct dkt__run run = { .data = record->data,
				.size = record->size,
				.ctx = record->event->ctx };

	return run_steps(plan, &run, p, true);
}

/* The same, but every step checks the buffer's room. */
static char *run_checked(const struct dkt__plan *plan, const struct dkt_record *record,
			 struct dkt_buf *buf, char *p)
{
	struct dkt__run run = { .data = record->data,
				.size = record->size,
				.ctx = record->event->ctx,
				.buf = buf,
				.end = buf->data + buf->size };

	return run_steps(plan, &run, p, false);
}

void dkt__plan_run(const struct dkt__plan *plan, const struct dkt_record *record,
		   struct dkt_buf *buf)
{
	char *p = dkt__buf_room(buf, DKT__MAX(plan->room, 256u));

	if (p && plan->room)
		p = dkt__plan_put(plan, record, p);
	else if (p)
		p = run_checked(plan, record, buf, p);
	if (p)
		buf->len = (size_t)(p - buf->data);
}
