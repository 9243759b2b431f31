/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of names, sorted by address. */
#include "lib/symbol/list.h"

static int entry_cmp(const void *a, const void *b)
{
	const struct symbol_entry *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

int dkt__symbol_list_fill(struct symbol_list *list, char *text, symbol_cut_fn cut)
{
	char *line, *rest = text;

	list->text = text;
	list->entries = calloc(count_lines(text), sizeof(*list->entries));
	if (!list->entries)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		struct symbol_entry *entry = &list->entries[list->n];

		if (!cut(line, entry) || !entry->address)
			continue;
		entry->order = (uint32_t)list->n++ & (INT32_MAX >> 1);
	}
	dkt__symbol_list_sort(list);
	return 0;
}

/* Merges the sorted entries from a place on into those before it. False: memory is out. */
static bool merge(struct symbol_entry *list, size_t place, size_t n)
{
	const size_t n_rest = n - place;
	struct symbol_entry *rest = malloc(n_rest * sizeof(*rest));

	if (!rest)
		return false;
	memcpy(rest, list + place, n_rest * sizeof(*rest));
	for (size_t i = place, j = n_rest; j; n--)
		list[n - 1] = i && entry_cmp(&list[i - 1], &rest[j - 1]) > 0 ? list[--i] :
									       rest[--j];
	free(rest);
	return true;
}

/* The kernel's own symbols are sorted; those of modules and programs of BPF follow. */
void dkt__symbol_list_sort(struct symbol_list *list)
{
	size_t sorted = 1;

	while (sorted < list->n &&
	       entry_cmp(&list->entries[sorted - 1], &list->entries[sorted]) <= 0)
		sorted++;
	if (sorted >= list->n)
		return;
	qsort(list->entries + sorted, list->n - sorted, sizeof(*list->entries), entry_cmp);
	if (!merge(list->entries, sorted, list->n))
		qsort(list->entries, list->n, sizeof(*list->entries), entry_cmp);
}

void dkt__symbol_list_clear(struct symbol_list *list)
{
	free(list->entries);
	free(list->text);
	*list = (struct symbol_list){ 0 };
}

const struct symbol_entry *dkt__symbol_list_find(const struct symbol_list *list, uint64_t address)
{
	size_t low = 0, high = list->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (list->entries[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	address = list->entries[low - 1].address;
	while (low > 1 && list->entries[low - 2].address == address)
		low--;
	return &list->entries[low - 1];
}
