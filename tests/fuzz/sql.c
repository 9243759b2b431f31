/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes statements: libtracefs is never asked about one that its parser fails on, and the triggers of
 * one that is right are triggers. The first byte says whether it is to be an event.
 */
#include <string.h>

#include "lib/inside.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/sql_tree.h"

static char root[TREE_NAME];
static struct dkt_ctx *ctx;

static void remove_tree(void)
{
	dkt_ctx_free(ctx);
	tree_remove(root);
}

static void check_trigger(const char *text)
{
	struct dkt_trigger *trigger = NULL;

	must(!strncmp(text, "hist:keys=", 10) && !strpbrk(text, "\n\t"));
	/* A long statement may make one that is too long. */
	must(strlen(text) > 4095 || !dkt__trigger_parse(ctx, text, &trigger));
	free(trigger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data + !!size, size - !!size);
	const struct dkt__sql *sql;
	int err;

	if (!ctx) {
		must(!sql_tree_make(root));
		ctx = tree_ctx(root);
		must(ctx);
		atexit(remove_tree);
	}
	err = dkt__sql_new(ctx, text, size && data[0] == 'e' ? "event" : NULL, &sql);
	must(err != -EFAULT && !err == !!sql);
	must(!err || *dkt_error(ctx));
	if (!err && sql->end) {
		must(sql->fields && *sql->fields);
		check_trigger(sql->begin_trigger);
		check_trigger(sql->end_trigger);
	} else if (!err) {
		must(sql->keys && *sql->keys);
	}
	dkt__sql_free(sql);
	free(text);
	return 0;
}
