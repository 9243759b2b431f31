/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads configuration in YAML, event by event; every error names its line and column. */
#include "compat/lustre/class/reader.h"

#include "lib/base/buf.h"

/* ---- errors ---- */

int dkl_reader_refuse_at(struct reader *r, const yaml_mark_t *mark, const char *fmt, ...)
{
	char *why __cleanup(free) = NULL;
	va_list ap;

	va_start(ap, fmt);
	why = dkt__vformat(fmt, ap);
	va_end(ap);
	return dkt_fail(r->ctx, -EINVAL, "%s:%zu:%zu: %s", r->file, mark->line + 1,
			mark->column + 1, why ? why : "");
}

int dkl_reader_no_memory(struct reader *r)
{
	return dkt_fail(r->ctx, -ENOMEM, "%s: %s", r->file, strerror(ENOMEM));
}

/* Returns line and column of a byte, because libyaml has no mark for bytes that are not text. */
static yaml_mark_t mark_of_byte(const struct reader *r, size_t offset)
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
static bool tab_at(const struct reader *r, const yaml_mark_t *mark)
{
	const char *line = r->text, *end = r->text + r->len;

	for (size_t i = 0; i < mark->line && line; i++) {
		line = memchr(line, '\n', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	return line && mark->column < (size_t)(end - line) && line[mark->column] == '\t';
}

static int refuse_yaml(struct reader *r)
{
	const yaml_parser_t *yaml = &r->yaml;
	yaml_mark_t mark = yaml->problem_mark;

	if (yaml->error == YAML_MEMORY_ERROR)
		return dkl_reader_no_memory(r);
	if (yaml->error == YAML_READER_ERROR) {
		mark = mark_of_byte(r, yaml->problem_offset);
		return dkl_reader_refuse_at(r, &mark, "%s", yaml->problem);
	}
	if (tab_at(r, &mark))
		return dkl_reader_refuse_at(r, &mark, "a tab: indent with spaces");
	return dkl_reader_refuse_at(r, &mark, "%s%s%s", yaml->problem, yaml->context ? ", " : "",
				    yaml->context ? yaml->context : "");
}

/* ---- events of YAML ---- */

static int next(struct reader *r)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	yaml_event_delete(&r->event);
	if (!yaml_parser_parse(&r->yaml, &r->event))
		return refuse_yaml(r);
	switch (r->event.type) {
	case YAML_ALIAS_EVENT:
		return READER_REFUSE(r, "an alias: put a glob that begins with '*' in quotes");
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
		return READER_REFUSE(r, "anchors are not allowed here");
	return tag ? READER_REFUSE(r, "tags are not allowed here") : 0;
}

int dkl_reader_text(struct reader *r, const char *what, const char **text)
{
	const char *value = (const char *)r->event.data.scalar.value;
	size_t len;
	char *copy;

	if (r->event.type != YAML_SCALAR_EVENT)
		return READER_REFUSE(r, "%s must be text", what);
	len = r->event.data.scalar.length;
	while (len && value[len - 1] == '\n')
		len--;
	if (!len)
		return READER_REFUSE(r, "%s is empty", what);
	copy = dkt__arena_strndup(r->arena, value, len);
	if (!copy)
		return dkl_reader_no_memory(r);
	for (size_t i = 0; i < len; i++) {
		if (copy[i] == '\n')
			copy[i] = ' ';
		else if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
			return READER_REFUSE(r, "a control character in %s", what);
	}
	*text = copy;
	return 0;
}

int dkl_reader_bool(struct reader *r, const char *what, bool *value)
{
	const char *text;
	int err = dkl_reader_text(r, what, &text);

	if (err)
		return err;
	*value = !strcmp(text, "true");
	return *value || !strcmp(text, "false") ?
		       0 :
		       READER_REFUSE(r, "%s must be true or false", what);
}

int dkl_reader_mapping(struct reader *r, const struct reader_keys *keys, reader_fn fn, void *data)
{
	uint32_t seen = 0;
	const char *name;
	int err, key;

	if (r->event.type != YAML_MAPPING_START_EVENT)
		return READER_REFUSE(r, "expected lines of '%s: ...'", keys->what);
	for (;;) {
		err = next(r);
		if (err || r->event.type == YAML_MAPPING_END_EVENT)
			return err;
		err = dkl_reader_text(r, keys->what, &name);
		if (err)
			return err;
		key = keys->find(name);
		if (key < 0)
			return READER_REFUSE(r, "unknown %s '%s'", keys->what, name);
		if (seen & 1u << key)
			return READER_REFUSE(r, "duplicate %s '%s'", keys->what, name);
		seen |= 1u << key;
		err = next(r);
		if (!err)
			err = fn(r, (unsigned int)key, data);
		if (err)
			return err;
	}
}

int dkl_reader_list(struct reader *r, const char *what, unsigned int key, reader_fn fn, void *data)
{
	int err;

	if (r->event.type != YAML_SEQUENCE_START_EVENT)
		return READER_REFUSE(r, "%s must be a list", what);
	for (;;) {
		err = next(r);
		if (err || r->event.type == YAML_SEQUENCE_END_EVENT)
			return err;
		err = fn(r, key, data);
		if (err)
			return err;
	}
}

static int document(struct reader *r, reader_fn fn, void *data)
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
		err = READER_REFUSE(r, "a second document: a file can have only one");
	return err;
}

int dkl_reader_file(struct reader *r, reader_fn fn, void *data)
{
	int err;

	if (!yaml_parser_initialize(&r->yaml))
		return dkl_reader_no_memory(r);
	yaml_parser_set_encoding(&r->yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->yaml, (const unsigned char *)r->text, r->len);
	memset(&r->event, 0, sizeof(r->event));
	err = document(r, fn, data);
	yaml_event_delete(&r->event);
	yaml_parser_delete(&r->yaml);
	return err;
}
