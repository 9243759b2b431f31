/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory in place of tracefs with one event, for tests of the texts of records. */
#ifndef DKT_PLAN_TREE_H
#define DKT_PLAN_TREE_H

#include "lib/plan.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define BODY 8 /* common fields end here */

#define FIELD(type_name, offset, size, is_signed)                                                  \
	"\tfield:" type_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

#define INT    FIELD("int v", 8, 4, 1)
#define UINT   FIELD("unsigned int v", 8, 4, 0)
#define LONG   FIELD("long v", 8, 8, 1)
#define ULONG  FIELD("unsigned long v", 8, 8, 0)
#define STRING FIELD("__data_loc char[] s", 8, 4, 0)

static const char kallsyms[] = "0000000000001000 A cpu_offset\n"
			       "ffffffff81000000 T first\n"
			       "ffffffff81000000 T alias\n"
			       "ffffffff81000100 t second\n"
			       "ffffffffc0000000 t in_module\t[mod]\n"
			       "ffffffffc0001000 t last\t[mod]\n";

static const char printk_formats[] =
	"0xffffffff82000000 : \"constant\"\n"
	"0xffffffff82000010 : \"line\\n\"\n"
	"0xffffffff82000020 : \"%s: %hd of %*lu, %c%c %pI4 100%% %ps\\n\"\n"
	"0xffffffff82000030 : \"a %d b %n c\"\n"
	"0xffffffff82000040 : \"%1000000000s|%.3s\"\n"
	"0xffffffff82000050 : \"at %p %p %8d %pM %s\\n\"\n";

struct dynamic {
	uint32_t loc;
	uint32_t more;
	char text[16];
};

struct tree {
	char root[TREE_NAME];
	char system[32];
	char name[32];
	struct dkt_ctx *ctx;
};

/* One event with those fields and that print format. */
static inline struct dkt_event *plant(struct tree *tree, const char *fields, const char *print)
{
	struct dkt_event *event;
	char list[80];

	snprintf(list, sizeof(list), "%s:%s\n", tree->system, tree->name);
	assert_int_equal(tree_make(tree->root), 0);
	assert_int_equal(tree_event(tree->root, tree->system, tree->name, 7, fields, print), 0);
	assert_int_equal(tree_text(tree->root, "available_events",
				   strcmp(tree->system, "ftrace") ? list : ""),
			 0);
	assert_int_equal(tree_text(tree->root, "kallsyms", kallsyms), 0);
	assert_int_equal(tree_text(tree->root, "printk_formats", printk_formats), 0);
	assert_int_equal(tree_text(tree->root, "trace_clock", "[local]\n"), 0);
	tree->ctx = tree_ctx(tree->root);
	assert_non_null(tree->ctx);
	event = dkt_event_find(tree->ctx, tree->system, tree->name);
	assert_non_null(event);
	return event;
}

static inline void uproot(struct tree *tree)
{
	dkt_ctx_free(tree->ctx);
	assert_int_equal(tree_remove(tree->root), 0);
}

/* The text of a record with that body; the caller frees it. */
static inline char *text_of(struct dkt_event *event, const void *body, size_t len)
{
	struct dkt_record record = { .event = event };
	struct dkt_buf *buf;
	const char *p;
	uint8_t *data;
	char *text;
	size_t n;

	/* An exact copy, so that a sanitizer sees one byte too far. */
	data = malloc(BODY + len);
	assert_non_null(data);
	memset(data, 0, BODY);
	memcpy(data, &(uint16_t){ 7 }, 2);
	memcpy(data + BODY, body, len);
	record.data = data;
	record.size = (uint32_t)(BODY + len);
	assert_int_equal(dkt_buf_new(&buf), 0);
	dkt_record_text(&record, buf);
	p = dkt_buf_data(buf, &n);
	text = strndup(p ? p : "", n);
	dkt_buf_free(buf);
	free(data);
	return text;
}

static inline void expect_of(const char *system, const char *name, const char *fields,
			     const char *print, const void *body, size_t len, const char *expected)
{
	struct tree tree = { 0 };
	struct dkt_event *event;
	char *text;

	snprintf(tree.system, sizeof(tree.system), "%s", system);
	snprintf(tree.name, sizeof(tree.name), "%s", name);
	event = plant(&tree, fields, print);
	text = text_of(event, body, len);
	assert_string_equal(text, expected);
	free(text);
	uproot(&tree);
}

static inline void expect(const char *fields, const char *print, const void *body, size_t len,
			  const char *expected)
{
	expect_of("test", "event", fields, print, body, len, expected);
}

/* The first field is a number of four or eight bytes. */
static inline void expect_int(const char *fields, const char *print, int64_t v,
			      const char *expected)
{
	const int32_t narrow = (int32_t)v;
	const bool is_narrow = strstr(fields, "size:4;");

	expect(fields, print, is_narrow ? (const void *)&narrow : &v, is_narrow ? 4 : 8, expected);
}

#endif
