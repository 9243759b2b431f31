/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of strings that own their strings. */
#include "lib/base/strings.h"

#include "lib/base/buf.h"
#include "lib/base/io.h"

int dkt__strings_take(struct dkt__strings *names, char *name)
{
	int err = name ? dkt__append(names->list, names->n, name) : -ENOMEM;

	if (err)
		free(name);
	return err;
}

int dkt__strings_add(struct dkt__strings *names, const char *name)
{
	return dkt__strings_take(names, strdup(name));
}

int dkt__strings_copy(struct dkt__strings *to, const struct dkt__strings *from)
{
	int err = 0;

	*to = (struct dkt__strings){ 0 };
	for (size_t i = 0; !err && i < from->n; i++)
		err = dkt__strings_add(to, from->list[i]);
	return err;
}

bool dkt__strings_same(const struct dkt__strings *a, const struct dkt__strings *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->list[i], b->list[i]) != 0)
			return false;
	return a->n == b->n;
}

bool dkt__strings_has(const struct dkt__strings *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->list[i], name))
			return true;
	return false;
}

void dkt__strings_remove(struct dkt__strings *names, size_t i)
{
	free(names->list[i]);
	names->n--;
	memmove(names->list + i, names->list + i + 1, (names->n - i) * sizeof(*names->list));
}

void dkt__strings_clear(struct dkt__strings *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct dkt__strings){ 0 };
}
