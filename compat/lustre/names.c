/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of strings that own their strings. */
#include "lustre/names.h"

#include "base/buf.h"
#include "base/io.h"

int names_take(struct names *names, char *name)
{
	int err = name ? dkt__append(names->list, names->n, name) : -ENOMEM;

	if (err)
		free(name);
	return err;
}

int names_add(struct names *names, const char *name)
{
	return names_take(names, strdup(name));
}

int names_copy(struct names *to, const struct names *from)
{
	int err = 0;

	*to = (struct names){ 0 };
	for (size_t i = 0; !err && i < from->n; i++)
		err = names_add(to, from->list[i]);
	return err;
}

bool names_same(const struct names *a, const struct names *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->list[i], b->list[i]) != 0)
			return false;
	return a->n == b->n;
}

bool names_has(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->list[i], name))
			return true;
	return false;
}

void names_remove(struct names *names, size_t i)
{
	free(names->list[i]);
	names->n--;
	memmove(names->list + i, names->list + i + 1, (names->n - i) * sizeof(*names->list));
}

void names_clear(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct names){ 0 };
}

char *names_by_system(const char *names)
{
	const char *p;
	size_t len, size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (const char *first = names; out && *first; first = p) {
		size_t n = 0;

		len = strcspn(first, ":") + 1;
		for (p = first; !strncmp(p, first, len); n++) {
			p += strcspn(p, ",");
			p += *p ? strlen(", ") : 0;
		}
		fputs(first == names ? "" : ", ", out);
		if (n == 1)
			len = strcspn(first, ",") + 1;
		fprintf(out, "%.*s", (int)len - 1, first);
		if (n > 1)
			fprintf(out, " (%zu)", n);
	}
	dkt__text_end(out, 0, &text);
	return text;
}

char *event_full_name(const struct dkt_event *event)
{
	return dkt__format("%s:%s", dkt_event_system(event), dkt_event_name(event));
}
