/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Brings what has the same text together. */
#include "lib/base/group.h"

#include "lib/base/intern.h"

static int compare(const void *one, const void *other)
{
	const struct dkt__grouped *a = one, *b = other;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

int dkt__group(struct dkt__grouped *list, size_t n)
{
	struct dkt__intern texts = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		list[i].group = dkt__intern(&texts, list[i].text, (uint32_t)strlen(list[i].text));
		err = list[i].group == UINT32_MAX ? -ENOMEM : 0;
	}
	if (!err && n)
		qsort(list, n, sizeof(*list), compare);
	dkt__intern_clear(&texts);
	return err;
}
