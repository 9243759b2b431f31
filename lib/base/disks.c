/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the disks and partitions of a machine, by their numbers. */
#include "lib/base/disks.h"

#include <limits.h>

#include "lib/base/io.h"
#include "lib/base/parse.h"

#define LIST "/proc/partitions"

/* A longer text is not the kernel's list. */
#define LIST_MAX (16u << 20)

#define MINOR_MASK ((1u << DKT__DISK_MINOR_BITS) - 1)

/* A space, a control character or a byte of another alphabet is in no name that a driver gives. */
static bool is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~' || strchr("\"'`<>&\\", name[i]))
			return false;
	return len && len < DKT__DISK_NAME;
}

int dkt__disks_add(struct dkt__disks *disks, uint64_t dev, const char *name, size_t len)
{
	struct dkt__disk disk = { .dev = (uint32_t)dev };

	if (dev > UINT32_MAX || !is_name(name, len) || disks->n >= DKT__DISKS_MAX)
		return 0;
	memcpy(disk.name, name, len);
	return dkt__append(disks->list, disks->n, disk);
}

/* A line is "major minor #blocks name". */
static int add_line(struct dkt__disks *disks, const char *line)
{
	const char *p = line + strspn(line, " ");
	uint64_t major, minor;

	if (dkt__take_u64(&p, NULL, DKT__DEC, &major))
		return 0;
	p += strspn(p, " ");
	if (dkt__take_u64(&p, NULL, DKT__DEC, &minor) ||
	    major > UINT32_MAX >> DKT__DISK_MINOR_BITS || minor > MINOR_MASK)
		return 0;
	p = strrchr(p, ' ');
	return p ? dkt__disks_add(disks, major << DKT__DISK_MINOR_BITS | minor, p + 1,
				  strlen(p + 1)) :
		   0;
}

int dkt__disks_read(struct dkt__disks *disks)
{
	char *text __cleanup(free) = NULL, *rest, *line;
	size_t len;
	int err = dkt__read_file(LIST, LIST_MAX, &text, &len);

	*disks = (struct dkt__disks){ 0 };
	if (err)
		return err == -ENOMEM ? err : 0;
	for (rest = text; !err && (line = strsep(&rest, "\n"));)
		err = add_line(disks, line);
	dkt__disks_sort(disks);
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct dkt__disk *x = a, *y = b;

	return (x->dev > y->dev) - (x->dev < y->dev);
}

void dkt__disks_sort(struct dkt__disks *disks)
{
	size_t n = 0;

	if (disks->n)
		qsort(disks->list, disks->n, sizeof(*disks->list), compare);
	for (size_t i = 0; i < disks->n; i++) {
		n -= n && disks->list[n - 1].dev == disks->list[i].dev;
		disks->list[n++] = disks->list[i];
	}
	disks->n = n;
}

int dkt__disks_join(struct dkt__disks *disks, const struct dkt__disks *more)
{
	const size_t n = disks->n;
	int err = 0;

	for (size_t i = 0; !err && i < more->n; i++) {
		const struct dkt__disk *disk = &more->list[i];
		const struct dkt__disks had = { .list = disks->list, .n = n };
		char *name = (char *)dkt__disks_find(&had, disk->dev);

		if (name)
			memcpy(name, disk->name, sizeof(disk->name));
		else
			err = dkt__disks_add(disks, disk->dev, disk->name, strlen(disk->name));
	}
	dkt__disks_sort(disks);
	return err;
}

bool dkt__disks_same(const struct dkt__disks *a, const struct dkt__disks *b)
{
	return a->list == b->list ||
	       (a->n == b->n && (!a->n || !memcmp(a->list, b->list, a->n * sizeof(*a->list))));
}

const char *dkt__disks_find(const struct dkt__disks *disks, uint64_t dev)
{
	const struct dkt__disk key = { .dev = (uint32_t)dev }, *found;

	if (dev > UINT32_MAX || !disks->n)
		return NULL;
	found = bsearch(&key, disks->list, disks->n, sizeof(*disks->list), compare);
	return found ? found->name : NULL;
}

void dkt__disks_clear(struct dkt__disks *disks)
{
	free(disks->list);
	*disks = (struct dkt__disks){ 0 };
}

bool dkt__disk_here(uint64_t dev, char name[DKT__DISK_NAME])
{
	char path[64], target[PATH_MAX];
	const char *last;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u",
		 (uint32_t)(dev >> DKT__DISK_MINOR_BITS), (uint32_t)dev & MINOR_MASK);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (!is_name(last, strlen(last)))
		return false;
	memcpy(name, last, strlen(last) + 1);
	return true;
}

bool dkt__disk_is_field(const char *field)
{
	const char *last = strrchr(field, '_');

	return !strcmp(last ? last + 1 : field, "dev");
}

void dkt__disk_number(uint64_t dev, char text[DKT__DISK_NUMBER])
{
	snprintf(text, DKT__DISK_NUMBER, "%u,%u", (uint32_t)(dev >> DKT__DISK_MINOR_BITS),
		 (uint32_t)dev & MINOR_MASK);
}
