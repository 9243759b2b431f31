/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes LNet's self-describing netlink messages, and survives malformed ones. */
#include <limits.h>
#include <netlink/attr.h>

#include "compat/lustre/keyval.h"
#include "lib/base/util.h"

/* Attributes of a table of keys; the kernel's enum lnet_nl_scalar_attrs. */
enum {
	ATTR_LIST = 1, /* nested: a table, with one nested attribute per key */
	ATTR_INDEX = 3, /* u16: type of the attribute that has the key's value */
	ATTR_NLA_TYPE = 4, /* u16: kind of the value, such as NLA_STRING */
	ATTR_VALUE = 5, /* string: name of the key */
};

struct keyval_key {
	uint16_t index;
	uint16_t type;
	char *name;
	struct keyval_table *child; /* for NLA_NESTED, otherwise NULL */
};

struct keyval_table {
	struct keyval_key *keys;
	size_t n;
};

/* Walks over attributes, and reads only those that nla_ok() accepts. */
struct cursor {
	const struct nlattr *attr;
	int left;
};

static int cursor_init(struct cursor *at, const void *attrs, size_t len)
{
	if (len > INT_MAX)
		return -EBADMSG;
	at->attr = attrs;
	at->left = (int)len;
	return 0;
}

/* Returns the next attribute; NULL at the end, with *err set if the rest is not an attribute. */
static struct nlattr *cursor_next(struct cursor *at, int *err)
{
	struct nlattr *attr = (struct nlattr *)at->attr;

	if (at->left <= 0)
		return NULL;
	if (!nla_ok(attr, at->left)) {
		*err = -EBADMSG;
		return NULL;
	}
	at->attr = nla_next(attr, &at->left);
	return attr;
}

static int cursor_nested(struct cursor *at, const struct nlattr *attr)
{
	return cursor_init(at, nla_data(attr), (size_t)nla_len(attr));
}

/* ---- table of keys ---- */

void dkl_keyval_table_free(struct keyval_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n; i++) {
		free(table->keys[i].name);
		dkl_keyval_table_free(table->keys[i].child);
	}
	free(table->keys);
	free(table);
}

static int get_u16(const struct nlattr *attr, uint16_t *value)
{
	if (nla_len(attr) < (int)sizeof(*value))
		return -EBADMSG;
	*value = nla_get_u16(attr);
	return 0;
}

static int read_table(const struct nlattr *list, unsigned int depth, struct keyval_table **out);

static int read_key_attr(const struct nlattr *attr, unsigned int depth, struct keyval_key *key)
{
	switch (nla_type(attr)) {
	case ATTR_INDEX:
		return get_u16(attr, &key->index);
	case ATTR_NLA_TYPE:
		return get_u16(attr, &key->type);
	case ATTR_VALUE:
		free(key->name);
		key->name = strndup(nla_data(attr), (size_t)nla_len(attr));
		return key->name ? 0 : -ENOMEM;
	case ATTR_LIST:
		dkl_keyval_table_free(key->child);
		return read_table(attr, depth + 1, &key->child);
	default:
		return 0;
	}
}

static int read_key(const struct nlattr *nest, unsigned int depth, struct keyval_key *key)
{
	struct nlattr *attr;
	struct cursor at;
	int err = cursor_nested(&at, nest);

	while (!err && (attr = cursor_next(&at, &err)))
		err = read_key_attr(attr, depth, key);
	if (!err && !key->index)
		err = -EBADMSG;
	return err;
}

static int add_key(struct keyval_table *table, const struct nlattr *nest, unsigned int depth)
{
	if (table->n == KEYVAL_KEYS)
		return -EBADMSG;
	if (dkt__append(table->keys, table->n, (struct keyval_key){ 0 }))
		return -ENOMEM;
	return read_key(nest, depth, &table->keys[table->n - 1]);
}

static int read_table(const struct nlattr *list, unsigned int depth, struct keyval_table **out)
{
	struct keyval_table *table;
	struct nlattr *attr;
	struct cursor at;
	int err;

	*out = NULL;
	if (depth >= KEYVAL_DEPTH)
		return -EBADMSG;
	table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	err = cursor_nested(&at, list);
	while (!err && (attr = cursor_next(&at, &err)))
		err = add_key(table, attr, depth);
	if (err) {
		dkl_keyval_table_free(table);
		return err;
	}
	*out = table;
	return 0;
}

int dkl_keyval_table_new(const void *attrs, size_t len, struct keyval_table **table)
{
	struct nlattr *attr;
	struct cursor at;
	int err;

	*table = NULL;
	err = cursor_init(&at, attrs, len);
	while (!err && (attr = cursor_next(&at, &err)))
		if (nla_type(attr) == ATTR_LIST)
			return read_table(attr, 0, table);
	return err ? err : -EBADMSG;
}

/* ---- values ---- */

static const struct keyval_key *find_key(const struct keyval_table *table, int index)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->keys[i].index == index)
			return &table->keys[i];
	return NULL;
}

static int64_t read_number(const void *bytes, size_t size, bool is_signed)
{
	const unsigned int unused = (unsigned int)(64 - 8 * size);
	const uint64_t value = dkt__get_number(bytes, size);

	return is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

/* The size of a number of each type; 0 if the type is not a number. */
static const uint8_t number_sizes[] = {
	[NLA_U8] = 1, [NLA_U16] = 2, [NLA_U32] = 4, [NLA_U64] = 8,
	[NLA_S8] = 1, [NLA_S16] = 2, [NLA_S32] = 4, [NLA_S64] = 8,
};

static int each_scalar(const struct keyval_key *key, const struct nlattr *attr, unsigned int depth,
		       keyval_fn fn, void *data)
{
	struct keyval_item item = { .key = key->name ? key->name : "", .depth = depth };
	size_t size = key->type < ARRAY_SIZE(number_sizes) ? number_sizes[key->type] : 0;

	if (key->type == NLA_STRING || key->type == NLA_NUL_STRING) {
		item.is_text = true;
		item.text = nla_data(attr);
		item.len = strnlen(item.text, (size_t)nla_len(attr));
	} else if (key->type == NLA_FLAG) {
		item.number = 1;
	} else if (!size) {
		return 0;
	} else if ((size_t)nla_len(attr) < size) {
		return -EBADMSG;
	} else {
		item.number = read_number(nla_data(attr), size, key->type >= NLA_S8);
	}
	return fn(data, &item);
}

static int each_value(const struct keyval_table *table, struct cursor at, unsigned int depth,
		      keyval_fn fn, void *data);

/* A nested value is a list of rows, each with values for the keys of the child table. */
static int each_row(const struct keyval_table *child, const struct nlattr *list, unsigned int depth,
		    keyval_fn fn, void *data)
{
	struct cursor at, row;
	struct nlattr *attr;
	int err = cursor_nested(&at, list);

	while (!err && (attr = cursor_next(&at, &err))) {
		err = cursor_nested(&row, attr);
		if (!err)
			err = each_value(child, row, depth, fn, data);
	}
	return err;
}

static int each_value(const struct keyval_table *table, struct cursor at, unsigned int depth,
		      keyval_fn fn, void *data)
{
	const struct keyval_key *key;
	struct nlattr *attr;
	int err = 0;

	while (!err && (attr = cursor_next(&at, &err))) {
		key = find_key(table, nla_type(attr));
		if (key && key->child)
			err = each_row(key->child, attr, depth + 1, fn, data);
		else if (key)
			err = each_scalar(key, attr, depth, fn, data);
	}
	return err;
}

int dkl_keyval_each(const struct keyval_table *table, const void *attrs, size_t len, keyval_fn fn,
		    void *data)
{
	struct cursor at;
	int err = cursor_init(&at, attrs, len);

	return err ? err : each_value(table, at, 0, fn, data);
}
