/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an expression on records, with the kernel's meaning of every comparison. */
#include "lib/base/glob.h"
#include "lib/expr.h"
#include "lib/expr/gate.h"

/* As in the kernel: TASK_COMM_LEN. */
#define COMM_LEN 16

static bool has_field(const struct dkt_record *record, const struct dkt_field *field)
{
	return field->offset <= record->size && record->size - field->offset >= field->size;
}

static bool compare(const struct expr_test *test, int64_t value, int64_t with)
{
	switch (test->op) {
	case EXPR_EQ:
		return value == with;
	case EXPR_NE:
		return value != with;
	case EXPR_BITS:
		return value & with;
	default:
		break;
	}
	/* Flipping the highest bits makes the signed comparisons below compare unsigned numbers. */
	if (!(test->field.flags & DKT_FIELD_SIGNED)) {
		value ^= INT64_MIN;
		with ^= INT64_MIN;
	}
	switch (test->op) {
	case EXPR_LT:
		return value < with;
	case EXPR_LE:
		return value <= with;
	case EXPR_GT:
		return value > with;
	case EXPR_GE:
		return value >= with;
	default:
		return false;
	}
}

/* ---- patterns of the operator ~ ---- */

void dkt__expr_pattern(struct expr_pattern *pattern, const char *text, size_t len, bool like)
{
	bool front = false, back = false;

	memset(pattern, 0, sizeof(*pattern));
	if (like && len && *text == '!') {
		pattern->invert = true;
		text++;
		len--;
	}
	pattern->text = text;
	pattern->len = len;
	if (!like)
		return;
	for (size_t i = 0; i < len; i++) {
		if (memchr("[?\\", text[i], 3) || (text[i] == '*' && i && i != len - 1)) {
			pattern->kind = PATTERN_GLOB;
			return;
		}
		front |= text[i] == '*' && i;
		back |= text[i] == '*' && !i;
	}
	pattern->kind = front && back ? PATTERN_MIDDLE :
			front         ? PATTERN_FRONT :
			back          ? PATTERN_END :
					PATTERN_FULL;
	pattern->text += back;
	pattern->len -= (size_t)front + back;
}

/* Like the kernel's strncmp(), compares a string without a NUL only up to the end of its array. */
static bool match_full(const struct expr_pattern *pattern, const char *str, size_t n, size_t len)
{
	if (n < len || !len ? n != pattern->len : pattern->len < n)
		return false;
	return !memcmp(str, pattern->text, n);
}

static bool match_pattern(const struct expr_pattern *pattern, const char *str, size_t len)
{
	size_t n = strnlen(str, len);

	switch (pattern->kind) {
	case PATTERN_FULL:
		return match_full(pattern, str, n, len);
	case PATTERN_FRONT:
		return n >= pattern->len && !memcmp(str, pattern->text, pattern->len);
	case PATTERN_MIDDLE:
		return memmem(str, n, pattern->text, pattern->len);
	case PATTERN_END:
		return n >= pattern->len &&
		       !memcmp(str + n - pattern->len, pattern->text, pattern->len);
	case PATTERN_GLOB:
		return dkt__glob_match(pattern->text, pattern->len, str, n);
	}
	return false;
}

bool dkt__expr_pattern_match(const struct expr_pattern *pattern, const char *str, size_t len)
{
	return match_pattern(pattern, str, len) != pattern->invert;
}

/* ---- records ---- */

static bool match_bytes(const struct expr_test *test, const char *str, size_t len)
{
	return dkt__expr_pattern_match(&test->pred->pattern, str, len) != (test->op == EXPR_NE);
}

static bool match_chars(const struct expr_test *test, const struct dkt_record *record)
{
	const char *str;
	size_t len;

	if (!has_field(record, &test->field))
		return false;
	str = dkt_record_bytes(record, &test->field, &len);
	return match_bytes(test, str, len);
}

/*
 * Compares a CPU with a list. No CPU equals a list of several CPUs. For a number that is not a CPU,
 * both == and != are false.
 */
static bool match_cpu(const struct expr_test *test, uint64_t cpu)
{
	const struct expr_cpus *cpus = test->pred->cpus;

	if (cpus->weight == 1)
		return (cpu == cpus->first) != (test->op == EXPR_NE);
	if (cpu >= EXPR_MAX_CPUS)
		return false;
	switch (test->op) {
	case EXPR_BITS:
		return dkt__expr_cpus_has(cpus, cpu);
	case EXPR_NE:
		return true;
	default:
		return false;
	}
}

static bool match_number_in(const struct expr_test *test, const struct dkt_record *record)
{
	uint64_t value;

	if (!has_field(record, &test->field))
		return false;
	value = (uint64_t)dkt_record_int(record, &test->field);
	/* The kernel compares the field as an unsigned number. */
	if (test->field.size < sizeof(value))
		value &= (1ULL << test->field.size * 8) - 1;
	return match_cpu(test, value);
}

/* Compares a cpumask, which consists of longs, with a list of CPUs. */
static bool match_cpumask(const struct expr_test *test, const struct dkt_record *record)
{
	const struct expr_cpus *cpus = test->pred->cpus;
	bool meet = false, same = true;
	const char *bytes;
	uint64_t word;
	size_t len;

	if (!has_field(record, &test->field))
		return false;
	bytes = dkt_record_bytes(record, &test->field, &len);
	for (size_t at = 0; at < sizeof(cpus->bits); at += sizeof(word)) {
		word = 0;
		if (at < len)
			memcpy(&word, bytes + at, DKT__MIN(sizeof(word), len - at));
		meet |= word & cpus->bits[at / sizeof(word)];
		same &= word == cpus->bits[at / sizeof(word)];
	}
	switch (test->op) {
	case EXPR_BITS:
		return meet;
	case EXPR_NE:
		return !same;
	default:
		return same;
	}
}

static bool match_function(const struct dkt_expr *expr, const struct expr_test *test,
			   const struct dkt_record *record)
{
	struct expr_span name = test->pred->value;
	uint64_t address, offset = 0;
	const char *symbol;
	bool hit;

	if (!has_field(record, &test->field))
		return false;
	address = (uint64_t)dkt_record_int(record, &test->field);
	symbol = dkt_symbol_name(expr->ctx, address, &offset);
	if (dkt__expr_is_digit(expr->text[name.at]))
		hit = symbol && address - offset == (uint64_t)test->value;
	else
		hit = symbol && dkt__expr_span_is(expr, name, symbol);
	return hit != (test->op == EXPR_NE);
}

/* ---- variables ---- */

static bool match_number_variable(const struct expr_test *test, int64_t value)
{
	const struct dkt_variable *variable = test->pred->variable;

	return variable->known && !variable->text && compare(test, value, variable->number);
}

static bool match_text_variable(const struct expr_test *test, const char *str, size_t len)
{
	const struct dkt_variable *variable = test->pred->variable;
	bool same;

	if (!variable->known || !variable->text)
		return false;
	len = strnlen(str, len);
	same = len == strnlen(variable->text, variable->len) && !memcmp(str, variable->text, len);
	return same != (test->op == EXPR_NE);
}

static bool match_variable(const struct expr_test *test, const struct dkt_record *record,
			   const char *comm)
{
	const char *str;
	size_t len;

	switch (test->kind) {
	case TEST_CPU_VARIABLE:
		return match_number_variable(test, record->cpu);
	case TEST_COMM_VARIABLE:
		return comm && match_text_variable(test, comm, strlen(comm));
	default:
		break;
	}
	if (!has_field(record, &test->field))
		return false;
	if (test->kind == TEST_NUMBER_VARIABLE)
		return match_number_variable(test, dkt_record_int(record, &test->field));
	str = dkt_record_bytes(record, &test->field, &len);
	return match_text_variable(test, str, len);
}

static bool match_test(const struct dkt_expr *expr, const struct expr_test *test,
		       const struct dkt_record *record, const char *comm)
{
	switch (test->kind) {
	case TEST_NUMBER:
		return has_field(record, &test->field) &&
		       compare(test, dkt_record_int(record, &test->field), test->value);
	case TEST_CPU:
		return compare(test, record->cpu, test->value);
	case TEST_CHARS:
		return match_chars(test, record);
	case TEST_COMM:
		/* Include the NUL, so that match_full() does not take a long name for a full array. */
		return comm && match_bytes(test, comm, strnlen(comm, COMM_LEN - 1) + 1);
	case TEST_NUMBER_IN:
		return match_number_in(test, record);
	case TEST_CPU_IN:
		return match_cpu(test, record->cpu);
	case TEST_CPUMASK_IN:
		return match_cpumask(test, record);
	case TEST_FUNCTION:
		return match_function(expr, test, record);
	case TEST_NUMBER_VARIABLE:
	case TEST_CPU_VARIABLE:
	case TEST_CHARS_VARIABLE:
	case TEST_COMM_VARIABLE:
		return match_variable(test, record, comm);
	case TEST_KERNEL_ONLY:
		break;
	}
	return false;
}

/* Sets the range of numbers for which the comparison is true. False: they do not form a range. */
static bool set_range(const struct expr_test *test, struct dkt__gate *gate)
{
	uint64_t value = (uint64_t)test->value ^ gate->flip;

	gate->low = 0;
	gate->high = UINT64_MAX;
	gate->outside = test->op == EXPR_NE;
	switch (test->op) {
	case EXPR_EQ:
	case EXPR_NE:
		gate->low = gate->high = value;
		return true;
	case EXPR_LT:
		gate->high = value - 1;
		return value;
	case EXPR_LE:
		gate->high = value;
		return true;
	case EXPR_GT:
		gate->low = value + 1;
		return gate->low;
	case EXPR_GE:
		gate->low = value;
		return true;
	default:
		return false;
	}
}

bool dkt__expr_gate(struct dkt_expr *expr, struct dkt_event *event, struct dkt__gate *gate)
{
	const struct expr_bound *bound = dkt__expr_bind(expr, event);
	const struct expr_test *test = bound ? &bound->tests[0] : NULL;
	const struct dkt_field *field;

	if (!bound || bound->err || bound->kernel_only < expr->n_preds ||
	    test->kind != TEST_NUMBER || test->no != expr->n_preds + 1)
		return false;
	field = &test->field;
	*gate = (struct dkt__gate){ .offset = field->offset, .bytes = (uint8_t)field->size };
	gate->load = dkt__plan_load(field->size, field->flags & DKT_FIELD_SIGNED);
	if (gate->load == DKT__LOAD_CONST)
		return false;
	if (field->flags & DKT_FIELD_SIGNED)
		gate->flip = UINT64_C(1) << 63;
	return set_range(test, gate);
}

bool dkt_expr_match(struct dkt_expr *expr, const struct dkt_record *record, const char *comm)
{
	if (!expr || !record)
		return false;

	uint32_t i = 0;
	const struct expr_bound *bound = record->event ? dkt__expr_bind(expr, record->event) : NULL;

	/* If an unknown comparison counted as false, its negation would match every record. */
	if (!bound || bound->err || bound->kernel_only < expr->n_preds)
		return false;
	/* Jumps lead forward only. */
	while (i < expr->n_preds) {
		const struct expr_test *test = &bound->tests[i];

		i = match_test(expr, test, record, comm) ? test->yes : test->no;
	}
	return i == expr->n_preds;
}
