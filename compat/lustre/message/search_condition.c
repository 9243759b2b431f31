/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The condition for a record of a message to have the words, in the kernel's filter language.
 *
 * The probes record strings that the words after the format may point to. Those behind the last
 * argument are left from other calls, and often are addresses of strings of earlier messages. So a
 * string counts only if the format has as many conversions: "*%*%*" is a format of at least two. A star
 * in a conversion takes a word, too, so "*[%*]*[%*]*" are two words of a format with such stars.
 */
#include "compat/lustre/message/cdebug.h"
#include "compat/lustre/message/search.h"
#include "lib/base/io.h"
#include "lib/base/util.h"

/* The limit of words in a probe's record. */
#define MAX_WORDS 64

/* Beyond that only one limit is tested: only requests have so many arguments, and they have all of them. */
#define MAX_MARKS 20

/* Formats with stars have few strings, and cdebug_strings has no more. */
#define MAX_STARRED 10

/* Functions that take a format have few arguments before the others. */
#define LEAST_NAMED 2
#define MOST_NAMED  4

/* Lustre's own functions have an object, the location and the format. */
#define NAMED 3

/* Formats that may have a star in a conversion. */
#define STARRED "*%[-.*]*"

/* The conversion of a nested format. */
#define NESTED "%pV"

/* A format, and the letter of the fields with the strings of its arguments. */
struct group {
	const char *format; /* NULL: not recorded */
	char letter;
	bool va; /* the arguments follow those that the function names; v_offset has their number */
};

struct condition {
	FILE *f;
	struct dkt_event *event;
	const char *glob;
	bool any;
};

static bool is_named(struct dkt_event *event, const char *name)
{
	return !strcmp(dkt_event_name(event), name);
}

static bool has_field(const struct condition *condition, const char *name)
{
	const struct dkt_field *field = dkt_event_field(condition->event, name);

	return field && field->flags & DKT_FIELD_STRING;
}

static bool has_string(const struct condition *condition, char letter, unsigned int i)
{
	char name[16];

	snprintf(name, sizeof(name), "%c%u", letter, i);
	return has_field(condition, name);
}

static void begin(struct condition *condition)
{
	if (condition->any)
		fputs(" || ", condition->f);
	condition->any = true;
}

/* ---- formats ---- */

/* FIELD ~ "GLOB"; a format can end with a newline, which the words do not have. */
static void put_format(FILE *f, const char *field, const char *glob)
{
	fprintf(f, "%s ~ \"%s\"", field, glob);
	if (glob[strlen(glob) - 1] != '*')
		fprintf(f, " || %s ~ \"%s?\"", field, glob);
}

/*
 * A field v_fmt holds what is behind an argument, which is a format only if it is a %pV. Returns which
 * formats have that; NULL: all of the event.
 */
static const char *needs_nested(const struct condition *condition, const char *field)
{
	if (strcmp(field, "v_fmt") != 0 || is_named(condition->event, CDEBUG_NESTED))
		return NULL;
	return is_named(condition->event, CDEBUG_NESTED_THIRD) ? "*%*%*" NESTED "*" : NESTED "*";
}

static void put_formats(struct condition *condition)
{
	static const char *const names[] = { "fmt", "fmt2", "v_fmt", "msg" };

	/* dktrace:cdebug has the same format, and the rest of the message by then is recorded. */
	if (is_named(condition->event, CDEBUG_STRINGS))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *nested = needs_nested(condition, names[i]);

		if (!has_field(condition, names[i]))
			continue;
		begin(condition);
		if (nested)
			fprintf(condition->f, "(fmt ~ \"%s\" && (", nested);
		put_format(condition->f, names[i], condition->glob);
		fputs(nested ? "))" : "", condition->f);
	}
}

/* ---- strings of arguments ---- */

/* Writes the value of v_offset if a function names n arguments. */
static void put_named(const struct condition *condition, const char *operator, unsigned int n)
{
	const enum cdebug_machine machine = dkl_cdebug_machine_of(condition->event);
	const int registers = (int)dkl_cdebug_va_registers(machine);
	const bool below = machine == CDEBUG_ARM64;

	fprintf(condition->f, "v_offset %s %d", operator, 8 *((int)n - (below ? registers : 0)));
}

/* Writes that the format has at least n words, which begin with the mark. */
static void put_words(struct condition *condition, const struct group *group, const char *mark,
		      unsigned int n)
{
	if (group->va) {
		fputs("(", condition->f);
		put_named(condition, ">", NAMED);
		fputs(" || ", condition->f);
	}
	fprintf(condition->f, "%s ~ \"", group->format);
	for (unsigned int i = 0; i < n; i++)
		fprintf(condition->f, "*%s", mark);
	fprintf(condition->f, "*\"%s", group->va ? ")" : "");
}

/* s0 ~ GLOB || (two words && (s1 ~ GLOB || (three words && ...))) */
static void put_chain(struct condition *condition, const struct group *group, const char *mark,
		      unsigned int most)
{
	const unsigned int named = group->va ? NAMED : 0, from = group->va ? LEAST_NAMED : 0;
	unsigned int depth = 0, n = 0, last = 0;

	for (unsigned int i = from; i < most; i++) {
		unsigned int words = i < named ? 1 : i - named + 1;

		if (!has_string(condition, group->letter, i))
			continue;
		if (n++)
			fputs(" || ", condition->f);
		if (words > last && last <= MAX_MARKS) {
			fputs("(", condition->f);
			put_words(condition, group, mark, words);
			fputs(" && (", condition->f);
			last = words;
			depth++;
		}
		fprintf(condition->f, "%c%u ~ \"%s\"", group->letter, i, condition->glob);
	}
	while (depth--)
		fputs("))", condition->f);
}

static bool has_strings(const struct condition *condition, const struct group *group)
{
	for (unsigned int i = 0; group->format && i < MAX_WORDS; i++)
		if (has_string(condition, group->letter, i))
			return true;
	return false;
}

static void put_strings(struct condition *condition, const struct group *group)
{
	const char *nested = group->format ? needs_nested(condition, group->format) : NULL;

	if (!has_strings(condition, group))
		return;
	begin(condition);
	if (nested)
		fprintf(condition->f, "(fmt ~ \"%s\" && (", nested);
	put_chain(condition, group, "%", MAX_WORDS);
	fputs(nested ? "))" : "", condition->f);
	/* Neither nested formats nor those around them have stars. */
	if (is_named(condition->event, CDEBUG_NESTED) || !strcmp(group->format, "v_fmt"))
		return;
	fprintf(condition->f, " || (%s ~ \"%s\" && (", group->format, STARRED);
	put_chain(condition, group, "[%*]", MAX_STARRED);
	fputs("))", condition->f);
}

/* The names of dentries, d0 of fmt and n2 of a va_list. */
static void put_names(struct condition *condition, const struct group *group)
{
	const char letter = group->va ? 'n' : 'd';

	for (unsigned int i = 0; group->format && i < MAX_WORDS; i++) {
		if (!has_string(condition, letter, i))
			continue;
		begin(condition);
		fprintf(condition->f, "(%s ~ \"*%%pd*\" && %c%u ~ \"%s\")", group->format, letter,
			i, condition->glob);
	}
}

/* ---- words split between a format and a string ---- */

/* Writes the test of the argument; false: the event does not have its string. */
static bool put_argument(struct condition *condition, const struct group *group,
			 const struct search_part *part)
{
	unsigned int least = group->va ? LEAST_NAMED : 0, most = group->va ? MOST_NAMED : 0;
	bool any = false;

	for (unsigned int named = least; named <= most; named++) {
		unsigned int i = part->word + named;

		if (!has_string(condition, group->letter, i))
			continue;
		fprintf(condition->f, "%s(", any ? " || " : "");
		if (group->va) {
			put_named(condition, "==", named);
			fputs(" && ", condition->f);
		}
		fprintf(condition->f, "%c%u ~ \"%s\")", group->letter, i, part->argument);
		any = true;
	}
	return any;
}

static bool has_argument(const struct condition *condition, const struct group *group,
			 const struct search_part *part)
{
	const unsigned int named = group->va ? LEAST_NAMED : 0;

	/* Other formats of calls are also in the record of dktrace:cdebug_strings. */
	if (!group->format || (!group->va && is_named(condition->event, CDEBUG_NESTED) &&
			       strncmp(part->format, NESTED, strlen(NESTED)) != 0))
		return false;
	return has_string(condition, group->letter, part->word + named);
}

static void put_part(struct condition *condition, const struct group *group,
		     const struct search_part *part)
{
	const char *nested;

	if (!has_argument(condition, group, part))
		return;
	begin(condition);
	fputs("(", condition->f);
	nested = needs_nested(condition, group->format);
	if (nested)
		fprintf(condition->f, "fmt ~ \"%s\" && ", nested);
	fprintf(condition->f, "%s ~ \"%s\" && (", group->format, part->format);
	put_argument(condition, group, part);
	fputs("))", condition->f);
}

/* ---- all ---- */

static const char *name_of(const struct condition *condition, const char *first, const char *second)
{
	return has_field(condition, first) ? first : has_field(condition, second) ? second : NULL;
}

int dkl_search_condition(const struct search *search, struct dkt_event *event, char **text)
{
	struct condition condition = { .event = event, .glob = search->glob };
	/* The record of dktrace:cdebug_nested has the same strings. */
	const bool is_third = is_named(event, CDEBUG_NESTED_THIRD);
	/* Lustre 2.12 has the arguments of fmt in a va_list, and those of fmt2 as words. */
	const struct group groups[] = {
		{ is_third ? NULL : name_of(&condition, "fmt2", "fmt"), 's', false },
		{ has_field(&condition, "fmt2") ? "fmt" : name_of(&condition, "v_fmt", "v_fmt"),
		  't', true },
	};
	bool found = search->formats.n || search->arguments.n || search->n_parts;
	size_t len;

	*text = NULL;
	condition.f = open_memstream(text, &len);
	if (!condition.f)
		return -ENOMEM;
	/* A constant that does not look like a format can be one. */
	if (!found || search->formats.n || search->arguments.n || has_field(&condition, "msg"))
		put_formats(&condition);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (!found || search->arguments.n) {
			put_strings(&condition, &groups[i]);
			put_names(&condition, &groups[i]);
		}
		for (size_t j = 0; j < search->n_parts; j++)
			put_part(&condition, &groups[i], &search->parts[j]);
	}
	return dkt__text_end(condition.f, condition.any ? 0 : -ENOENT, text);
}
