/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The form of the namer's replies: stack by stack, each with its names from the outermost on. */
#include "ctl/profile/namer.h"
#include "ctl/profile/stacks.h"

/* Two numbers of a stack of any depth, and of its names. */
#define DEPTH_MAX 4096u

struct stack_head {
	uint64_t samples, weight;
	uint32_t depth;
};

struct name_head {
	uint8_t kind, unknown;
	uint16_t n_text, n_where;
};

/* ---- putting ---- */

static void put_name(const struct profile_names *names, uint32_t name, struct dkt_buf *buf)
{
	const struct profile_name *of = &names->list[name];
	uint32_t n_text, n_where;
	const char *text = dkt__interned(&names->texts, of->text, &n_text);
	const char *where = dkt__interned(&names->texts, of->where, &n_where);
	const struct name_head head = { .kind = (uint8_t)of->kind,
					.unknown = of->unknown,
					.n_text = (uint16_t)n_text,
					.n_where = (uint16_t)n_where };

	dkt__buf_add(buf, &head, sizeof(head));
	dkt__buf_add(buf, text, head.n_text);
	dkt__buf_add(buf, where, head.n_where);
}

static int put_stack(const struct profile_names *names, const struct profile_tree *tree,
		     uint32_t node, struct dkt_buf *buf)
{
	const struct profile_value *value = &tree->nodes[node].self[PROFILE_NOW];
	const struct stack_head head = { .samples = value->samples,
					 .weight = value->weight,
					 .depth = profile_tree_depth(tree, node) };
	uint32_t *path __cleanup(free) = calloc(head.depth + 1, sizeof(*path));

	if (!path)
		return -ENOMEM;
	for (uint32_t i = head.depth; i; node = tree->nodes[node].parent)
		path[--i] = tree->nodes[node].name;
	dkt__buf_add(buf, &head, sizeof(head));
	for (uint32_t i = 0; i < head.depth; i++)
		put_name(names, path[i], buf);
	return 0;
}

int namer_put(const struct profile_names *names, const struct profile_tree *tree,
	      struct dkt_buf *buf)
{
	size_t n, whole;
	uint32_t *list __cleanup(free) = profile_stacks_hottest(tree, &n);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		whole = buf->len;
		err = put_stack(names, tree, list[i], buf);
		if (buf->len > NAMER_REPLY) {
			buf->len = whole;
			break;
		}
	}
	return err ?: buf->err;
}

/* ---- getting ---- */

struct reply {
	const uint8_t *p;
	size_t left;
};

/* Returns the next bytes; NULL: there are not so many. */
static const void *take(struct reply *reply, size_t n)
{
	const uint8_t *p = reply->p;

	if (n > reply->left)
		return NULL;
	reply->p += n;
	reply->left -= n;
	return p;
}

/* Returns the number of the name; UINT32_MAX: it is not in that form, or memory is out. */
static uint32_t get_name(struct reply *reply, struct profile_names *names)
{
	char where[UINT16_MAX + 1];
	struct name_head head;
	const void *bytes = take(reply, sizeof(head));
	const char *text;

	if (!bytes)
		return UINT32_MAX;
	memcpy(&head, bytes, sizeof(head));
	text = take(reply, head.n_text);
	bytes = take(reply, head.n_where);
	if (!text || !bytes || head.kind > PROFILE_KERNEL)
		return UINT32_MAX;
	memcpy(where, bytes, head.n_where);
	where[head.n_where] = '\0';
	return head.unknown ? profile_names_unknown(names, (enum profile_kind)head.kind, where,
						    strlen(where)) :
			      profile_names_add(names, (enum profile_kind)head.kind, text,
						strnlen(text, head.n_text), where);
}

static int get_stack(struct reply *reply, struct profile_round *round)
{
	const void *bytes = take(reply, sizeof(struct stack_head));
	struct profile_value value;
	struct stack_head head;
	uint32_t node = 0;
	int err = 0;

	if (!bytes)
		return -EBADMSG;
	memcpy(&head, bytes, sizeof(head));
	if (head.depth > DEPTH_MAX || head.samples > UINT32_MAX || head.weight > UINT64_MAX >> 8)
		return -EBADMSG;
	for (uint32_t i = 0; err >= 0 && i < head.depth; i++) {
		const uint32_t name = get_name(reply, &round->names);

		if (name == UINT32_MAX)
			return -EBADMSG;
		/* The rest of the stack is only read if the tree is full. */
		err = err ?: profile_tree_down(&round->tree, &node, name);
	}
	if (err < 0)
		return err;
	value = (struct profile_value){ .samples = head.samples, .weight = head.weight };
	profile_value_add(&round->tree.nodes[node].self[PROFILE_NOW], &value);
	round->samples += head.samples;
	return 0;
}

int namer_get(const void *bytes, size_t size, struct profile_round *round)
{
	struct reply reply = { bytes, size };
	int err = 0;

	while (!err && reply.left)
		err = get_stack(&reply, round);
	return err;
}
