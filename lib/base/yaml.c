/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads configuration in YAML, event by event; every error names its line and column. */
#include "lib/base/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/util.h"

/* ---- errors ---- */

/* The first failure is the cause. */
static int fail(struct dkt__yaml *r, int err, char *why)
{
	if (r->why)
		free(why);
	else
		r->why = why;
	return err;
}

int dkt__yaml_refuse_at(struct dkt__yaml *r, const yaml_mark_t *mark, const char *fmt, ...)
{
	char *why __cleanup(free) = NULL;
	va_list ap;

	va_start(ap, fmt);
	why = dkt__vformat(fmt, ap);
	va_end(ap);
	return fail(r, -EINVAL,
		    dkt__format("%s:%zu:%zu: %s", r->file, mark->line + 1, mark->column + 1,
				why ? why : ""));
}

int dkt__yaml_no_memory(struct dkt__yaml *r)
{
	return fail(r, -ENOMEM, dkt__format("%s: %s", r->file, strerror(ENOMEM)));
}

/* Returns line and column of a byte, because libyaml has no mark for bytes that are not text. */
static yaml_mark_t mark_of_byte(const struct dkt__yaml *r, size_t offset)
{
	yaml_mark_t mark = { 0 };

	for (size_t i = 0; i < offset && i < r->len; i++) {
		if (r->text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		} else if ((r->text[i] & 0xc0) != 0x80) {
			mark.column++;
		}
	}
	return mark;
}

/* True if there is a tab at the mark, for a clearer message than libyaml's. */
static bool tab_at(const struct dkt__yaml *r, const yaml_mark_t *mark)
{
	const char *line = r->text, *end = r->text + r->len;

	for (size_t i = 0; i < mark->line && line; i++) {
		line = memchr(line, '\n', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	return line && mark->column < (size_t)(end - line) && line[mark->column] == '\t';
}

static int refuse_yaml(struct dkt__yaml *r)
{
	const yaml_parser_t *yaml = &r->yaml;
	yaml_mark_t mark = yaml->problem_mark;

	if (yaml->error == YAML_MEMORY_ERROR)
		return dkt__yaml_no_memory(r);
	if (yaml->error == YAML_READER_ERROR) {
		mark = mark_of_byte(r, yaml->problem_offset);
		return dkt__yaml_refuse_at(r, &mark, "%s", yaml->problem);
	}
	if (tab_at(r, &mark))
		return dkt__yaml_refuse_at(r, &mark, "a tab: indent with spaces");
	return dkt__yaml_refuse_at(r, &mark, "%s%s%s", yaml->problem, yaml->context ? ", " : "",
				   yaml->context ? yaml->context : "");
}

/* ---- events of YAML ---- */

static int next(struct dkt__yaml *r)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	yaml_event_delete(&r->event);
	if (!yaml_parser_parse(&r->yaml, &r->event))
		return refuse_yaml(r);
	switch (r->event.type) {
	case YAML_ALIAS_EVENT:
		return DKT__YAML_REFUSE(r, "an alias: put a glob that begins with '*' in quotes");
	case YAML_SCALAR_EVENT:
		anchor = r->event.data.scalar.anchor;
		tag = r->event.data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = r->event.data.sequence_start.anchor;
		tag = r->event.data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = r->event.data.mapping_start.anchor;
		tag = r->event.data.mapping_start.tag;
		break;
	default:
		break;
	}
	if (anchor)
		return DKT__YAML_REFUSE(r, "anchors are not allowed here");
	return tag ? DKT__YAML_REFUSE(r, "tags are not allowed here") : 0;
}

int dkt__yaml_text(struct dkt__yaml *r, const char *what, const char **text)
{
	const char *value = (const char *)r->event.data.scalar.value;
	size_t len;
	char *copy;

	if (r->event.type != YAML_SCALAR_EVENT)
		return DKT__YAML_REFUSE(r, "%s must be text", what);
	len = r->event.data.scalar.length;
	while (len && value[len - 1] == '\n')
		len--;
	if (!len)
		return DKT__YAML_REFUSE(r, "%s is empty", what);
	copy = dkt__arena_strndup(r->arena, value, len);
	if (!copy)
		return dkt__yaml_no_memory(r);
	for (size_t i = 0; i < len; i++) {
		if (copy[i] == '\n')
			copy[i] = ' ';
		else if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
			return DKT__YAML_REFUSE(r, "a control character in %s", what);
	}
	*text = copy;
	return 0;
}

int dkt__yaml_bool(struct dkt__yaml *r, const char *what, bool *value)
{
	const char *text;
	int err = dkt__yaml_text(r, what, &text);

	if (err)
		return err;
	*value = !strcmp(text, "true");
	return *value || !strcmp(text, "false") ?
		       0 :
		       DKT__YAML_REFUSE(r, "%s must be true or false", what);
}

/* Gets the next name of the mapping, and stops at its value. Returns 1 at the end. */
static int next_name(struct dkt__yaml *r, const char *what, const char **name)
{
	int err = next(r);

	if (err || r->event.type == YAML_MAPPING_END_EVENT)
		return err ? err : 1;
	return dkt__yaml_text(r, what, name);
}

static int begin_mapping(struct dkt__yaml *r, const char *what)
{
	return r->event.type == YAML_MAPPING_START_EVENT ?
		       0 :
		       DKT__YAML_REFUSE(r, "expected lines of '%s: ...'", what);
}

static int find_key(const struct dkt__yaml_keys *keys, const char *name)
{
	if (keys->find)
		return keys->find(name);
	for (size_t i = 0; i < keys->n; i++)
		if (!strcmp(keys->words[i], name))
			return (int)i;
	return -ENOENT;
}

int dkt__yaml_mapping(struct dkt__yaml *r, const struct dkt__yaml_keys *keys, dkt__yaml_fn fn,
		      void *data)
{
	uint32_t seen = 0;
	const char *name;
	int key, err = begin_mapping(r, keys->what);

	while (!err && !(err = next_name(r, keys->what, &name))) {
		key = find_key(keys, name);
		if (key < 0)
			return DKT__YAML_REFUSE(r, "unknown %s '%s'", keys->what, name);
		if (seen & 1u << key)
			return DKT__YAML_REFUSE(r, "duplicate %s '%s'", keys->what, name);
		seen |= 1u << key;
		err = next(r);
		if (!err)
			err = fn(r, (unsigned int)key, data);
	}
	return DKT__MIN(err, 0);
}

int dkt__yaml_names(struct dkt__yaml *r, const char *what, dkt__yaml_name_fn fn, void *data)
{
	const char *name;
	int err = begin_mapping(r, what);

	while (!err && !(err = next_name(r, what, &name))) {
		err = next(r);
		if (!err)
			err = fn(r, name, data);
	}
	return DKT__MIN(err, 0);
}

int dkt__yaml_list(struct dkt__yaml *r, const char *what, unsigned int key, dkt__yaml_fn fn,
		   void *data)
{
	int err;

	if (r->event.type != YAML_SEQUENCE_START_EVENT)
		return DKT__YAML_REFUSE(r, "%s must be a list", what);
	for (;;) {
		err = next(r);
		if (err || r->event.type == YAML_SEQUENCE_END_EVENT)
			return err;
		err = fn(r, key, data);
		if (err)
			return err;
	}
}

static int document(struct dkt__yaml *r, dkt__yaml_fn fn, void *data)
{
	int err = next(r);

	if (!err)
		err = next(r);
	if (err || r->event.type == YAML_STREAM_END_EVENT)
		return err; /* nothing but comments */
	err = next(r);
	if (!err)
		err = fn(r, 0, data);
	if (!err)
		err = next(r);
	if (!err)
		err = next(r);
	if (!err && r->event.type != YAML_STREAM_END_EVENT)
		err = DKT__YAML_REFUSE(r, "a second document: a file can have only one");
	return err;
}

int dkt__yaml_file(struct dkt__yaml *r, dkt__yaml_fn fn, void *data)
{
	int err;

	if (!yaml_parser_initialize(&r->yaml))
		return dkt__yaml_no_memory(r);
	yaml_parser_set_encoding(&r->yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->yaml, (const unsigned char *)r->text, r->len);
	memset(&r->event, 0, sizeof(r->event));
	err = document(r, fn, data);
	yaml_event_delete(&r->event);
	yaml_parser_delete(&r->yaml);
	return err;
}
