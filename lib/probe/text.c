/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses and prints definitions of probes, and lists of them. */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/probe.h"

/* ---- lists ---- */

static void clear_probe(struct dkt_probe *probe)
{
	free((char *)(uintptr_t)probe->group);
	free((char *)(uintptr_t)probe->name);
	free((char *)(uintptr_t)probe->place);
	free((char *)(uintptr_t)probe->fields);
}

void dkt_probes_free(struct dkt_probes *probes)
{
	if (!probes)
		return;
	for (size_t i = 0; i < probes->n; i++)
		clear_probe(&probes->at[i]);
	free(probes->at);
	free(probes);
}

int dkt__probes_add(struct dkt_probes *probes, const struct dkt_probe *probe)
{
	struct dkt_probe copy = *probe;

	copy.group = strdup(probe->group ? probe->group : PROBE_GROUP);
	copy.name = strdup(probe->name);
	copy.place = strdup(probe->place ? probe->place : "");
	copy.fields = strdup(probe->fields ? probe->fields : "");
	if (copy.group && copy.name && copy.place && copy.fields &&
	    !dkt__append(probes->at, probes->n, copy))
		return 0;
	clear_probe(&copy);
	return -ENOMEM;
}

const struct dkt_probe *dkt_probes_at(const struct dkt_probes *probes, size_t i)
{
	if (!probes)
		return NULL;

	return i < probes->n ? &probes->at[i] : NULL;
}

const struct dkt_probe *dkt__probes_find(const struct dkt_probes *probes, const char *group,
					 const char *name)
{
	if (!probes || !group || !name)
		return NULL;

	for (size_t i = 0; i < probes->n; i++)
		if (!strcmp(probes->at[i].group, group) && !strcmp(probes->at[i].name, name))
			return &probes->at[i];
	return NULL;
}

/* ---- to text ---- */

/* All others are p, or r on return. */
static const char letters[] = {
	[DKT_PROBE_FPROBE] = 'f',
	[DKT_PROBE_TRACEPOINT] = 't',
	[DKT_PROBE_EVENT] = 'e',
	[DKT_PROBE_SYNTHETIC] = 's',
};

static char letter_of(const struct dkt_probe *probe)
{
	if (probe->kind < ARRAY_SIZE(letters) && letters[probe->kind])
		return letters[probe->kind];
	return probe->on_return ? 'r' : 'p';
}

int dkt__probe_text(struct dkt_ctx *ctx, const struct dkt_probe *given, char **text)
{
	dkt__needs(ctx, dkt__clear(text) && ctx && given);

	struct dkt_probe all, *probe = &all;
	int err = dkt__opts_take(ctx, dkt_probe, &all, given);

	if (err)
		return err;

	const char *place = probe->place ? probe->place : "";
	const char *fields = probe->fields ? probe->fields : "";
	const char *p;
	size_t n;
	bool clean;

	*text = dkt__format("%c:%s/%s%s%s%s%s%s", letter_of(probe), probe->group, probe->name,
			    *place ? " " : "", place,
			    probe->kind == DKT_PROBE_FPROBE && probe->on_return ? "%return" : "",
			    *fields ? " " : "", fields);
	if (!*text)
		return dkt__no_memory(ctx);
	n = strlen(*text);
	for (p = *text; (unsigned char)*p >= 0x20 && *p != 0x7f; p++)
		;
	clean = !*p;
	if (clean && n <= PROBE_TEXT_MAX)
		return 0;
	free(*text);
	*text = NULL;
	if (!clean)
		return dkt_fail(ctx, -EINVAL, "a definition cannot have a control character");
	return dkt_fail(ctx, -E2BIG,
			"the definition of %s/%s has %zu bytes; the kernel's limit is %d",
			probe->group, probe->name, n, PROBE_TEXT_MAX);
}

bool dkt__probe_is_name(const char *name)
{
	if (isdigit((unsigned char)*name) || !*name)
		return false;
	while (dkt__in_name(*name))
		name++;
	return !*name;
}

/* ---- from text ---- */

/* Cuts off the next word; NULL at the end. */
static char *next_word(char **rest)
{
	char *word;

	*rest += strspn(*rest, " \t");
	word = *rest;
	if (!*word)
		return NULL;
	*rest += strcspn(*rest, " \t");
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

/* "p:", "r8:", "e:" ... */
static bool read_letter(const char *head, struct dkt_probe *probe)
{
	/* A number is the maximum of concurrent calls whose return is probed. */
	if (head[1 + strspn(head + 1, "0123456789")] != ':')
		return false;
	probe->on_return = head[0] == 'r';
	probe->kind = DKT_PROBE_KPROBE;
	if (head[0] == 'p' || head[0] == 'r')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i] && head[0] == letters[i]) {
			probe->kind = (enum dkt_probe_kind)i;
			return true;
		}
	return false;
}

/* Cuts off "%return", as in "vfs_read%return". */
static void cut_return(char *place, struct dkt_probe *probe)
{
	size_t n = strlen(place);
	static const char suffix[] = "%return";

	if (n < sizeof(suffix) || strcmp(place + n - (sizeof(suffix) - 1), suffix))
		return;
	place[n - (sizeof(suffix) - 1)] = '\0';
	probe->on_return = true;
}

int dkt__probe_parse(const char *line, struct dkt_probes *probes)
{
	char *text __cleanup(free) = strdup(line);
	DKT_OPTS(dkt_probe, probe, .hits = DKT_PROBE_UNKNOWN, .missed = DKT_PROBE_UNKNOWN);
	char *rest = text, *head, *slash, *place = NULL;

	if (!text)
		return -ENOMEM;
	head = next_word(&rest);
	if (!head || !*head || !read_letter(head, &probe))
		return -EINVAL;
	head = strchr(head, ':') + 1;
	slash = strchr(head, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	probe.group = head;
	probe.name = slash + 1;
	if (!*probe.group || !dkt__probe_is_name(probe.name))
		return -EINVAL;
	if (probe.kind != DKT_PROBE_SYNTHETIC) {
		place = next_word(&rest);
		if (!place)
			return -EINVAL;
		cut_return(place, &probe);
		if (probe.kind == DKT_PROBE_KPROBE && strchr(place, '/'))
			probe.kind = DKT_PROBE_UPROBE;
	}
	probe.place = place;
	probe.fields = rest + strspn(rest, " \t");
	return dkt__probes_add(probes, &probe);
}

int dkt__probe_from_text(struct dkt_ctx *ctx, const char *text, struct dkt_probes **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && text);

	struct dkt_probes *probes = calloc(1, sizeof(*probes));
	int err = probes ? dkt__probe_parse(text, probes) : dkt__no_memory(ctx);

	if (err) {
		dkt_probes_free(probes);
		return err == -EINVAL ? dkt_fail(ctx, err, "'%.80s' defines no probe", text) :
					dkt__with_words(ctx, err);
	}
	*out = probes;
	return 0;
}

/* ---- comparing ---- */

/* Returns the offset after the mark, or 0. */
static uint64_t offset_at(const char *mark)
{
	const char *p = mark ? mark + 1 : "";
	uint64_t offset;

	dkt__take_u64(&p, NULL, DKT__AS_C, &offset);
	return offset;
}

/* "/bin/sh:0x0000000000001234" is "/bin/sh:0x1234", and "vfs_read+0" is "vfs_read". */
static bool same_place(const struct dkt_probe *a, const struct dkt_probe *b)
{
	char mark = a->kind == DKT_PROBE_UPROBE ? ':' : '+';
	const char *at_a = strrchr(a->place, mark), *at_b = strrchr(b->place, mark);
	size_t n_a = at_a ? (size_t)(at_a - a->place) : strlen(a->place);
	size_t n_b = at_b ? (size_t)(at_b - b->place) : strlen(b->place);

	/* The kernel lists something else in place of a probe's address. */
	if (a->kind == DKT_PROBE_KPROBE && isdigit((unsigned char)*a->place) &&
	    isdigit((unsigned char)*b->place))
		return true;
	return n_a == n_b && !memcmp(a->place, b->place, n_a) && offset_at(at_a) == offset_at(at_b);
}

/* True if the fields differ only in spaces. */
static bool same_fields(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " \t");
		b += strspn(b, " \t");
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

/* Takes the next field of a synthetic event, up to ';', and the text in its brackets. */
static const char *next_field(const char **p, size_t *len, const char **size, size_t *n)
{
	const char *field = *p + strspn(*p, " \t;");

	*len = strcspn(field, ";");
	*size = memchr(field, '[', *len);
	*n = *size ? strcspn(*size, "];") : 0;
	*p = field + *len;
	return field;
}

/* True if the fields differ only in spaces and brackets. */
static bool same_words(const char *a, size_t len_a, const char *b, size_t len_b)
{
	const char *end_a = a + len_a, *end_b = b + len_b;

	for (;; a++, b++) {
		while (a < end_a && strchr(" \t[", *a))
			a += *a == '[' ? strcspn(a, "];") + 1 : 1;
		while (b < end_b && strchr(" \t[", *b))
			b += *b == '[' ? strcspn(b, "];") + 1 : 1;
		if (a >= end_a || b >= end_b)
			return a >= end_a && b >= end_b;
		if (*a != *b)
			return false;
	}
}

/* The kernel accepts "char name[16]" and lists "char[16] name". */
static bool same_synthetic(const char *a, const char *b)
{
	const char *field_a, *field_b, *size_a, *size_b;
	size_t len_a, len_b, n_a, n_b;

	do {
		field_a = next_field(&a, &len_a, &size_a, &n_a);
		field_b = next_field(&b, &len_b, &size_b, &n_b);
		if (n_a != n_b || (n_a && memcmp(size_a, size_b, n_a) != 0) ||
		    !same_words(field_a, len_a, field_b, len_b))
			return false;
	} while (*field_a && *field_b);
	return *field_a == *field_b;
}

bool dkt__probe_same(const struct dkt_probe *a, const struct dkt_probe *b)
{
	if (!a || !b || a->kind != b->kind || a->on_return != b->on_return ||
	    strcmp(a->group, b->group) != 0 || strcmp(a->name, b->name) != 0)
		return false;
	if (a->kind == DKT_PROBE_SYNTHETIC)
		return same_synthetic(a->fields, b->fields);
	return same_place(a, b) && same_fields(a->fields, b->fields);
}
