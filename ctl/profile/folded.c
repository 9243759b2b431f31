/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a profile as folded text, as stackcollapse-perf.pl and difffolded.pl of FlameGraph do. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/profile/profile.h"
#include "lib/base/buf.h"

/* Names as the text has them: some are not different there. */
struct folding {
	const struct profile *profile;
	bool marks; /* functions of the kernel */
	struct profile_names names;
	uint32_t *numbers; /* of those, plus 1, by the number of a name in the profile; 0: not yet */
	struct dkt_buf *buf;
	int err;
};

/* True if it is a method of Go, "net/http.(*Client).Do". */
static bool is_method(const char *name)
{
	const char *open = strstr(name, ".(");

	return open && strstr(open, ").");
}

/* The arguments of a function of C++ follow a bracket. */
static size_t length_of(const char *name)
{
	const char *p = name;

	if (is_method(name))
		return strlen(name);
	while ((p = strchr(p, '(')) && !strncmp(p, "(anonymous namespace)", 21))
		p++;
	return p ? (size_t)(p - name) : strlen(name);
}

/* A semicolon ends a name, a space that of a program, and a quote would end an attribute of SVG. */
static void put_name(struct folding *folding, uint32_t number)
{
	const struct profile_name *name = &folding->profile->names.list[number];
	const char *text = profile_names_text(&folding->profile->names, number);
	const bool group = profile_kind_groups(name->kind) || name->kind == PROFILE_WAKER;
	const size_t len = group || name->unknown ? strlen(text) : length_of(text);

	dkt_buf_reset(folding->buf);
	for (size_t i = 0; i < len; i++) {
		const char c = text[i];

		if (c == ';')
			dkt_buf_str(folding->buf, group ? "_" : ":");
		else if (group && c == ' ')
			dkt_buf_str(folding->buf, "_");
		else if (group || (c != '"' && c != '\''))
			dkt__buf_add(folding->buf, &c, 1);
	}
	dkt__buf_escape(folding->buf, 0);
	if (folding->marks && name->kind == PROFILE_KERNEL && !name->unknown)
		dkt_buf_str(folding->buf, "_[k]");
}

static uint32_t rename_node(void *data, const struct profile_tree *tree, uint32_t node)
{
	struct folding *folding = data;
	uint32_t *number = &folding->numbers[tree->nodes[node].name];
	const char *text;
	size_t len;

	if (*number)
		return *number - 1;
	put_name(folding, tree->nodes[node].name);
	text = dkt_buf_data(folding->buf, &len);
	*number = profile_names_add(&folding->names, PROFILE_USER, text ?: "", len, "") + 1;
	if (!*number || dkt_buf_error(folding->buf)) {
		folding->err = -ENOMEM;
		return PROFILE_STOP;
	}
	return *number - 1;
}

static int by_text(void *data, const struct profile_node *a, const struct profile_node *b)
{
	const struct folding *folding = data;

	return strcmp(profile_names_text(&folding->names, a->name),
		      profile_names_text(&folding->names, b->name));
}

/* Makes buf the text of a node from that of its parent; ends has the lengths by depth. */
static void put_line(const struct folding *folding, const struct profile_tree *tree, uint32_t node,
		     bool both, FILE *f)
{
	const struct profile_node *at = &tree->nodes[node];
	size_t len;
	const char *text = dkt_buf_data(folding->buf, &len);

	if (!at->self[PROFILE_NOW].samples && !(both && at->self[PROFILE_BEFORE].samples))
		return;
	fwrite(text, 1, len, f);
	if (both)
		fprintf(f, " %" PRIu64, at->self[PROFILE_BEFORE].weight);
	fprintf(f, " %" PRIu64 "\n", at->self[PROFILE_NOW].weight);
}

static int put_lines(struct folding *folding, const struct profile_tree *tree, bool both, FILE *f)
{
	/* The length of the text of each node. */
	size_t *ends __cleanup(free) = calloc(tree->n, sizeof(*ends));

	if (!ends)
		return -ENOMEM;
	dkt_buf_reset(folding->buf);
	for (uint32_t i = 0; (i = profile_tree_next(tree, 0, i, true));) {
		const uint32_t parent = tree->nodes[i].parent;

		folding->buf->len = ends[parent];
		if (parent)
			dkt__buf_add(folding->buf, ";", 1);
		dkt_buf_str(folding->buf, profile_names_text(&folding->names, tree->nodes[i].name));
		ends[i] = folding->buf->len;
		if (dkt_buf_error(folding->buf))
			return -ENOMEM;
		put_line(folding, tree, i, both, f);
	}
	return 0;
}

int profile_write_folded(const struct profile_view *view, FILE *f)
{
	struct folding folding = { .profile = view->profile,
				   .marks = OPT(view->app, profile)->mark_kernel };
	struct profile_tree tree = { 0 };
	int err = dkt_buf_new(&folding.buf);

	profile_names_init(&folding.names);
	folding.numbers = calloc(view->profile->names.n + 1, sizeof(*folding.numbers));
	if (!err)
		err = folding.numbers ? profile_tree_init(&tree, PROFILE_NODES_MAX) : -ENOMEM;
	if (!err)
		err = profile_tree_rename(&view->profile->tree, rename_node, &folding, &tree, NULL);
	if (!err)
		err = folding.err ?: profile_tree_link(&tree, by_text, &folding);
	if (!err)
		err = put_lines(&folding, &tree, view->before, f);
	profile_tree_clear(&tree);
	profile_names_clear(&folding.names);
	free(folding.numbers);
	dkt_buf_free(folding.buf);
	return err;
}
