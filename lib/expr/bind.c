/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binds an expression to an event: finds the fields, checks types, converts values to numbers. */
#include "lib/base/every_field.h"
#include "lib/event.h"
#include "lib/expr.h"
#include "lib/plan.h"

/* The kinds of fields by how they compare. Like the kernel, kind_of() looks at the type's text. */
enum field_kind {
	FIELD_NUMBER,
	FIELD_CHARS,
	FIELD_POINTER, /* to a string */
	FIELD_CPUMASK,
	FIELD_CPU,
	FIELD_COMM,
	FIELD_OTHER, /* arrays and structures: the kernel accepts them, but they never match */
};

/* The fields that filters have for every event, but that no record holds, by the kernel's names. */
static const struct {
	struct dkt_field field;
	enum field_kind kind;
	enum dkt__every_field every;
} generic[] = {
	{ { .name = "CPU", .type = "int", .size = 4, .flags = DKT_FIELD_SIGNED },
	  FIELD_CPU,
	  DKT__EVERY_CPU },
	{ { .name = "cpu", .type = "int", .size = 4, .flags = DKT_FIELD_SIGNED },
	  FIELD_CPU,
	  DKT__EVERY_CPU },
	{ { .name = "COMM", .type = "char[16]", .size = 16, .flags = DKT_FIELD_STRING },
	  FIELD_COMM,
	  DKT__EVERY_COMM },
	{ { .name = "comm", .type = "char[16]", .size = 16, .flags = DKT_FIELD_STRING },
	  FIELD_COMM,
	  DKT__EVERY_COMM },
	{ { .name = "stacktrace", .type = "" }, FIELD_OTHER, DKT__EVERY_NONE },
	{ { .name = "STACKTRACE", .type = "" }, FIELD_OTHER, DKT__EVERY_NONE },
};

/* The spelling of the user stays if the kernel knows it. */
static const struct dkt_field *find_generic(const struct dkt_expr *expr, struct expr_span name,
					    enum dkt__every_field every)
{
	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		if (dkt__expr_span_is(expr, name, generic[i].field.name))
			return &generic[i].field;
	for (size_t i = 0; every && i < ARRAY_SIZE(generic); i++)
		if (generic[i].every == every)
			return &generic[i].field;
	return NULL;
}

static enum field_kind kind_of(const struct dkt_field *field)
{
	const char *type = field->type ? field->type : "";
	bool is_char = strstr(type, "char");

	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		if (field == &generic[i].field)
			return generic[i].kind;
	if (strstr(type, "__data_loc") && !is_char)
		return strstr(type, "cpumask_t") ? FIELD_CPUMASK : FIELD_OTHER;
	if (field->flags & DKT_FIELD_DYNAMIC)
		return is_char ? FIELD_CHARS : FIELD_OTHER;
	if (is_char && strchr(type, '['))
		return FIELD_CHARS;
	if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
		return FIELD_POINTER;
	/* As in the kernel, an array of bytes counts as a number if it has the size of one. */
	switch (field->size) {
	case 1:
	case 2:
	case 4:
	case 8:
		return FIELD_NUMBER;
	default:
		return FIELD_OTHER;
	}
}

/* An event's own fields come first: its "comm" need not be the current process. */
const struct dkt_field *dkt__expr_find_field(const struct dkt_expr *expr, struct expr_span name,
					     const struct dkt_field *const *fields, size_t n)
{
	const enum dkt__every_field every = dkt__every_field(expr->text + name.at, name.len);
	const struct dkt_field *common = NULL, *any;

	for (size_t i = 0; i < n; i++) {
		if (!dkt__expr_span_is(expr, name, fields[i]->name))
			continue;
		if (!(fields[i]->flags & DKT_FIELD_COMMON))
			return fields[i];
		common = fields[i];
	}
	/* The kernel has PID only as common_pid. */
	for (size_t i = 0; every == DKT__EVERY_PID && i < n; i++)
		if (!strcmp(fields[i]->name, EXPR_COMMON_PID))
			return fields[i];
	any = find_generic(expr, name, every);
	return any ? any : common;
}

void dkt__expr_guess_common(struct dkt__guess *guess, const struct dkt_field *const *fields,
			    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i]->flags & DKT_FIELD_COMMON)
			dkt__guess_try(guess, fields[i]->name);
	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		dkt__guess_try(guess, generic[i].field.name);
	dkt__guess_try(guess, EXPR_PID);
}

static int no_field(const struct dkt_expr *expr, const struct expr_pred *pred,
		    const struct dkt_event *event, const struct dkt_field *const *fields, size_t n)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, expr->text + pred->field.at, pred->field.len);
	for (size_t i = 0; i < n; i++)
		if (!(fields[i]->flags & DKT_FIELD_COMMON))
			dkt__guess_try(&guess, fields[i]->name);
	dkt__expr_guess_common(&guess, fields, n);
	return dkt__expr_fail(expr, -ENOENT, pred->field.at, "%s:%s has no field '%.*s'%s",
			      event->system, event->name, (int)pred->field.len,
			      expr->text + pred->field.at, dkt__guess_words(&guess));
}

static int misfit(const struct dkt_expr *expr, const struct expr_pred *pred, const char *why)
{
	return dkt__expr_fail(expr, -EINVAL, pred->value.at, "%.*s %s", (int)pred->field.len,
			      expr->text + pred->field.at, why);
}

/* ---- numbers ---- */

/* True if a field of that size, signed or unsigned, can hold the number. */
static bool fits(uint64_t value, uint32_t size)
{
	uint64_t above = size < sizeof(value) ? value >> (size * 8 - 1) : 0;

	return above <= 1 || above == UINT64_MAX >> (size * 8 - 1);
}

/*
 * Rejects the numbers that the kernel rejects. Also rejects a name, or a number with a unit, that is
 * too large for the field; the kernel silently truncates digits, so plain numbers may be too large.
 */
static int check_range(const struct dkt_expr *expr, const struct expr_pred *pred,
		       const struct dkt_field *field, const struct expr_item *item, uint64_t value)
{
	uint64_t limit = UINT64_MAX;

	if (item->is_number && item->negative && !(field->flags & DKT_FIELD_SIGNED))
		return misfit(expr, pred,
			      "is unsigned: it cannot be compared with a negative number");
	if (field->flags & DKT_FIELD_SIGNED)
		limit = (uint64_t)INT64_MAX + item->negative;
	if (item->is_number && item->magnitude > limit)
		return dkt__expr_fail(expr, -EINVAL, item->span.at, "'%.*s' is too large",
				      (int)item->span.len, expr->text + item->span.at);
	if ((!item->is_number || item->has_unit) && !fits(value, field->size))
		return dkt__expr_fail(expr, -EINVAL, item->span.at,
				      "'%.*s' is too large for the %u bytes of %s",
				      (int)item->span.len, expr->text + item->span.at, field->size,
				      field->name);
	return 0;
}

static int read_constant(struct dkt_expr *expr, struct dkt_event *event, struct expr_test *test)
{
	const struct expr_pred *pred = test->pred;
	uint32_t at = pred->value.at;
	struct expr_item item;
	uint64_t all = 0, one;
	int err;

	while (dkt__expr_next_item(expr, pred->value, &at, &item)) {
		if (item.is_number) {
			err = dkt__expr_read_number(expr, &item);
			one = item.negative ? -item.magnitude : item.magnitude;
		} else {
			err = dkt__expr_constant(expr, event, &test->field, &item, &one);
		}
		if (!err)
			err = check_range(expr, pred, &test->field, &item, one);
		if (err)
			return err;
		all |= one;
	}
	/* As the kernel does, truncate the value to the field's size. */
	test->value = (int64_t)dkt__cast(all, dkt__plan_load(test->field.size,
							     test->field.flags & DKT_FIELD_SIGNED));
	return 0;
}

static int bind_number(struct dkt_expr *expr, struct dkt_event *event, struct expr_test *test,
		       enum field_kind kind)
{
	const struct expr_pred *pred = test->pred;

	switch (kind) {
	case FIELD_NUMBER:
		test->kind = TEST_NUMBER;
		break;
	case FIELD_CPU:
		test->kind = TEST_CPU;
		if (pred->op == EXPR_BITS)
			return misfit(expr, pred, "has no bits: write CPU & CPUS{list}");
		break;
	case FIELD_CPUMASK:
		return misfit(expr, pred, "is a set of CPUs: compare it with CPUS{list}");
	default:
		return misfit(expr, pred, "is not a number that can be compared");
	}
	if (pred->op == EXPR_LIKE)
		return misfit(expr, pred, "is a number: ~ is for strings");
	return read_constant(expr, event, test);
}

/* ---- strings ---- */

/* True for a single word, which needs no quotes where a string is expected. */
static bool is_word(const struct dkt_expr *expr, const struct expr_pred *pred)
{
	uint32_t at = pred->value.at;
	struct expr_item item;

	return dkt__expr_next_item(expr, pred->value, &at, &item) && !item.is_number &&
	       !item.negative && item.span.len == pred->value.len;
}

static int bind_string(struct dkt_expr *expr, struct expr_test *test, enum field_kind kind)
{
	const struct expr_pred *pred = test->pred;

	if (pred->kind == EXPR_NUMBER && !is_word(expr, pred))
		return misfit(expr, pred, "is a string: put its value in quotes");
	if (pred->op != EXPR_EQ && pred->op != EXPR_NE && pred->op != EXPR_LIKE)
		return misfit(expr, pred, "is a string: compare it with ==, != or ~");
	test->kind = kind == FIELD_COMM    ? TEST_COMM :
		     kind == FIELD_POINTER ? TEST_KERNEL_ONLY :
					     TEST_CHARS;
	return 0;
}

/* ---- CPUs and functions ---- */

static int bind_cpus(struct dkt_expr *expr, struct expr_test *test, enum field_kind kind)
{
	switch (kind) {
	case FIELD_NUMBER:
		test->kind = TEST_NUMBER_IN;
		break;
	case FIELD_CPU:
		test->kind = TEST_CPU_IN;
		break;
	case FIELD_CPUMASK:
		test->kind = TEST_CPUMASK_IN;
		break;
	default:
		return misfit(expr, test->pred, "is neither a CPU nor a set of CPUs");
	}
	return 0;
}

static int bind_function(struct dkt_expr *expr, struct expr_test *test)
{
	const struct expr_pred *pred = test->pred;
	uint64_t offset = 0;
	struct expr_item item;
	uint32_t at = pred->value.at;
	int err;

	test->kind = TEST_FUNCTION;
	if (test->field.size != sizeof(uint64_t))
		return misfit(expr, pred, "is not as large as an address");
	if (!dkt__expr_next_item(expr, pred->value, &at, &item) || !item.is_number)
		return 0;
	err = dkt__expr_read_number(expr, &item);
	if (err || item.negative || item.has_unit)
		return misfit(expr, pred,
			      "must be compared with the name or address of a function");
	if (!dkt_symbol_name(expr->ctx, item.magnitude, &offset))
		return misfit(expr, pred, "is compared with an address that is in no function");
	test->value = (int64_t)(item.magnitude - offset);
	return 0;
}

static int bind_variable(struct dkt_expr *expr, struct expr_test *test, enum field_kind kind)
{
	static const enum expr_test_kind kinds[] = {
		[FIELD_NUMBER] = TEST_NUMBER_VARIABLE,
		[FIELD_CHARS] = TEST_CHARS_VARIABLE,
		[FIELD_CPU] = TEST_CPU_VARIABLE,
		[FIELD_COMM] = TEST_COMM_VARIABLE,
	};
	const struct expr_pred *pred = test->pred;

	if (kind == FIELD_POINTER || kind == FIELD_CPUMASK || kind == FIELD_OTHER || pred->ustring)
		return misfit(expr, pred, "cannot be compared with a variable");
	if ((kind == FIELD_CHARS || kind == FIELD_COMM) && pred->op != EXPR_EQ &&
	    pred->op != EXPR_NE)
		return misfit(expr, pred, "is a string: compare it with == or !=");
	test->kind = kinds[kind];
	return 0;
}

static int bind_pred(struct dkt_expr *expr, struct dkt_event *event, struct expr_test *test,
		     const struct dkt_field *field)
{
	enum field_kind kind = kind_of(field);
	bool is_string = kind == FIELD_CHARS || kind == FIELD_POINTER || kind == FIELD_COMM;

	test->field = *field;
	switch (test->pred->kind) {
	case EXPR_FUNCTION:
		return bind_function(expr, test);
	case EXPR_CPUS:
		return bind_cpus(expr, test, kind);
	case EXPR_VARIABLE:
		return bind_variable(expr, test, kind);
	case EXPR_STRING:
		if (!is_string)
			return misfit(expr, test->pred, "is not a string");
		return bind_string(expr, test, kind);
	default:
		return is_string ? bind_string(expr, test, kind) :
				   bind_number(expr, event, test, kind);
	}
}

/* ---- the expression ---- */

static int bind_all(struct dkt_expr *expr, struct dkt_event *event, struct expr_bound *bound)
{
	const struct dkt_field *const *fields, *field;
	size_t n;
	int err = dkt_event_fields(event, &fields, &n);

	/* Report a missing field first: it explains more than a field that does not fit. */
	for (uint32_t i = 0; !err && i < expr->n_preds; i++)
		if (!dkt__expr_find_field(expr, expr->preds[i].field, fields, n))
			err = no_field(expr, &expr->preds[i], event, fields, n);
	for (uint32_t i = 0; !err && i < expr->n_preds; i++) {
		struct expr_test *test = &bound->tests[i];

		test->pred = &expr->preds[i];
		test->op = test->pred->op;
		test->yes = test->pred->yes;
		test->no = test->pred->no;
		field = dkt__expr_find_field(expr, test->pred->field, fields, n);
		err = bind_pred(expr, event, test, field);
		if (test->kind == TEST_KERNEL_ONLY)
			bound->kernel_only = i;
	}
	return err;
}

struct expr_bound *dkt__expr_bind(struct dkt_expr *expr, struct dkt_event *event)
{
	struct expr_bound **slot = dkt__reach(expr->bound, expr->n_bound, event->slot);
	struct expr_bound *bound;

	if (!slot)
		return NULL;
	/* Events without a format share a slot. */
	if (*slot && (*slot)->event == event)
		return *slot;
	bound = calloc(1, sizeof(*bound) + expr->n_preds * sizeof(bound->tests[0]));
	if (!bound)
		return NULL;
	bound->event = event;
	bound->kernel_only = expr->n_preds;
	bound->err = bind_all(expr, event, bound);
	if (bound->err == -ENOMEM) {
		free(bound);
		return NULL;
	}
	if (bound->err)
		bound->words = strdup(dkt_error(expr->ctx));
	dkt__expr_unbind(*slot);
	*slot = bound;
	return bound;
}

void dkt__expr_unbind(struct expr_bound *bound)
{
	if (!bound)
		return;
	free(bound->words);
	free(bound);
}
