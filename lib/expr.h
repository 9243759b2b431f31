/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the code of filter expressions: an expression as written and as bound to an event. */
#pragma once

#include "base/guess.h"
#include "ctx.h"

/* As in the kernel: MAX_FILTER_STR_VAL, and a number with its sign. */
#define EXPR_MAX_STRING 255
#define EXPR_MAX_NUMBER 23

/* A filter file takes one page, less the end of the string. */
#define EXPR_MAX_FILTER 4095

/* Columns are 32 bits and lists of jumps need one bit of them. */
#define EXPR_MAX_TEXT 65535

/* The most CPUs that Linux can be built for. */
#define EXPR_MAX_CPUS 8192

/* The process of every event's records, and what the kernel calls it. */
#define EXPR_PID        "PID"
#define EXPR_COMMON_PID "common_pid"

/* A stretch of the expression's text. */
struct expr_span {
	uint32_t at;
	uint32_t len;
};

enum expr_op { EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_BITS, EXPR_LIKE };

enum expr_kind {
	EXPR_NUMBER, /* numbers and names of numbers, joined by | */
	EXPR_STRING, /* in quotes */
	EXPR_CPUS, /* CPUS{list} */
	EXPR_FUNCTION, /* name or address behind a .function */
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
	const char *text; /* in the expression's text, without the stars at its ends */
	size_t len;
};

/* One comparison as it was written. */
struct expr_pred {
	struct expr_span field;
	struct expr_span value; /* with quotes or braces */
	struct expr_span inner; /* without */
	enum expr_op op;
	enum expr_kind kind;
	bool ustring;
	bool known; /* a function that this kernel has */
	struct expr_pattern pattern; /* of a string, or of a word that a string field may take */
	struct expr_cpus *cpus;
	uint32_t yes; /* the predicate to go on with; n_preds: matches, n_preds + 1: does not */
	uint32_t no;
};

enum expr_test_kind {
	TEST_NUMBER,
	TEST_CPU,
	TEST_CHARS,
	TEST_COMM,
	TEST_NUMBER_IN, /* a number as CPU against a list of CPUs */
	TEST_CPU_IN,
	TEST_MASK_IN,
	TEST_FUNCTION,
	TEST_NEVER, /* cannot be told from the record */
};

/* One comparison for the records of one event. */
struct expr_test {
	enum expr_test_kind kind;
	enum expr_op op;
	const struct expr_pred *pred;
	struct dkt_field field;
	int64_t value; /* as dkt_record_int() gives it for that field */
	uint32_t yes;
	uint32_t no;
};

/* The expression for one event, or why it is none. */
struct expr_bound {
	struct dkt_event *event;
	int err; /* of dkt_expr_check() */
	char *words;
	uint32_t blind; /* number of a predicate that only the kernel can judge, else n_preds */
	struct expr_test tests[];
};

struct dkt_expr {
	struct dkt_ctx *ctx;
	struct dkt_expr_opts opts;
	char *text;
	struct expr_pred *preds;
	uint32_t n_preds;
	uint32_t room;
	struct expr_bound **bound; /* by event index */
	size_t n_bound;
};

/* Words of a failure with the expression and a caret under column at. Returns err. */
int dkt__expr_fail(const struct dkt_expr *expr, int err, uint32_t at, const char *fmt, ...)
	DKT_PRINTF(4, 5);

/* The same for a text of another kind: "WHAT: words", the text and the caret. Returns err. */
int dkt__fail_at(struct dkt_ctx *ctx, int err, const char *what, const char *text, size_t at,
		 const char *fmt, ...) DKT_PRINTF(6, 7);

/* A place in the expression's text, while it is parsed. */
struct expr_reader {
	struct dkt_expr *expr;
	const char *text;
	uint32_t at;
};

/* Returns the character that follows; '\0' at the end. */
char dkt__expr_skip_spaces(struct expr_reader *r);

/* Reads one comparison from where the reader is. */
int dkt__expr_parse_pred(struct expr_reader *r, struct expr_pred *pred);

/* Fills preds from text. */
int dkt__expr_parse(struct dkt_expr *expr);

/* The field of that name, or what filters know on every event; NULL: neither. */
const struct dkt_field *dkt__expr_find_field(const struct dkt_expr *expr, struct expr_span name,
					     const struct dkt_field *const *fields, size_t n);

/* Tries the names that every event has. */
void dkt__expr_guess_common(struct dkt__guess *guess, const struct dkt_field *const *fields,
			    size_t n);

/* Fits the expression to an event; its err tells whether it could. NULL: memory is out. */
struct expr_bound *dkt__expr_bind(struct dkt_expr *expr, struct dkt_event *event);
void dkt__expr_unbind(struct expr_bound *bound);

/* -EINVAL, with words: the running kernel has no function of that name. */
int dkt__expr_check_function(struct dkt_expr *expr, struct expr_pred *pred);

/* ---- numbers and names ---- */

static inline bool dkt__expr_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool dkt__expr_is_name(char c)
{
	return dkt__expr_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
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

/* One of the parts of "0x10|-ENOENT|rpctrace". */
struct expr_item {
	struct expr_span span;
	bool negative;
	bool is_number; /* else a name */
	bool has_unit;
	uint64_t magnitude;
};

/* The part that starts at *at of span, and moves there; false at the end. */
bool dkt__expr_next_item(const struct dkt_expr *expr, struct expr_span span, uint32_t *at,
			 struct expr_item *item);

/* Reads an item's number as the kernel would, and units beyond. -EINVAL, -ERANGE. */
int dkt__expr_read_number(const struct dkt_expr *expr, struct expr_item *item);

/* The number a name stands for, when it is compared with that field. */
int dkt__expr_constant(struct dkt_expr *expr, struct dkt_event *event,
		       const struct dkt_field *field, const struct expr_item *item,
		       uint64_t *value);

/* Looks a name up in an event's print format; tells the guess of names met. */
bool dkt__expr_print_name(struct dkt_event *event, const char *field, const char *name,
			  uint64_t *value, struct dkt__guess *guess);

/* The same in what is known without it: errno names, signals, open flags, system calls. */
bool dkt__expr_built_in(const struct dkt_event *event, const char *field, const char *name,
			uint64_t *value, struct dkt__guess *guess);

/* ---- strings ---- */

/* Sorts a pattern of ~ as the kernel does; one of == and != is compared as it stands. */
void dkt__expr_pattern(struct expr_pattern *pattern, const char *text, size_t len, bool like);
bool dkt__expr_pattern_match(const struct expr_pattern *pattern, const char *str, size_t len);

/* ---- lists of CPUs ---- */

/* Reads "0-3,5" as the kernel's bitmap_parselist(). -EINVAL, -ERANGE. */
int dkt__expr_cpus_parse(const char *list, size_t len, struct expr_cpus *cpus);

static inline bool dkt__expr_cpus_has(const struct expr_cpus *cpus, uint64_t cpu)
{
	return cpu < EXPR_MAX_CPUS && cpus->bits[cpu / 64] >> cpu % 64 & 1;
}
