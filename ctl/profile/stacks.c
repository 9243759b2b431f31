/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stacks of a profile's tree as values of tables. */
#include "ctl/profile/stacks.h"

#include "ctl/out/rows.h"
#include "lib/base/buf.h"

/* The functions of a stack that text shows: the innermost ones. */
#define INNERMOST 12

static int by_self(const void *a, const void *b, void *data)
{
	const struct profile_tree *tree = data;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct profile_value *x = &tree->nodes[i].self[PROFILE_NOW],
				   *y = &tree->nodes[j].self[PROFILE_NOW];

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return i < j ? -1 : i > j;
}

uint32_t *profile_stacks_hottest(const struct profile_tree *tree, size_t *n)
{
	uint32_t *list = calloc(tree->n, sizeof(*list));

	*n = 0;
	for (uint32_t i = 0; list && i < tree->n; i++)
		if (tree->nodes[i].self[PROFILE_NOW].samples)
			list[(*n)++] = i;
	if (list)
		qsort_r(list, *n, sizeof(*list), by_self, (void *)tree);
	return list;
}

struct path {
	const struct profile_names *names;
	const struct profile_tree *tree;
	uint32_t *nodes; /* from below the root on */
	size_t n, groups; /* the first ones are what stacks are grouped by */
};

static bool is_group(const struct path *path, size_t i)
{
	const uint32_t name = path->tree->nodes[path->nodes[i]].name;

	return profile_kind_groups(path->names->list[name].kind);
}

static const char *name_at(const struct path *path, size_t i)
{
	return profile_names_text(path->names, path->tree->nodes[path->nodes[i]].name);
}

/* Free the nodes. */
static int find_path(const struct profile_names *names, const struct profile_tree *tree,
		     uint32_t node, struct path *path)
{
	const size_t n = profile_tree_depth(tree, node);

	*path = (struct path){
		.names = names, .tree = tree, .nodes = calloc(n + 1, sizeof(*path->nodes)), .n = n
	};
	if (!path->nodes)
		return -ENOMEM;
	for (size_t i = n; i; node = tree->nodes[node].parent)
		path->nodes[--i] = node;
	while (path->groups < n && is_group(path, path->groups))
		path->groups++;
	return 0;
}

static void put_words(const struct path *path, bool groups, struct dkt_buf *buf)
{
	size_t i = path->groups;
	const char *before = "";

	for (size_t group = 0; groups && group < path->groups; group++)
		dkt_buf_printf(buf, "%s%s", group ? " " : "", name_at(path, group));
	if (groups && path->groups) {
		dkt_buf_str(buf, ":");
		before = " ";
	}
	if (path->n - i > INNERMOST) {
		i = path->n - INNERMOST;
		dkt_buf_printf(buf, "%s... %zu more >", before, i - path->groups);
		before = " ";
	}
	for (size_t same; i < path->n; i += same) {
		const char *name = name_at(path, i);

		for (same = 1; i + same < path->n && !strcmp(name_at(path, i + same), name);)
			same++;
		dkt_buf_printf(buf, "%s%s", before, name);
		if (same > 1)
			dkt_buf_printf(buf, " (%zu times)", same);
		if (i + same < path->n)
			dkt_buf_str(buf, " >");
		before = " ";
	}
}

struct json_object *profile_stack_words(const struct profile_names *names,
					const struct profile_tree *tree, uint32_t node, bool groups)
{
	struct json_object *words = NULL;
	struct dkt_buf *buf = NULL;
	struct path path;
	const char *text;
	size_t len;

	if (!find_path(names, tree, node, &path) && !dkt_buf_new(&buf)) {
		put_words(&path, groups, buf);
		text = dkt_buf_data(buf, &len);
		words = json_object_new_string_len(text ?: "", (int)len);
	}
	dkt_buf_free(buf);
	free(path.nodes);
	return words;
}

struct json_object *profile_stack_list(const struct profile_names *names,
				       const struct profile_tree *tree, uint32_t node, bool groups)
{
	struct path path;
	struct json_object *list = find_path(names, tree, node, &path) ? NULL :
									 json_object_new_array();

	for (size_t i = groups ? 0 : path.groups; list && i < path.n; i++)
		json_object_array_add(list, val_text(name_at(&path, i)));
	free(path.nodes);
	return list;
}
