/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores members of a struct as lines of a text. */
#include "lib/base/members.h"

#include <inttypes.h>

#include "lib/base/parse.h"
#include "lib/base/strings.h"

union value {
	void *any;
	uint32_t *u32;
	uint64_t *u64;
	bool *flag;
	char **text;
	struct dkt__strings *texts;
};

static union value value_of(const struct dkt__member *member, const void *at)
{
	return (union value){ (char *)(uintptr_t)at + member->offset };
}

/* The sizes of values that are copied as bytes. */
static const size_t sizes[] = {
	[DKT__MEMBER_HEX] = sizeof(uint32_t), [DKT__MEMBER_U32] = sizeof(uint32_t),
	[DKT__MEMBER_U64] = sizeof(uint64_t), [DKT__MEMBER_FLAG] = sizeof(bool),
	[DKT__MEMBER_TEXT] = sizeof(char *),
};

static void clear(const struct dkt__member *member, union value v)
{
	if (member->type == DKT__MEMBER_TEXT)
		free(*v.text);
	if (member->type == DKT__MEMBER_TEXTS)
		dkt__strings_clear(v.texts);
	else if (member->type == DKT__MEMBER_OTHER)
		member->other->clear(v.any);
	else
		memset(v.any, 0, sizes[member->type]);
}

static int copy(const struct dkt__member *member, union value to, union value from)
{
	if (member->type == DKT__MEMBER_TEXTS)
		return dkt__strings_copy(to.texts, from.texts);
	if (member->type == DKT__MEMBER_OTHER)
		return member->other->copy(to.any, from.any);
	memcpy(to.any, from.any, sizes[member->type]);
	if (member->type != DKT__MEMBER_TEXT || !*from.text)
		return 0;
	*to.text = strdup(*from.text);
	return *to.text ? 0 : -ENOMEM;
}

static int read_number(const struct dkt__member *member, const char *text, union value v)
{
	const bool is_long = member->type == DKT__MEMBER_U64;
	uint64_t number;

	if (dkt__parse_u64(text, is_long ? DKT__DEC : DKT__AS_C, &number) ||
	    (!is_long && number > UINT32_MAX))
		return -EINVAL;
	if (is_long)
		*v.u64 = number;
	else if (member->type == DKT__MEMBER_FLAG)
		*v.flag = number;
	else
		*v.u32 = (uint32_t)number;
	return 0;
}

static int read_value(const struct dkt__member *member, const char *text, union value v)
{
	if (member->type < DKT__MEMBER_TEXT)
		return read_number(member, text, v);
	if (member->type == DKT__MEMBER_TEXTS)
		return dkt__strings_add(v.texts, text);
	if (member->type == DKT__MEMBER_OTHER)
		return member->other->read(v.any, text);
	free(*v.text);
	*v.text = strdup(text);
	return *v.text ? 0 : -ENOMEM;
}

/* Error messages of the kernel may have several lines. */
static void print_text(const char *start, const char *text, FILE *f)
{
	fputs(start, f);
	for (; *text; text++)
		fputc(*text == '\n' ? ' ' : *text, f);
	fputc('\n', f);
}

static void print(const struct dkt__member *member, const char *start, union value v, FILE *f)
{
	if (member->type == DKT__MEMBER_HEX)
		fprintf(f, "%s0x%08" PRIx32 "\n", start, *v.u32);
	else if (member->type == DKT__MEMBER_U32 && *v.u32)
		fprintf(f, "%s%" PRIu32 "\n", start, *v.u32);
	else if (member->type == DKT__MEMBER_U64)
		fprintf(f, "%s%" PRIu64 "\n", start, *v.u64);
	else if (member->type == DKT__MEMBER_FLAG && *v.flag)
		fprintf(f, "%s1\n", start);
	else if (member->type == DKT__MEMBER_TEXT && *v.text)
		print_text(start, *v.text, f);
	else if (member->type == DKT__MEMBER_OTHER)
		member->other->print(v.any, start, f);
	for (size_t i = 0; member->type == DKT__MEMBER_TEXTS && i < v.texts->n; i++)
		print_text(start, v.texts->list[i], f);
}

void dkt__members_clear(const struct dkt__members *members, void *at, dkt__member_chosen *chosen)
{
	for (const struct dkt__member *m = members->list; m < members->list + members->n; m++)
		if (!chosen || chosen(m))
			clear(m, value_of(m, at));
}

int dkt__members_copy(const struct dkt__members *members, void *to, const void *from,
		      dkt__member_chosen *chosen)
{
	int err = 0;

	for (const struct dkt__member *m = members->list; !err && m < members->list + members->n;
	     m++)
		if (!chosen || chosen(m))
			err = copy(m, value_of(m, to), value_of(m, from));
	return err;
}

int dkt__members_read(const struct dkt__members *members, void *at, const char *line)
{
	for (const struct dkt__member *m = members->list; m < members->list + members->n; m++) {
		size_t len = strlen(m->name);

		if (!strncmp(line, m->name, len) && line[len] == *members->separator)
			return read_value(m, line + len + 1, value_of(m, at));
	}
	return -EINVAL;
}

int dkt__members_parse(const struct dkt__members *members, void *at, char *text)
{
	const char *line;
	int err = 0;

	while (err != -ENOMEM && (line = strsep(&text, "\n")))
		err = dkt__members_read(members, at, line);
	return err == -ENOMEM ? err : 0;
}

void dkt__members_print(const struct dkt__members *members, const void *at, FILE *f)
{
	char start[64];

	for (const struct dkt__member *m = members->list; m < members->list + members->n; m++) {
		snprintf(start, sizeof(start), "%s%s", m->name, members->separator);
		print(m, start, value_of(m, at), f);
	}
}

char *dkt__member_text(const struct dkt__member *member, const void *at)
{
	char *lines __cleanup(free) = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&lines, &len);
	char *text, *end;

	if (!f)
		return NULL;
	print(member, "", value_of(member, at), f);
	if (fclose(f))
		return NULL;
	text = malloc(2 * len + 1);
	if (!text)
		return NULL;
	end = text;
	for (const char *c = lines; c < lines + len; c++)
		end = *c != '\n'          ? mempcpy(end, c, 1) :
		      c + 1 < lines + len ? mempcpy(end, "; ", 2) :
					    end;
	*end = '\0';
	return text;
}
