/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Process names by PID: a hash table with linear probing. */
#include <search.h>

#include "lib/source/comms.h"

struct dkt__comm {
	int32_t pid;
	const char *name; /* NULL: the slot is free */
	uint64_t mark; /* the caller's */
};

/* The kernel's limit, with the NUL. */
#define TASK_COMM_LEN 16

/* As in include/linux/threads.h: a file cannot name more processes than a kernel has. */
#define PID_MAX_LIMIT (4 * 1024 * 1024)

static struct dkt__comm *find(const struct dkt__comms *comms, int32_t pid)
{
	size_t at = ((uint32_t)pid * UINT32_C(0x9e3779b1)) & (comms->size - 1);

	while (comms->slots[at].name && comms->slots[at].pid != pid)
		at = (at + 1) & (comms->size - 1);
	return &comms->slots[at];
}

static int grow(struct dkt__comms *comms)
{
	struct dkt__comms more = { .size = comms->size ? comms->size * 2 : 256,
				   .n = comms->n,
				   .names = comms->names };

	more.slots = calloc(more.size, sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	for (size_t i = 0; i < comms->size; i++)
		if (comms->slots[i].name)
			*find(&more, comms->slots[i].pid) = comms->slots[i];
	free(comms->slots);
	*comms = more;
	return 0;
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Returns the single copy of a name, or NULL if memory is out. */
static const char *keep(struct dkt__comms *comms, const char *name)
{
	char **node = tsearch(name, &comms->names, name_cmp), *copy;

	if (!node || *node != name)
		return node ? *node : NULL;
	copy = strdup(name);
	if (copy)
		*node = copy;
	else
		tdelete(name, &comms->names, name_cmp);
	return copy;
}

int dkt__comms_set(struct dkt__comms *comms, int32_t pid, const char *name, size_t n)
{
	char copy[TASK_COMM_LEN] = "";
	struct dkt__comm *slot;
	int err;

	if (pid < 0 || pid > PID_MAX_LIMIT)
		return 0;
	err = comms->n * 2 >= comms->size ? grow(comms) : 0;
	if (err)
		return err;
	slot = find(comms, pid);
	memcpy(copy, name, DKT__MIN(n, sizeof(copy) - 1));
	name = keep(comms, copy);
	if (!name)
		return -ENOMEM;
	comms->n += !slot->name;
	slot->pid = pid;
	slot->name = name;
	comms->name = NULL;
	return 0;
}

int dkt__comms_add(struct dkt__comms *comms, const struct dkt__comms *more)
{
	int err = 0;

	for (size_t i = 0; !err && i < more->size; i++) {
		const struct dkt__comm *slot = &more->slots[i];

		if (slot->name)
			err = dkt__comms_set(comms, slot->pid, slot->name, strlen(slot->name));
	}
	return err;
}

int dkt__comms_parse(struct dkt__comms *comms, const char *text, size_t len)
{
	const char *end = text + len, *stop;
	int err = 0;

	for (; !err && text < end; text = stop + 1) {
		uint64_t pid = 0;
		const char *p = text;

		stop = memchr(text, '\n', (size_t)(end - text));
		if (!stop)
			stop = end;
		for (; p < stop && *p >= '0' && *p <= '9' && pid <= INT32_MAX; p++)
			pid = pid * 10 + (uint64_t)(*p - '0');
		if (p > text && p < stop && *p == ' ' && pid <= INT32_MAX)
			err = dkt__comms_set(comms, (int32_t)pid, p + 1, (size_t)(stop - p - 1));
	}
	return err;
}

int32_t dkt__comms_pid(const struct dkt__comms *comms, size_t *at)
{
	while (*at < comms->size) {
		const struct dkt__comm *slot = &comms->slots[(*at)++];

		if (slot->name)
			return slot->pid;
	}
	return -1;
}

const char *dkt__comms_get(const struct dkt__comms *comms, int32_t pid)
{
	const struct dkt__comm *slot = comms->size ? find(comms, pid) : NULL;

	return slot ? slot->name : NULL;
}

uint64_t *dkt__comms_mark(const struct dkt__comms *comms, int32_t pid)
{
	struct dkt__comm *slot = comms->size ? find(comms, pid) : NULL;

	return slot && slot->name ? &slot->mark : NULL;
}

void dkt__comms_forget(struct dkt__comms *comms)
{
	free(comms->slots);
	*comms = (struct dkt__comms){ .names = comms->names };
}

void dkt__comms_clear(struct dkt__comms *comms)
{
	free(comms->slots);
	tdestroy(comms->names, free);
	*comms = (struct dkt__comms){ 0 };
}
