/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds members of structs, including those inside members without a name. */
#include "lib/debuginfo/c_type.h"
#include "lib/base/guess.h"

struct search {
	struct ctype_source *source;
	const char *name;
	struct ctype_member *found;
	struct dkt__guess *guess;
	uint64_t base; /* bits before the current struct */
	unsigned int depth;
};

static int search_struct(struct search *search, uint32_t id, uint64_t base);

/* Returns 1 if it found the member. */
static int try_member(void *data, const struct ctype_member *member)
{
	struct search *search = data;
	struct ctype type;

	if (*member->name) {
		if (search->guess)
			dkt__guess_try(search->guess, member->name);
		if (strcmp(member->name, search->name))
			return 0;
		*search->found = *member;
		search->found->name = search->name;
		search->found->bit_offset += search->base;
		return 1;
	}
	if (search->source->get(search->source, member->type, &type) ||
	    (type.kind != CTYPE_STRUCT && type.kind != CTYPE_UNION))
		return 0;
	return search_struct(search, type.id, search->base + member->bit_offset);
}

static int search_struct(struct search *search, uint32_t id, uint64_t base)
{
	uint64_t outer = search->base;
	int found;

	if (search->depth >= CTYPE_DEPTH)
		return -EINVAL;
	search->depth++;
	search->base = base;
	found = search->source->members(search->source, id, try_member, search);
	search->base = outer;
	search->depth--;
	return found;
}

int dkt__ctype_member(struct ctype_source *source, uint32_t id, const char *name,
		      struct ctype_member *member, struct dkt__guess *guess)
{
	struct search search = { .source = source, .name = name, .found = member, .guess = guess };
	int found = search_struct(&search, id, 0);

	if (found < 0)
		return found;
	return found ? 0 : -ENOENT;
}

struct dkt__strings {
	struct dkt_buf buf;
	struct ctype_source *source;
	size_t room;
	unsigned int depth;
};

static int add_name(void *data, const struct ctype_member *member)
{
	struct dkt__strings *names = data;
	struct ctype type;
	int full;

	if (!*member->name) {
		if (names->depth >= CTYPE_DEPTH ||
		    names->source->get(names->source, member->type, &type) ||
		    (type.kind != CTYPE_STRUCT && type.kind != CTYPE_UNION))
			return 0;
		names->depth++;
		full = names->source->members(names->source, type.id, add_name, names);
		names->depth--;
		return full;
	}
	if (names->buf.len + strlen(member->name) + sizeof(", , ...") > names->room) {
		dkt_buf_str(&names->buf, ", ...");
		return 1;
	}
	dkt_buf_printf(&names->buf, "%s%s", names->buf.len ? ", " : "", member->name);
	return names->buf.err;
}

void dkt__ctype_member_names(struct ctype_source *source, uint32_t id, char *text, size_t size)
{
	struct dkt__strings names = { .source = source, .room = size };

	source->members(source, id, add_name, &names);
	snprintf(text, size, "%.*s", (int)names.buf.len, names.buf.len ? names.buf.data : "");
	free(names.buf.data);
}

bool dkt__ctype_is_char(struct ctype_source *source, uint32_t id)
{
	struct ctype type;

	return source && !source->get(source, id, &type) && type.kind == CTYPE_CHAR;
}
