/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small directories in place of tracefs. */
#ifndef TESTS_TREE_H
#define TESTS_TREE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <dktrace/dktrace.h>

/* Room for the name of a tree. */
#define TREE_NAME 32

/* Makes an empty one of a new name. */
static inline int tree_make(char root[TREE_NAME])
{
	snprintf(root, TREE_NAME, "/tmp/dktrace-test-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

/* Writes a file, and makes the directories that it is in. */
static inline int tree_write(const char *root, const char *name, const void *bytes, size_t len)
{
	char path[256], *p;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s", root, name) >= (int)sizeof(path))
		return -1;
	for (p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return -1;
	}
	f = fopen(path, "w");
	if (!f)
		return -1;
	if (fwrite(bytes, 1, len, f) != len) {
		fclose(f);
		return -1;
	}
	return fclose(f);
}

static inline int tree_text(const char *root, const char *name, const char *text)
{
	return tree_write(root, name, text, strlen(text));
}

#define TREE_COMMON                                                                                \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* The format file of an event with those field lines and that print format. */
static inline int tree_event(const char *root, const char *system, const char *name, int id,
			     const char *fields, const char *print)
{
	char path[128], *text;
	int err;

	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	if (asprintf(&text, "name: %s\nID: %d\n" TREE_COMMON "%s\nprint fmt: %s\n", name, id,
		     fields, print) < 0)
		return -1;
	err = tree_text(root, path, text);
	free(text);
	return err;
}

/* Returns the text of a file, which the caller frees, or NULL. */
static inline char *tree_read(const char *root, const char *name)
{
	char path[256], *text = NULL;
	size_t size = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	n = getdelim(&text, &size, '\0', f);
	fclose(f);
	if (n < 0 && text)
		*text = '\0';
	return text;
}

static inline int tree_remove(const char *root)
{
	char *command;
	int rc;

	if (asprintf(&command, "rm -r '%s'", root) < 0)
		return -1;
	rc = system(command);
	free(command);
	return rc;
}

/* A context on the tree, with its tracefs open; NULL: that failed. */
static inline struct dkt_ctx *tree_ctx(const char *root)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = root);
	struct dkt_ctx *ctx;

	if (dkt_ctx_new(&opts, &ctx))
		return NULL;
	if (!dkt_tracefs_open(ctx, 0))
		return ctx;
	fprintf(stderr, "%s\n", dkt_error(ctx));
	dkt_ctx_free(ctx);
	return NULL;
}

#endif
