/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expressions in a probe's argument: lock->l_resource->lr_name.name[0], *pos, ((struct x *)p)->y.
 */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/probe/eval.h"

#define DEPTH_MAX 24

/* ---- names and numbers ---- */

int dkt__probe_fail(const struct eval *eval, int err, const char *fmt, ...)
{
	char *words __cleanup(free) = NULL;
	va_list ap;

	va_start(ap, fmt);
	words = dkt__vformat(fmt, ap);
	va_end(ap);
	if (!words)
		return dkt__no_memory(eval->scope->ctx);
	return dkt_fail(eval->scope->ctx, err, "argument '%.80s': %s", eval->whole, words);
}

static void skip_blanks(struct eval *eval)
{
	while (*eval->p == ' ' || *eval->p == '\t')
		eval->p++;
}

static bool starts_name(char c)
{
	return dkt__in_name(c) && !isdigit((unsigned char)c);
}

int dkt__probe_read_name(struct eval *eval, char name[WORD_MAX])
{
	size_t n = 0;

	skip_blanks(eval);
	if (!starts_name(*eval->p))
		return dkt__probe_fail(eval, -EINVAL, "a name is missing before '%.20s'", eval->p);
	while (dkt__in_name(eval->p[n]))
		n++;
	if (n >= WORD_MAX)
		return dkt__probe_fail(eval, -EINVAL, "a name is too long");
	memcpy(name, eval->p, n);
	name[n] = '\0';
	eval->p += n;
	return 0;
}

void dkt__probe_set_field(struct eval *eval, const char *name)
{
	snprintf(eval->field, sizeof(eval->field), "%.*s", PROBE_FIELD_MAX, name);
}

int dkt__probe_read_number(struct eval *eval, uint64_t *number)
{
	int err;

	skip_blanks(eval);
	err = dkt__take_u64(&eval->p, NULL, DKT__AS_C, number);
	if (err == -EINVAL)
		return dkt__probe_fail(eval, err, "a number is missing before '%.20s'", eval->p);
	/* No machine has larger offsets. */
	if (err || *number > UINT64_C(1) << 47)
		return dkt__probe_fail(eval, -ERANGE, "a number is too large");
	return 0;
}

int dkt__probe_expect(struct eval *eval, char c)
{
	skip_blanks(eval);
	if (*eval->p != c)
		return *eval->p ? dkt__probe_fail(eval, -EINVAL, "'%c' is missing before '%.20s'",
						  c, eval->p) :
				  dkt__probe_fail(eval, -EINVAL, "'%c' is missing at the end", c);
	eval->p++;
	return 0;
}

/* ---- expressions ---- */

static int eval_unary(struct eval *eval, struct probe_value *value);

static int eval_postfix(struct eval *eval, struct probe_value *value)
{
	int err = 0;

	while (!err) {
		skip_blanks(eval);
		if (eval->p[0] == '-' && eval->p[1] == '>') {
			err = dkt__probe_deref(eval, value, "->");
			eval->p += 2;
			if (!err)
				err = dkt__probe_take_member(eval, value);
		} else if (*eval->p == '.') {
			eval->p++;
			err = dkt__probe_take_member(eval, value);
		} else if (*eval->p == '[') {
			eval->p++;
			err = dkt__probe_take_index(eval, value);
		} else {
			break;
		}
	}
	return err;
}

/* ---- primary expressions ---- */

static int eval_variable(struct eval *eval, struct probe_value *value)
{
	struct probe_scope *scope = eval->scope;
	struct dkt__guess guess;
	char name[WORD_MAX];
	unsigned int n;
	int err = dkt__probe_read_name(eval, name), end = 0;

	if (err)
		return err;
	dkt__probe_set_field(eval, name);
	dkt__guess_start(&guess, name, strlen(name));
	err = scope->variable ? scope->variable(scope, name, value, &guess) : -ENOENT;
	if (err != -ENOENT)
		return err;
	/* arg1 is the first argument, unless a variable has that name. */
	if (scope->argument && sscanf(name, "arg%2u%n", &n, &end) == 1 && !name[end] && n)
		return scope->argument(scope, n, value);
	if (!scope->variable)
		return dkt__probe_fail(eval, -ENOENT,
				       "no names are known at %s%s%s; use $arg1, "
				       "a register (%s), a symbol (@NAME) or the stack ($stack0)",
				       scope->where, scope->no_types ? ": " : "",
				       scope->no_types ? scope->no_types : "",
				       scope->machine == DKT__X86_64 ? "%di" : "%x0");
	return dkt__probe_fail(eval, -ENOENT, "%s has no variable '%s'%s", scope->where, name,
			       dkt__guess_words(&guess));
}

/* $retval, $arg1, $stack, $stack2, $comm; for an event probe its fields. */
static int eval_dollar(struct eval *eval, struct probe_value *value)
{
	struct probe_scope *scope = eval->scope;
	char name[WORD_MAX];
	unsigned int n;
	int err, end = 0;

	eval->p++;
	err = dkt__probe_read_name(eval, name);
	if (err)
		return err;
	dkt__probe_set_field(eval, name);
	dkt__probe_set_fetch(value, "$%s", name);
	if (!strcmp(name, "retval")) {
		dkt__probe_set_field(eval, "ret");
		if (!scope->result)
			return dkt__probe_fail(eval, -EINVAL,
					       "%s has a $retval only on return: %s%%return",
					       scope->where, scope->where);
		return scope->result(scope, value);
	}
	if (scope->is_event)
		return 0;
	if (sscanf(name, "arg%2u%n", &n, &end) == 1 && !name[end]) {
		if (!n || !scope->argument)
			return dkt__probe_fail(eval, -EINVAL, "$%s is not available at %s", name,
					       scope->where);
		return scope->argument(scope, n, value);
	}
	value->text = !strcmp(name, "comm") || !strcmp(name, "COMM");
	if (value->text || !strcmp(name, "stack") ||
	    (sscanf(name, "stack%4u%n", &n, &end) == 1 && !name[end]))
		return 0;
	return dkt__probe_fail(eval, -EINVAL,
			       "there is no $%s; use $retval, $arg1, $stack, $stack0 or $comm",
			       name);
}

static int eval_register(struct eval *eval, struct probe_value *value)
{
	char name[WORD_MAX];
	int err;

	eval->p++;
	err = dkt__probe_read_name(eval, name);
	if (err)
		return err;
	if (!dkt__abi_is_register(eval->scope->machine, name))
		return dkt__probe_fail(eval, -EINVAL,
				       "there is no register %%%s; use the kernel's names: %s",
				       name,
				       eval->scope->machine == DKT__X86_64 ? "%di, %ax, %r8, %sp" :
									     "%x0, %sp, %pc");
	dkt__probe_set_field(eval, name);
	dkt__probe_set_fetch(value, "%%%s", name);
	return 0;
}

/* Memory: @ADDRESS, @SYMBOL[+OFFSET], @+OFFSET in a file. */
static int eval_symbol(struct eval *eval, struct probe_value *value)
{
	size_t n = 1;
	char field[PROBE_FIELD_MAX + 1];

	while (dkt__in_name(eval->p[n]) || eval->p[n] == '+' || eval->p[n] == '.' ||
	       (eval->p[n] == '-' && eval->p[n + 1] != '>') ||
	       (eval->p[n] == ':' && starts_name(eval->p[n + 1]) && strchr(eval->p + n + 1, ':')))
		n++;
	if (n == 1)
		return dkt__probe_fail(eval, -EINVAL, "a symbol or an address is missing after @");
	dkt__probe_set_fetch(value, "%.*s", (int)DKT__MIN(n, sizeof(value->fetch)), eval->p);
	snprintf(field, sizeof(field), "%.*s", (int)strcspn(eval->p + 1, "+-:."), eval->p + 1);
	dkt__probe_set_field(eval, starts_name(*field) ? field : "value");
	value->text = false;
	eval->p += n;
	return 0;
}

/* Memory in the kernel's own syntax: +8(%sp), +u0($arg1). */
static int eval_offset(struct eval *eval, struct probe_value *value)
{
	bool minus = *eval->p == '-', user = eval->p[1] == 'u';
	uint64_t offset;
	int err;

	eval->p += 1 + user;
	err = dkt__probe_read_number(eval, &offset);
	if (!err)
		err = dkt__probe_expect(eval, '(');
	if (!err)
		err = eval_unary(eval, value);
	if (!err)
		err = dkt__probe_expect(eval, ')');
	if (!err && (value->bits || value->text))
		err = dkt__probe_fail(eval, -EINVAL, "the parentheses hold no address");
	if (err)
		return err;
	dkt__probe_load(eval->scope, value);
	value->typed = false;
	*value->plain = '\0';
	value->memory = true;
	value->user = user;
	value->offset = minus ? -(int64_t)offset : (int64_t)offset;
	return 0;
}

/* \123 and \"text" */
static int eval_constant(struct eval *eval, struct probe_value *value)
{
	size_t n = 1;

	if (eval->p[1] == '"') {
		const char *end = strchr(eval->p + 2, '"');

		if (!end)
			return dkt__probe_fail(eval, -EINVAL, "a \" is missing at the end");
		n = (size_t)(end + 1 - eval->p);
		value->text = true;
	} else {
		n += strspn(eval->p + 1, "-0123456789abcdefxABCDEFX");
	}
	dkt__probe_set_fetch(value, "%.*s", (int)DKT__MIN(n, sizeof(value->fetch)), eval->p);
	dkt__probe_set_field(eval, "constant");
	eval->p += n;
	return 0;
}

/* ---- casts ---- */

/* Parses (struct NAME *), (union NAME *), (enum NAME), (NAME *). False: not a cast, nothing read. */
static bool read_cast(struct eval *eval, enum ctype_kind *kind, char name[static WORD_MAX],
		      unsigned int *stars)
{
	struct eval at = *eval;
	struct {
		const char *word;
		enum ctype_kind kind;
	} kinds[] = { { "struct", CTYPE_STRUCT },
		      { "union", CTYPE_UNION },
		      { "enum", CTYPE_ENUM } };

	at.p++;
	skip_blanks(&at);
	if (!starts_name(*at.p) || dkt__probe_read_name(&at, name))
		return false;
	*kind = CTYPE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i].word))
			*kind = kinds[i].kind;
	skip_blanks(&at);
	if (*kind != CTYPE_NONE && (!starts_name(*at.p) || dkt__probe_read_name(&at, name)))
		return false;
	for (*stars = 0, skip_blanks(&at); *at.p == '*'; skip_blanks(&at)) {
		++*stars;
		at.p++;
	}
	if (*at.p != ')' || (*kind == CTYPE_NONE && !*stars))
		return false;
	eval->p = at.p + 1;
	return true;
}

/* Requires exactly one star: a pointer type has no type ID here, only its target has. */
static int eval_cast(struct eval *eval, enum ctype_kind kind, const char *name, unsigned int stars,
		     struct probe_value *value)
{
	struct ctype_source *types = eval->scope->types;
	uint32_t id;
	int err;

	if (!types)
		return dkt__probe_fail(eval, -ENOENT, "no types are known for a cast%s%s",
				       eval->scope->no_types ? ": " : "",
				       eval->scope->no_types ? eval->scope->no_types : "");
	if (types->find(types, kind, name, &id))
		return dkt__probe_fail(eval, -ENOENT, "there is no %s'%s'",
				       kind == CTYPE_STRUCT ? "struct " :
				       kind == CTYPE_UNION  ? "union " :
				       kind == CTYPE_ENUM   ? "enum " :
							      "type ",
				       name);
	if (stars != 1)
		return dkt__probe_fail(eval, -EINVAL, "a cast must be to a pointer: (struct %s *)",
				       name);
	err = eval_unary(eval, value);
	if (err)
		return err;
	dkt__probe_load(eval->scope, value);
	/* As after dkt__probe_deref(): the value is the pointer's target. */
	value->typed = true;
	value->memory = true;
	value->offset = 0;
	value->type = id;
	return 0;
}

/* ((struct x *)p)->y: eval_cast() gives the pointer's target, so -> must follow. */
static int eval_parentheses(struct eval *eval, struct probe_value *value)
{
	enum ctype_kind kind;
	char name[WORD_MAX];
	unsigned int stars;
	int err;

	eval->p++;
	skip_blanks(eval);
	if (*eval->p == '(' && read_cast(eval, &kind, name, &stars)) {
		err = eval_cast(eval, kind, name, stars, value);
		if (!err)
			err = dkt__probe_expect(eval, ')');
		skip_blanks(eval);
		if (!err && eval->p[0] == '-' && eval->p[1] == '>') {
			eval->p += 2;
			return dkt__probe_take_member(eval, value);
		}
		return err ? err : dkt__probe_fail(eval, -EINVAL, "-> is missing after a cast");
	}
	err = eval_unary(eval, value);
	return err ? err : dkt__probe_expect(eval, ')');
}

static int eval_primary(struct eval *eval, struct probe_value *value)
{
	skip_blanks(eval);
	switch (*eval->p) {
	case '$':
		return eval_dollar(eval, value);
	case '%':
		return eval_register(eval, value);
	case '@':
		return eval_symbol(eval, value);
	case '+':
	case '-':
		return eval_offset(eval, value);
	case '\\':
		return eval_constant(eval, value);
	case '(':
		return eval_parentheses(eval, value);
	case '\0':
		return dkt__probe_fail(eval, -EINVAL, "a value is missing at the end");
	default:
		if (!starts_name(*eval->p))
			return dkt__probe_fail(eval, -EINVAL, "unexpected '%.20s'", eval->p);
		return eval_variable(eval, value);
	}
}

/* *p, and expressions of higher precedence. */
static int eval_unary(struct eval *eval, struct probe_value *value)
{
	int err;

	if (eval->depth >= DEPTH_MAX)
		return dkt__probe_fail(eval, -EINVAL, "it is nested too deep");
	eval->depth++;
	skip_blanks(eval);
	if (*eval->p == '*') {
		eval->p++;
		err = eval_unary(eval, value);
		if (!err)
			err = dkt__probe_deref(eval, value, "*");
	} else {
		err = eval_primary(eval, value);
		if (!err)
			err = eval_postfix(eval, value);
	}
	eval->depth--;
	return err;
}

int dkt__probe_eval(struct eval *eval, struct probe_value *value)
{
	int err;

	*value = (struct probe_value){ 0 };
	err = eval_unary(eval, value);
	skip_blanks(eval);
	return err;
}
