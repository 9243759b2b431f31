/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of settings on events: filters on a set of events, triggers on one event. */
#include "compat/log/entries.h"

#include "lib/base/util.h"

static void entry_clear(struct entry *entry)
{
	free(entry->events);
	free(entry->text);
}

int dkl_entries_add(struct entries *entries, const char *events, const char *text)
{
	struct entry entry = { strdup(events), strdup(text) };
	int err = entry.events && entry.text ? dkt__append(entries->list, entries->n, entry) :
					       -ENOMEM;

	if (err)
		entry_clear(&entry);
	return err;
}

size_t dkl_entries_find(const struct entries *entries, const char *events, const char *text)
{
	size_t i;

	for (i = 0; i < entries->n; i++)
		if (!strcmp(entries->list[i].events, events) &&
		    (!text || !strcmp(entries->list[i].text, text)))
			break;
	return i;
}

bool dkl_entries_have(const struct entries *entries, const struct entry *entry)
{
	return dkl_entries_find(entries, entry->events, entry->text) < entries->n;
}

int dkl_entries_copy(struct entries *to, const struct entries *from)
{
	int err = 0;

	*to = (struct entries){ 0 };
	for (size_t i = 0; !err && i < from->n; i++)
		err = dkl_entries_add(to, from->list[i].events, from->list[i].text);
	return err;
}

void dkl_entries_remove(struct entries *entries, size_t i)
{
	entry_clear(&entries->list[i]);
	entries->n--;
	memmove(entries->list + i, entries->list + i + 1,
		(entries->n - i) * sizeof(*entries->list));
}

void dkl_entries_clear(struct entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		entry_clear(&entries->list[i]);
	free(entries->list);
	*entries = (struct entries){ 0 };
}
