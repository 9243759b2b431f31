/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree that stands for tracefs, with one event, for tests of texts of records. */
#ifndef DKT_PLAN_TREE_H
#define DKT_PLAN_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "plan.h"

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
	char root[32];
	char system[32];
	char name[32];
	struct dkt_ctx *ctx;
};

static void write_file(const struct tree *tree, const char *name, const char *text)
{
	char *path __cleanup(free) = NULL;
	FILE *f;

	assert_true(asprintf(&path, "%s/%s", tree->root, name) > 0);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void make_dirs(const struct tree *tree)
{
	char *path __cleanup(free) = NULL;
	char *p;

	assert_true(asprintf(&path, "%s/events/%s/%s/", tree->root, tree->system, tree->name) > 0);
	for (p = path + strlen(tree->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(!mkdir(path, 0700) || errno == EEXIST);
		*p = '/';
	}
}

/* One event with those fields and that print format. */
static inline struct dkt_event *plant(struct tree *tree, const char *fields, const char *print)
{
	char *text __cleanup(free) = NULL, *path __cleanup(free) = NULL;
	char *list __cleanup(free) = NULL;
	struct dkt_event *event;

	strcpy(tree->root, "/tmp/dkt-plan-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
	make_dirs(tree);
	assert_true(
		asprintf(&text,
			 "name: %s\nID: 7\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0)
				 FIELD("unsigned char common_flags", 2, 1,
				       0) FIELD("unsigned char common_preempt_count", 3, 1, 0)
					 FIELD("int common_pid", 4, 4, 1) "\n%s\nprint fmt: %s\n",
			 tree->name, fields, print) > 0);
	assert_true(asprintf(&path, "events/%s/%s/format", tree->system, tree->name) > 0);
	write_file(tree, path, text);
	assert_true(asprintf(&list, "%s:%s\n", tree->system, tree->name) > 0);
	write_file(tree, "available_events", strcmp(tree->system, "ftrace") ? list : "");
	write_file(tree, "kallsyms", kallsyms);
	write_file(tree, "printk_formats", printk_formats);
	write_file(tree, "trace_clock", "[local]\n");
	DKT_OPTS(dkt_ctx_opts, opts, .root = tree->root);
	assert_int_equal(dkt_ctx_new(&opts, &tree->ctx), 0);
	assert_int_equal(dkt_tracefs_open(tree->ctx, 0), 0);
	event = dkt_event_find(tree->ctx, tree->system, tree->name);
	assert_non_null(event);
	return event;
}

static inline void uproot(struct tree *tree)
{
	char *command __cleanup(free) = NULL;

	dkt_ctx_free(tree->ctx);
	assert_true(asprintf(&command, "rm -r '%s'", tree->root) > 0);
	assert_int_equal(system(command), 0);
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
	data[0] = 7;
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

static inline void expect_int(const char *fields, const char *print, int64_t v,
			      const char *expected)
{
	expect(fields, print, &v, 8, expected);
}

#endif
