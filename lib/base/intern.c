/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores each distinct byte string once and gives it a number. */
#include "lib/base/intern.h"
#include "lib/base/keymap.h"

#define FIRST_ROOM 64

static uint64_t hash_bytes(const void *bytes, uint32_t len)
{
	const char *p = bytes;
	uint64_t word, h = len;

	for (; len >= sizeof(word); len -= (uint32_t)sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = dkt__mix(h, word);
	}
	word = 0;
	memcpy(&word, p, len);
	return dkt__mix(h, word);
}

static int grow_numbers(struct dkt__intern *in)
{
	uint32_t room = in->n_room ? in->n_room * 2 : FIRST_ROOM, slot;
	struct dkt__interned *all = reallocarray(in->all, room, sizeof(*all));
	uint32_t *slots;

	if (!all)
		return -ENOMEM;
	in->all = all;
	slots = calloc((size_t)room * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(in->slots);
	in->slots = slots;
	in->n_room = room;
	in->mask = room * 2 - 1;
	for (uint32_t i = 0; i < in->n; i++) {
		slot = (uint32_t)all[i].hash & in->mask;
		while (slots[slot])
			slot = (slot + 1) & in->mask;
		slots[slot] = i + 1;
	}
	return 0;
}

static int grow_bytes(struct dkt__intern *in, size_t need)
{
	size_t room = in->room ? in->room : 4096;
	char *bytes;

	while (room < need)
		room *= 2;
	if (room == in->room)
		return 0;
	bytes = realloc(in->bytes, room);
	if (!bytes)
		return -ENOMEM;
	in->bytes = bytes;
	in->room = room;
	return 0;
}

/* Returns the slot of these bytes, or the free one that they would take. */
static uint32_t find_slot(const struct dkt__intern *in, uint64_t hash, const void *bytes,
			  uint32_t len)
{
	uint32_t slot;

	for (slot = (uint32_t)hash & in->mask; in->slots[slot]; slot = (slot + 1) & in->mask) {
		const struct dkt__interned *interned = &in->all[in->slots[slot] - 1];

		if (interned->hash == hash && interned->len == len &&
		    !memcmp(in->bytes + interned->at, bytes, len))
			break;
	}
	return slot;
}

uint32_t dkt__intern_find(const struct dkt__intern *in, const void *bytes, uint32_t len)
{
	/* A free slot has 0. */
	return in->n ? in->slots[find_slot(in, hash_bytes(bytes, len), bytes, len)] - 1 :
		       UINT32_MAX;
}

uint32_t dkt__intern(struct dkt__intern *in, const void *bytes, uint32_t len)
{
	uint64_t hash = hash_bytes(bytes, len);
	uint32_t slot;

	if (in->n == in->n_room && (in->n_room > UINT32_MAX / 8 || grow_numbers(in)))
		return UINT32_MAX;
	slot = find_slot(in, hash, bytes, len);
	if (in->slots[slot])
		return in->slots[slot] - 1;
	if (grow_bytes(in, in->len + len + 1))
		return UINT32_MAX;
	in->all[in->n] = (struct dkt__interned){ .hash = hash, .at = in->len, .len = len };
	memcpy(in->bytes + in->len, bytes, len);
	in->bytes[in->len + len] = '\0';
	in->len += len + 1;
	in->slots[slot] = ++in->n;
	return in->n - 1;
}

const char *dkt__interned(const struct dkt__intern *in, uint64_t number, uint32_t *len)
{
	if (number >= in->n) {
		*len = 0;
		return "";
	}
	*len = in->all[number].len;
	return in->bytes + in->all[number].at;
}

void dkt__intern_clear(struct dkt__intern *in)
{
	free(in->bytes);
	free(in->all);
	free(in->slots);
	*in = (struct dkt__intern){ 0 };
}

/* ---- groups of equal texts ---- */

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
