/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the code of filter expressions: an expression as written and as bound to an event. */
#pragma once

#include "lib/base/guess.h"
#include "lib/ctx.h"

/* The kernel's limits: MAX_FILTER_STR_VAL without the NUL, and a number with its sign. */
#define EXPR_MAX_STRING 255
#define EXPR_MAX_NUMBER 23

/* The kernel's limit on a filter is a page of 4096 bytes, with the NUL. */
#define EXPR_MAX_FILTER 4095

/* The limit on an expression: places in it and twice the number of its comparisons fit 32 bits. */
#define EXPR_MAX_TEXT 65535

/* The highest CONFIG_NR_CPUS of Linux. */
#define EXPR_MAX_CPUS 8192

/* The process of a record, and the kernel's name for the same field. */
#define EXPR_PID        "PID"
#define EXPR_COMMON_PID "common_pid"

/* A part of the expression's text. */
struct expr_span {
	uint32_t at;
	uint32_t len;
};

enum expr_op { EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_BITS, EXPR_LIKE };

enum expr_kind {
	EXPR_NUMBER, /* numbers and names of numbers, joined by | */
	EXPR_STRING, /* in quotes */
	EXPR_CPUS, /* CPUS{list} */
	EXPR_FUNCTION, /* a name or address, compared with field.function */
	EXPR_VARIABLE, /* $name */
};

struct expr_cpus {
	uint64_t bits[EXPR_MAX_CPUS / 64];
	unsigned int weight;
	unsigned int first;
};

enum expr_pattern_kind { PATTERN_FULL, PATTERN_FRONT, PATTERN_MIDDLE, PATTERN_END, PATTERN_GLOB };

struct expr_pattern {
	enum expr_pattern_kind kind;
	bool invert;
	const char *text; /* in the expression's text, without stars at the ends except for a glob */
	size_t len;
};

/* One comparison as written: a predicate. */
struct expr_pred {
	struct expr_span field;
	struct expr_span value; /* with quotes or braces */
	struct expr_span inner; /* without quotes or braces */
	enum expr_op op;
	enum expr_kind kind;
	bool ustring; /* the field has .ustring */
	bool known; /* EXPR_FUNCTION: this kernel has the function */
	struct expr_pattern pattern; /* of a string, or of a word, which may be a string */
	struct expr_cpus *cpus;
	const struct dkt_variable *variable;
	char *names; /* of a variable: the field's name, a NUL, the variable's without its $ */
	uint32_t yes; /* the next predicate if true; n_preds: match, n_preds + 1: no match */
	uint32_t no; /* the same if false */
};

enum expr_test_kind {
	TEST_NUMBER,
	TEST_CPU,
	TEST_CHARS,
	TEST_COMM,
	TEST_NUMBER_IN, /* a number as a CPU in a list of CPUs */
	TEST_CPU_IN,
	TEST_CPUMASK_IN,
	TEST_FUNCTION,
	TEST_NUMBER_VARIABLE,
	TEST_CPU_VARIABLE,
	TEST_CHARS_VARIABLE,
	TEST_COMM_VARIABLE,
	TEST_KERNEL_ONLY, /* the record does not have the data */
};

/* One comparison for the records of one event. */
struct expr_test {
	enum expr_test_kind kind;
	enum expr_op op;
	const struct expr_pred *pred;
	struct dkt_field field;
	int64_t value; /* extended as dkt_record_int() extends that field */
	uint32_t yes;
	uint32_t no;
};

/* The expression for one event, or the reason why it does not fit the event. */
struct expr_bound {
	struct dkt_event *event;
	int err; /* for dkt_expr_check() */
	char *words; /* the error message */
	uint32_t kernel_only; /* a predicate that only the kernel can test; n_preds: no predicate */
	struct expr_test tests[];
};

struct dkt_expr {
	struct dkt_ctx *ctx;
	struct dkt_expr_opts opts;
	char *text;
	struct expr_pred *preds;
	uint32_t n_preds;
	struct expr_bound **bound; /* by event slot */
	size_t n_bound;
};

/* Sets the error message, with the expression and a caret under the byte at. Returns err. */
int dkt__expr_fail(const struct dkt_expr *expr, int err, uint32_t at, const char *fmt, ...)
	DKT_PRINTF(4, 5);

/* The same for any text: "OPTION: message", the text and the caret. */
int dkt__fail_at(struct dkt_ctx *ctx, int err, const char *option, const char *text, size_t at,
		 const char *fmt, ...) DKT_PRINTF(6, 7);

/* The parser's place in the expression's text. */
struct expr_reader {
	struct dkt_expr *expr;
	const char *text;
	uint32_t at;
};

/* Returns the next character that is not a space; '\0': the end. */
char dkt__expr_skip_spaces(struct expr_reader *r);

/* Parses one comparison. */
int dkt__expr_parse_pred(struct expr_reader *r, struct expr_pred *pred);

/* Reads the variable at the place, which has its $. */
int dkt__expr_parse_variable(struct expr_reader *r, struct expr_pred *pred);

/* Finds the variable of a comparison. */
int dkt__expr_find_variable(struct dkt_expr *expr, struct expr_pred *pred);

/* Parses the expression's text into preds. */
int dkt__expr_parse(struct dkt_expr *expr);

/* Returns the event's field, or the one that filters have for every event; NULL: unknown. */
const struct dkt_field *dkt__expr_find_field(const struct dkt_expr *expr, struct expr_span name,
					     const struct dkt_field *const *fields, size_t n);

/* Tries the names of the fields that every event has. */
void dkt__expr_guess_common(struct dkt__guess *guess, const struct dkt_field *const *fields,
			    size_t n);

/* Binds the expression to an event; the result's err is not 0 if it does not fit. NULL: -ENOMEM. */
struct expr_bound *dkt__expr_bind(struct dkt_expr *expr, struct dkt_event *event);
void dkt__expr_unbind(struct expr_bound *bound);

/* ---- numbers and names ---- */

static inline bool dkt__expr_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool dkt__expr_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool dkt__expr_span_is(const struct dkt_expr *expr, struct expr_span span,
				     const char *word)
{
	return strlen(word) == span.len && !memcmp(expr->text + span.at, word, span.len);
}

/* A part of "0x10|-ENOENT|rpctrace". */
struct expr_item {
	struct expr_span span;
	bool negative;
	bool is_number; /* false: a name */
	bool has_unit;
	uint64_t magnitude;
};

/* Reads the part of the span at *at, and moves *at past it; false: the end. */
bool dkt__expr_next_item(const struct dkt_expr *expr, struct expr_span span, uint32_t *at,
			 struct expr_item *item);

/* Reads an item's number as the kernel does, and also units. -EINVAL, -ERANGE. */
int dkt__expr_read_number(const struct dkt_expr *expr, struct expr_item *item);

/* Finds the number that the item's name means for that field. */
int dkt__expr_constant(struct dkt_expr *expr, struct dkt_event *event,
		       const struct dkt_field *field, const struct expr_item *item,
		       uint64_t *value);

/* Finds a name's number in an event's print format. Tries all names in the guess. */
bool dkt__expr_print_name(struct dkt_event *event, const char *field, const char *name,
			  uint64_t *value, struct dkt__guess *guess);

/* The same in the names that dktrace knows: errors, signals, open flags, system calls. */
bool dkt__expr_built_in(const struct dkt_event *event, const char *field, const char *name,
			uint64_t *value, struct dkt__guess *guess);

/* ---- strings ---- */

/* Classifies a pattern of ~ as the kernel does. like false: == or !=, which compare the text. */
void dkt__expr_pattern(struct expr_pattern *pattern, const char *text, size_t len, bool like);
bool dkt__expr_pattern_match(const struct expr_pattern *pattern, const char *str, size_t len);

/* ---- lists of CPUs ---- */

/* Reads "0-3,5" as the kernel's bitmap_parselist() does. -EINVAL, -ERANGE. */
int dkt__expr_cpus_parse(const char *list, size_t len, struct expr_cpus *cpus);

static inline bool dkt__expr_cpus_has(const struct expr_cpus *cpus, uint64_t cpu)
{
	return cpu < EXPR_MAX_CPUS && cpus->bits[cpu / 64] >> cpu % 64 & 1;
}
