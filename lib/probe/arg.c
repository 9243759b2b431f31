/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A probe's arguments: their names and the types with which the kernel records them. */
#include "lib/probe.h"
#include "lib/probe/eval.h"
#include "lib/tracefs.h"

void dkt__probe_features(struct dkt_ctx *ctx, struct probe_features *features)
{
	char *text __cleanup(free) = NULL;

	*features = (struct probe_features){ 0 };
	if (dkt__tfs_read(ctx, &text, NULL, "README"))
		return;
	features->arg = strstr(text, "$arg<N>");
	features->type_char = strstr(text, " char,");
	features->type_symbol = strstr(text, "symbol,");
	features->ustring = strstr(text, "ustring");
	features->array = strstr(text, "<type>\\[<array-size>\\]");
	features->fprobe = strstr(text, " f[:");
	features->tracepoint = strstr(text, " t[:");
	features->event = strstr(text, " e[:");
}

/* ---- types ---- */

/* True if the text is one of the kernel's types, perhaps with the size of an array. */
static bool is_cast(const char *cast)
{
	static const char *const names[] = { "char",   "string", "ustring", "symbol",
					     "symstr", "%pd",    "%pD",     NULL };
	unsigned int a, b, c;
	char kind;
	int end = 0;
	char *word __cleanup(free) = NULL;
	const char *bracket = strchr(cast, '[');

	if (sscanf(cast, "b%3u@%3u/%3u%n", &a, &b, &c, &end) == 3 && !cast[end])
		return a && a + b <= c && (c == 8 || c == 16 || c == 32 || c == 64);
	if (bracket) {
		end = 0;
		if (sscanf(bracket, "[%3u]%n", &a, &end) != 1 || !end || bracket[end] || !a ||
		    a > PROBE_ARRAY_MAX)
			return false;
		word = strndup(cast, (size_t)(bracket - cast));
		return word && is_cast(word);
	}
	for (unsigned int i = 0; names[i]; i++)
		if (!strcmp(cast, names[i]))
			return true;
	end = 0;
	return sscanf(cast, "%c%2u%n", &kind, &a, &end) == 2 && !cast[end] && strchr("sux", kind) &&
	       (a == 8 || a == 16 || a == 32 || a == 64);
}

static bool is_string(const char *cast)
{
	return !strncmp(cast, "string", 6) || !strncmp(cast, "ustring", 7);
}

/* Returns the type of an integer: s32, u8, ... NULL: the kernel cannot fetch that size. */
static const char *int_type(const struct ctype *type)
{
	static const char *const names[2][9] = {
		{ [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
		{ [1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64" },
	};

	return type->size < ARRAY_SIZE(names[0]) ? names[type->is_signed][type->size] : NULL;
}

/* Returns the default type that records a value. NULL: none; *why has the reason. */
static const char *scalar_type(struct probe_scope *scope, const struct ctype *type,
			       const char **why)
{
	const struct probe_features *features = scope->features;
	struct ctype target;

	switch (type->kind) {
	case CTYPE_CHAR:
		return features->type_char ? "char" : int_type(type);
	case CTYPE_BOOL:
	case CTYPE_INT:
	case CTYPE_ENUM:
		*why = "the kernel records integers of 1, 2, 4 and 8 bytes only";
		return int_type(type);
	case CTYPE_POINTER:
		if (features->type_symbol && !scope->is_user &&
		    !scope->types->get(scope->types, type->target, &target) &&
		    target.kind == CTYPE_FUNCTION)
			return "symbol";
		return "x64";
	case CTYPE_FLOAT:
		*why = "it is a floating point number; :x64 or :x32 records its bits";
		return NULL;
	case CTYPE_VOID:
		*why = "it is void";
		return NULL;
	default:
		*why = "it is not a value";
		return NULL;
	}
}

/* ---- FETCH:TYPE ---- */

static int put(struct eval *eval, struct probe_value *value, const char *type, struct dkt_buf *buf)
{
	size_t len;

	dkt__probe_load(eval->scope, value);
	len = strlen(value->fetch) + (*type ? 1 + strlen(type) : 0);
	if (len > PROBE_FETCH_MAX)
		return dkt__probe_fail(eval, -E2BIG,
				       "%s%s%s has %zu characters; the kernel's limit is %d",
				       value->fetch, *type ? ":" : "", type, len, PROBE_FETCH_MAX);
	dkt_buf_printf(buf, "%s%s%s", value->fetch, *type ? ":" : "", type);
	return buf->err;
}

/* Fetches a bit-field by the smallest unit of memory that contains it. */
static int put_bits(struct eval *eval, struct probe_value *value, struct dkt_buf *buf)
{
	uint32_t bit = value->bit, unit = 64;
	char type[40];

	if (value->memory) {
		for (unit = 8; unit <= 64; unit *= 2) {
			bit = (uint32_t)(value->offset & (unit / 8 - 1)) * 8 + value->bit;
			if (bit + value->bits <= unit)
				break;
		}
		if (unit <= 64)
			value->offset &= -(int64_t)(unit / 8);
	}
	if (unit > 64 || bit + value->bits > unit)
		return dkt__probe_fail(eval, -EINVAL, "a bit-field of %u bits cannot be fetched",
				       value->bits);
	snprintf(type, sizeof(type), "b%u@%u/%u", value->bits, bit, unit);
	return put(eval, value, type, buf);
}

/* The value is the address of a string, unless it is a string itself. */
static int put_string(struct eval *eval, struct probe_value *value, const char *type,
		      struct dkt_buf *buf)
{
	struct probe_scope *scope = eval->scope;
	struct ctype t = { 0 };
	bool itself = value->text || value->fetch[0] == '@' ||
		      (scope->is_event && value->fetch[0] == '$');

	if (value->typed)
		scope->types->get(scope->types, value->type, &t);
	if (value->memory && (!value->typed || t.kind == CTYPE_ARRAY || t.kind == CTYPE_CHAR ||
			      t.kind == CTYPE_STRUCT || t.kind == CTYPE_UNION))
		itself = true;
	if (value->memory && itself && value->user && !scope->is_user && *type == 's')
		type = "ustring";
	if (!itself) {
		dkt__probe_load(scope, value);
		value->memory = true;
	}
	return put(eval, value, type, buf);
}

static int put_array(struct eval *eval, struct probe_value *value, const struct ctype *array,
		     struct dkt_buf *buf)
{
	const char *why = "it is not an array of numbers", *name = NULL;
	struct ctype element;
	char type[24];
	int err = dkt__probe_type(eval, array->target, &element);

	if (err)
		return err;
	if (element.kind == CTYPE_CHAR)
		return put_string(eval, value, "string", buf);
	if (!array->count)
		return dkt__probe_fail(eval, -EINVAL,
				       "it is an array without a length; choose an element: [0]");
	if (element.kind == CTYPE_STRUCT || element.kind == CTYPE_UNION ||
	    element.kind == CTYPE_ARRAY)
		return dkt__probe_fail(eval, -EINVAL,
				       "it is an array of %s; choose an element and a member: [0]",
				       element.kind == CTYPE_ARRAY ? "arrays" : "structs");
	name = scalar_type(eval->scope, &element, &why);
	if (!name)
		return dkt__probe_fail(eval, -EINVAL, "it is an array, of whose elements: %s", why);
	if (array->count > PROBE_ARRAY_MAX)
		return dkt__probe_fail(
			eval, -E2BIG,
			"it has %llu elements; the kernel's limit is %d; :%s[%d] records the"
			" first ones",
			(unsigned long long)array->count, PROBE_ARRAY_MAX, name, PROBE_ARRAY_MAX);
	if (!eval->scope->features->array)
		return dkt__probe_fail(eval, -EOPNOTSUPP, "this kernel records no arrays");
	if (!value->memory)
		return dkt__probe_fail(eval, -EINVAL, "an array in a register cannot be fetched");
	snprintf(type, sizeof(type), "%s[%u]", name, (unsigned int)array->count);
	return put(eval, value, type, buf);
}

static int put_struct(struct eval *eval, const struct ctype *type)
{
	char names[160];

	dkt__ctype_member_names(eval->scope->types, type->id, names, sizeof(names));
	return dkt__probe_fail(eval, -EINVAL, "it is %s %s; choose a member: %s",
			       type->kind == CTYPE_UNION ? "union" : "struct",
			       *type->name ? type->name : "{...}",
			       *names ? names : "it has none that are known");
}

static int put_typed(struct eval *eval, struct probe_value *value, struct dkt_buf *buf)
{
	const char *why = "", *name;
	struct ctype type;
	int err = dkt__probe_type(eval, value->type, &type);

	if (err)
		return err;
	if (type.kind == CTYPE_STRUCT || type.kind == CTYPE_UNION)
		return put_struct(eval, &type);
	if (type.kind == CTYPE_ARRAY)
		return put_array(eval, value, &type, buf);
	if (value->bits)
		return put_bits(eval, value, buf);
	if (type.kind == CTYPE_POINTER && dkt__ctype_is_char(eval->scope->types, type.target))
		return put_string(
			eval, value,
			type.user && eval->scope->features->ustring ? "ustring" : "string", buf);
	name = scalar_type(eval->scope, &type, &why);
	if (!name)
		return dkt__probe_fail(eval, -EINVAL, "%s", why);
	if (!value->memory && value->bit) {
		value->bits = (uint32_t)type.size * 8;
		return put_bits(eval, value, buf);
	}
	return put(eval, value, name, buf);
}

/* Appends FETCH:TYPE; cast is the requested type or "". */
static int finish(struct eval *eval, struct probe_value *value, const char *cast,
		  struct dkt_buf *buf)
{
	if (*cast && !is_cast(cast))
		return dkt__probe_fail(
			eval, -EINVAL,
			"unknown type ':%s'; the types are s8..s64, u8..u64, x8..x64, char, string,"
			" ustring, symbol, bWIDTH@OFFSET/SIZE, and TYPE[COUNT] up to %d",
			cast, PROBE_ARRAY_MAX);
	if (is_string(cast)) {
		if (value->bits)
			return dkt__probe_fail(eval, -EINVAL, "a bit-field is not a string");
		return put_string(eval, value, cast, buf);
	}
	if (!*cast && value->text)
		return put(eval, value, eval->scope->is_event ? "string" : "", buf);
	if (!*cast && value->typed)
		return put_typed(eval, value, buf);
	if (value->bits && *cast != 'b')
		return dkt__probe_fail(eval, -EINVAL,
				       "a bit-field is recorded as one: leave ':%s' out", cast);
	return put(eval, value, *cast ? cast : value->plain, buf);
}

/* ---- names ---- */

struct fields {
	struct probe_scope *scope;
	struct dkt_buf buf;
	char names[PROBE_ARGS_MAX][PROBE_FIELD_MAX + 1];
	size_t n;
};

/* trace_probe.c: reserved_field_names */
static bool is_reserved(const char *name)
{
	static const char *const names[] = { "common_type",          "common_flags",
					     "common_preempt_count", "common_pid",
					     "common_tgid",          "__probe_ip",
					     "__probe_func",         "__probe_ret_ip",
					     "__probe_nargs",        NULL };

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool is_used(const struct fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->n; i++)
		if (!strcmp(fields->names[i], name))
			return true;
	return false;
}

/* A name that the user chose must be usable; a derived one is changed until it is. */
static int choose_name(struct fields *fields, const struct eval *eval, const char *given)
{
	const char *derived = dkt__probe_is_name(eval->field) ? eval->field : "value";
	char *name = fields->names[fields->n];

	if (given) {
		if (strlen(given) > PROBE_FIELD_MAX)
			return dkt__probe_fail(
				eval, -E2BIG,
				"the name has %zu characters; the kernel's limit is %d",
				strlen(given), PROBE_FIELD_MAX);
		if (!dkt__probe_is_name(given) || is_reserved(given) || is_used(fields, given))
			return dkt__probe_fail(eval, -EINVAL, "the name '%s' %s", given,
					       !dkt__probe_is_name(given) ? "is invalid" :
					       is_reserved(given)         ? "is the kernel's own" :
									    "is used twice");
		snprintf(name, PROBE_FIELD_MAX + 1, "%s", given);
		return 0;
	}
	snprintf(name, PROBE_FIELD_MAX + 1, "%s", derived);
	for (unsigned int i = 2; is_used(fields, name) || is_reserved(name); i++)
		snprintf(name, PROBE_FIELD_MAX + 1, "%.26s_%u", derived, i % 1000);
	return 0;
}

/* Takes NAME= into *name, which the caller frees, and returns the rest. */
static const char *take_name(const char *whole, char **name)
{
	size_t n = strcspn(whole, "=:");

	*name = NULL;
	if (whole[n] != '=' || !n || strchr("$%@+-\\(*", *whole))
		return whole;
	*name = strndup(whole, n);
	return whole + n + 1;
}

/* True for $retval of a function that returns nothing, which may be one of those that a glob matches. */
static bool lacks_result(const struct eval *eval, const char *argument,
			 const struct probe_value *value)
{
	struct ctype_source *types = eval->scope->types;
	struct ctype type;

	return eval->scope->is_glob && value->typed && !strcmp(argument, "$retval") &&
	       !types->get(types, value->type, &type) && type.kind == CTYPE_VOID;
}

static int add_field(struct fields *fields, const char *whole)
{
	char *given __cleanup(free) = NULL;
	struct eval eval = { .scope = fields->scope,
			     .whole = whole,
			     .p = take_name(whole, &given) };
	const char *const argument = eval.p;
	struct probe_value value;
	int err;

	if (fields->n >= PROBE_ARGS_MAX)
		return dkt_fail(fields->scope->ctx, -E2BIG,
				"there are more arguments than"
				" the kernel's limit of %d",
				PROBE_ARGS_MAX);
	err = dkt__probe_eval(&eval, &value);
	if (err || lacks_result(&eval, argument, &value))
		return err;
	if (*eval.p && *eval.p != ':')
		return dkt__probe_fail(&eval, -EINVAL, "unexpected '%.20s'", eval.p);
	err = choose_name(fields, &eval, given);
	if (err)
		return err;
	dkt_buf_printf(&fields->buf, "%s%s=", fields->n ? " " : "", fields->names[fields->n]);
	fields->n++;
	return finish(&eval, &value, *eval.p ? eval.p + 1 : "", &fields->buf);
}

/* ---- arguments ---- */

/* Takes the next argument. Spaces separate arguments, except inside parentheses and quotes. */
static char *next_argument(const char **at)
{
	const char *from, *p;
	bool quoted = false;
	int depth = 0;

	while (**at == ' ' || **at == '\t' || **at == '\n')
		(*at)++;
	from = *at;
	for (p = from; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		depth += (*p == '(') - (*p == ')');
		if (depth <= 0 && (*p == ' ' || *p == '\t' || *p == '\n'))
			break;
	}
	*at = p;
	return p == from ? NULL : strndup(from, (size_t)(p - from));
}

static int check_bytes(struct probe_scope *scope, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	/* A newline would begin another definition. */
	for (; *p; p++)
		if ((*p < 0x20 && *p != '\t') || *p == 0x7f || *p == '#')
			return dkt_fail(scope->ctx, -EINVAL,
					"an argument has the invalid character \\x%02x", *p);
	return 0;
}

int dkt__probe_fields(struct probe_scope *scope, const char *const *args, size_t n, char **out)
{
	struct fields *fields = calloc(1, sizeof(*fields));
	int err = fields ? 0 : dkt__no_memory(scope->ctx);

	*out = NULL;
	if (!fields)
		return err;
	fields->scope = scope;
	for (size_t i = 0; !err && i < n; i++) {
		const char *at = args[i];
		char *argument;

		err = check_bytes(scope, at);
		while (!err && (argument = next_argument(&at))) {
			err = add_field(fields, argument);
			free(argument);
		}
	}
	if (!err)
		err = fields->buf.err;
	if (!err) {
		*out = strndup(fields->buf.len ? fields->buf.data : "", fields->buf.len);
		err = *out ? 0 : dkt__no_memory(scope->ctx);
	}
	free(fields->buf.data);
	free(fields);
	return err;
}
