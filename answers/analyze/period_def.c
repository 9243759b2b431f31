/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the definitions of periods. */
#include "answers/analyze/period_def.h"

#include "answers/analyze/period_pair.h"
#include "lib/base/buf.h"
#include "lib/base/guess.h"
#include "lib/base/memory.h"
#include "lib/base/request.h"
#include "lib/base/util.h"
#include "lib/inside.h"

#define BLANKS " \t\n"

/* A definition as it is read. */
struct reader {
	struct dkt_ctx *ctx;
	struct period_defs *defs;
	struct period_def *def;
	const char *p;
};

/* ---- memory ---- */

static void free_def(struct period_def *def)
{
	if (!def)
		return;
	for (uint32_t i = 0; i < def->n_fields; i++) {
		free(def->fields[i]->name);
		free(def->fields[i]);
	}
	for (size_t i = 0; i < def->n_columns; i++)
		free(def->columns[i].key);
	dkl_named_clear(&def->begin);
	dkl_named_clear(&def->end);
	dkt__strings_clear(&def->end_fields);
	free(def->fields);
	free(def->name);
	free(def);
}

void period_defs_clear(struct period_defs *defs)
{
	for (size_t i = 0; i < defs->n; i++)
		free_def(defs->list[i]);
	free(defs->list);
	*defs = (struct period_defs){ 0 };
}

/* ---- words ---- */

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (is_name(text[len]))
		len++;
	return len;
}

static void skip_blanks(struct reader *r)
{
	r->p += strspn(r->p, BLANKS);
}

/* The bytes of the text that a message shows. */
static int shown(const char *text)
{
	return (int)strcspn(text, BLANKS ";");
}

/* Takes the word if it is next, and a character that cannot be in a name follows. */
static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(r);
	if (strncmp(r->p, word, len) != 0 || is_name(r->p[len]))
		return false;
	r->p += len;
	return true;
}

/* ---- name and parent ---- */

static struct period_def *find_def(const struct period_defs *defs, const char *name, size_t len)
{
	for (size_t i = 0; i < defs->n; i++)
		if (strlen(defs->list[i]->name) == len && !strncmp(defs->list[i]->name, name, len))
			return defs->list[i];
	return NULL;
}

static int no_parent(struct reader *r, size_t len)
{
	struct dkt__guess guess;

	dkt__guess_start(&guess, r->p, len);
	for (size_t i = 0; i < r->defs->n; i++)
		dkt__guess_try(&guess, r->defs->list[i]->name);
	return dkt_fail(r->ctx, -EINVAL, "%s: no period '%.*s' is defined before it%s",
			r->def->name, (int)len, r->p, dkt__guess_words(&guess));
}

static int read_parent(struct reader *r)
{
	size_t len;

	r->p++;
	skip_blanks(r);
	len = name_len(r->p);
	r->def->parent = find_def(r->defs, r->p, len);
	if (!r->def->parent)
		return no_parent(r, len ? len : (size_t)shown(r->p));
	r->p += len;
	skip_blanks(r);
	if (*r->p != ')')
		return dkt_fail(r->ctx, -EINVAL, "%s: the parent '%s' has no ')' behind it",
				r->def->name, r->def->parent->name);
	r->p++;
	skip_blanks(r);
	return 0;
}

static int read_name(struct reader *r)
{
	size_t len;
	int err = 0;

	skip_blanks(r);
	len = name_len(r->p);
	if (!len)
		return dkt_fail(r->ctx, -EINVAL,
				"'%.*s' is not a name of letters, digits and _; write NAME: begin"
				" EVENTS; end EVENTS",
				(int)strcspn(r->p, BLANKS ":;"), r->p);
	if (find_def(r->defs, r->p, len))
		return dkt_fail(r->ctx, -EINVAL, "there are two periods '%.*s'", (int)len, r->p);
	r->def->name = strndup(r->p, len);
	if (!r->def->name)
		return dkt__no_memory(r->ctx);
	r->p += len;
	skip_blanks(r);
	if (*r->p == '(')
		err = read_parent(r);
	if (!err && *r->p != ':')
		return dkt_fail(r->ctx, -EINVAL, "%s: expected a ':' after the name, not '%.*s'",
				r->def->name, shown(r->p), r->p);
	r->p++;
	return err;
}

/* ---- variables ---- */

/* Returns the index of a field of the record that begins the period; UINT32_MAX: memory is out. */
static uint32_t begin_field(struct period_def *def, const char *name, size_t len)
{
	struct period_field *field;

	for (uint32_t i = 0; i < def->n_fields; i++)
		if (strlen(def->fields[i]->name) == len &&
		    !strncmp(def->fields[i]->name, name, len))
			return i;
	field = calloc(1, sizeof(*field));
	if (field)
		field->name = strndup(name, len);
	if (field && field->name && !dkt__append(def->fields, def->n_fields, field))
		return def->n_fields - 1;
	if (field)
		free(field->name);
	free(field);
	return UINT32_MAX;
}

/* Takes "begin." or "parent.begin." off a name. Returns the period whose field is left; NULL: none. */
static struct period_def *side_of(struct period_def *def, const char **name, bool *parent)
{
	*parent = !strncmp(*name, "parent.begin.", strlen("parent.begin."));
	if (*parent)
		*name += strlen("parent.begin.");
	else if (!strncmp(*name, "begin.", strlen("begin.")))
		*name += strlen("begin.");
	else
		return NULL;
	return *parent ? def->parent : def;
}

static int variable(void *data, const char *name, const struct dkt_variable **found)
{
	struct period_def *def = data, *of;
	const char *field = name;
	bool parent;
	uint32_t nr;

	of = side_of(def, &field, &parent);
	if (parent && !of)
		return dkt_fail(def->ctx, -EINVAL,
				"the period has no parent; write '%s(PARENT):' to give it one",
				def->name);
	if (!of || !*field || field[name_len(field)])
		return dkt_fail(def->ctx, -EINVAL,
				"'$%s' is not $begin.FIELD or $parent.begin.FIELD", name);
	if (!parent && !def->in_end)
		return dkt_fail(def->ctx, -EINVAL,
				"this record begins the period; only the end has $begin");
	nr = begin_field(of, field, strlen(field));
	if (nr == UINT32_MAX)
		return dkt__no_memory(def->ctx);
	of->fields[nr]->by_end |= !parent;
	*found = &of->fields[nr]->value;
	return 0;
}

/* ---- events ---- */

/* Returns the ';' that ends a list of events, or the end of the text. Filters may have one inside. */
static const char *events_end(const char *p)
{
	while (*p && *p != ';') {
		p += strspn(p, NAMED_SEPARATORS);
		p = dkl_named_word_end(p, NAMED_SEPARATORS ";");
	}
	return p;
}

static int read_events(struct reader *r, const char *word, struct named *named)
{
	char *text __cleanup(free) = NULL;
	const char *end;
	int err;

	if (!take_word(r, word))
		return dkt_fail(r->ctx, -EINVAL, "%s: expected '%s EVENTS'%s%.*s%s", r->def->name,
				word, shown(r->p) ? ", not '" : "", shown(r->p), r->p,
				shown(r->p) ? "'" : "");
	end = events_end(r->p);
	text = strndup(r->p, (size_t)(end - r->p));
	if (!text)
		return dkt__no_memory(r->ctx);
	r->p = end + (*end == ';');
	if (!text[strspn(text, NAMED_SEPARATORS)])
		return dkt_fail(r->ctx, -EINVAL, "%s: no event after '%s'", r->def->name, word);
	named->variable = variable;
	named->data = r->def;
	err = dkl_named_read(r->ctx, text, named);
	return err ? dkt__fail_in(r->ctx, err, "%s: %s", r->def->name, word) : 0;
}

/* ---- fields to show ---- */

/* Keys that a row has beside those of its fields. */
static bool is_taken(const struct period_def *def, const char *key)
{
	static const char *const own[] = { "table", "begin", "end", "duration", "parent_begin" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(own[i], key))
			return true;
	for (size_t i = 0; i < def->n_columns; i++)
		if (!strcmp(def->columns[i].key, key))
			return true;
	return false;
}

/* Finds the field in the list of its record, or adds it. */
static int set_field(struct reader *r, const char *name, size_t len, struct period_column *column)
{
	struct period_def *def = r->def, *of = def;
	bool parent = false;
	char *text __cleanup(free) = strndup(name, len);
	const char *field = text;
	size_t i = 0;

	if (!text)
		return dkt__no_memory(r->ctx);
	column->side = *text == '$' ? PERIOD_BEGIN : PERIOD_END;
	if (*text == '$') {
		field++;
		of = side_of(def, &field, &parent);
		column->side = parent ? PERIOD_PARENT : PERIOD_BEGIN;
	}
	if (parent && !of)
		return dkt_fail(r->ctx, -EINVAL, "%s: show %s: the period has no parent", def->name,
				text);
	if (!of || !*field || field[name_len(field)])
		return dkt_fail(r->ctx, -EINVAL,
				"%s: show: '%s' is not FIELD, $begin.FIELD or $parent.begin.FIELD",
				def->name, text);
	if (column->side != PERIOD_END) {
		column->field = begin_field(of, field, strlen(field));
		return column->field == UINT32_MAX ? dkt__no_memory(r->ctx) : 0;
	}
	while (i < def->end_fields.n && strcmp(def->end_fields.list[i], field) != 0)
		i++;
	column->field = (uint32_t)i;
	return i < def->end_fields.n ?
		       0 :
		       dkt__with_words(r->ctx, dkt__strings_add(&def->end_fields, field));
}

/* Takes ".syscall" or ".disk" off a field. */
static enum period_names take_names(const char *field, size_t *len)
{
	static const char *const ends[] = { [PERIOD_SYSCALL] = ".syscall", [PERIOD_DISK] = ".disk" };

	for (size_t i = PERIOD_SYSCALL; i < ARRAY_SIZE(ends); i++) {
		const size_t n = strlen(ends[i]);

		if (*len > n && !strncmp(field + *len - n, ends[i], n)) {
			*len -= n;
			return (enum period_names)i;
		}
	}
	return PERIOD_PLAIN;
}

/* Reads "FIELD" or "KEY=FIELD", with or without the names of its numbers. */
static int read_column(struct reader *r, const char *text, size_t len)
{
	struct period_def *def = r->def;
	struct period_column column = { 0 };
	const char *equals = memchr(text, '=', len), *field = equals ? equals + 1 : text, *key;
	size_t field_len = (size_t)(text + len - field), key_len;
	int err;

	column.names = take_names(field, &field_len);
	err = set_field(r, field, field_len, &column);
	if (err)
		return err;
	for (key = field + field_len; key > field && is_name(key[-1]);)
		key--;
	key_len = equals ? (size_t)(equals - text) : (size_t)(field + field_len - key);
	key = equals ? text : key;
	if (!key_len || name_len(key) < key_len)
		return dkt_fail(r->ctx, -EINVAL, "%s: show: '%.*s' is not a name for a column",
				def->name, (int)key_len, key);
	if (def->n_columns == PERIOD_COLUMNS)
		return dkt_fail(r->ctx, -EINVAL, "%s: show: more than %d fields", def->name,
				PERIOD_COLUMNS);
	column.key = strndup(key, key_len);
	if (!column.key)
		return dkt__no_memory(r->ctx);
	if (is_taken(def, column.key))
		err = dkt_fail(r->ctx, -EINVAL,
			       "%s: show: a column '%s' is there already; write NAME=%.*s for"
			       " another name",
			       def->name, column.key, (int)field_len, field);
	def->columns[def->n_columns++] = column;
	return err;
}

static int read_show(struct reader *r)
{
	size_t before = r->def->n_columns;
	int err = 0;

	if (!take_word(r, "show"))
		return *r->p ? dkt_fail(r->ctx, -EINVAL,
					"%s: expected 'show FIELDS' or nothing, not '%.*s'",
					r->def->name, shown(r->p), r->p) :
			       0;
	while (!err && *(r->p += strspn(r->p, NAMED_SEPARATORS)) && *r->p != ';') {
		size_t len = strcspn(r->p, NAMED_SEPARATORS ";");

		err = read_column(r, r->p, len);
		r->p += len;
	}
	if (!err && r->def->n_columns == before)
		err = dkt_fail(r->ctx, -EINVAL, "%s: no field after 'show'", r->def->name);
	r->p += *r->p == ';';
	skip_blanks(r);
	if (!err && *r->p)
		err = dkt_fail(r->ctx, -EINVAL, "%s: '%.*s' is behind the end of the definition",
			       r->def->name, shown(r->p), r->p);
	return err;
}

/* ---- requests ---- */

/* Reads "match block_request;", if it is next. */
static int read_match(struct reader *r)
{
	if (!take_word(r, "match"))
		return 0;
	r->def->requests = take_word(r, DKT__REQUEST_KEY);
	skip_blanks(r);
	if (!r->def->requests || (*r->p && *r->p != ';'))
		return dkt_fail(r->ctx, -EINVAL,
				"%s: match: '%.*s' is not " DKT__REQUEST_KEY
				"; fields are compared in the filter of the end",
				r->def->name, shown(r->p), r->p);
	r->p += *r->p == ';';
	skip_blanks(r);
	return 0;
}

/* ---- the definition ---- */

static int read_def(struct dkt_ctx *ctx, const char *text, struct period_defs *defs)
{
	struct reader r = { .ctx = ctx, .defs = defs, .p = text };
	int err = 0;

	if (defs->n == PERIODS_MAX)
		return dkt_fail(ctx, -EINVAL, "more than %d periods", PERIODS_MAX);
	r.def = calloc(1, sizeof(*r.def));
	if (!r.def)
		return dkt__no_memory(ctx);
	r.def->ctx = ctx;
	err = read_name(&r);
	if (!err)
		err = read_events(&r, "begin", &r.def->begin);
	r.def->in_end = true;
	if (!err)
		err = read_events(&r, "end", &r.def->end);
	if (!err)
		err = read_match(&r);
	if (!err)
		err = read_show(&r);
	if (!err)
		err = dkt__with_words(ctx, dkt__append(defs->list, defs->n, r.def));
	if (err)
		free_def(r.def);
	return err;
}

/* True if a definition of a ready-made pair is there, as the one that other pairs are within. */
static bool is_there(const struct period_defs *defs, const char *text)
{
	return find_def(defs, text, name_len(text));
}

/* Reads the definitions of a ready-made pair: those that it is within, then its own. */
static int read_pair(struct dkt_ctx *ctx, const char *name, struct period_defs *defs)
{
	char *text = NULL, *rest, *one;
	int err = period_pair_text(ctx, name, &text);

	for (rest = text; !err && (one = strsep(&rest, PERIOD_SEPARATOR_TEXT));)
		if (!rest || !is_there(defs, one))
			err = read_def(ctx, one, defs);
	free(text);
	return err;
}

int period_defs_read(struct dkt_ctx *ctx, const char *text, struct period_defs *defs)
{
	int err = 0;

	while (!err && *text) {
		size_t len = (size_t)(strchrnul(text, PERIOD_SEPARATOR) - text);
		char *one __cleanup(free) = strndup(text, len);

		if (!one)
			err = dkt__no_memory(ctx);
		else if (strpbrk(one, ":;([" BLANKS))
			err = read_def(ctx, one, defs);
		else
			err = read_pair(ctx, one, defs);
		text += len + (text[len] == PERIOD_SEPARATOR);
	}
	return err ? dkt__fail_in(ctx, err, "--period") : 0;
}
