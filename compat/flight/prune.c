/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deletes old dumps. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/memory.h"
#include "flight/dump.h"

struct old {
	char *name;
	uint64_t bytes;
	int64_t time; /* ns */
};

struct olds {
	struct old *list;
	size_t n;
	uint64_t bytes;
};

/* Only the names that a recorder gives: flight-20261123-094000.dat, flight-20261123-094000-2.dat. */
static bool is_dump(const char *name)
{
	static const char start[] = "flight-";
	size_t len;

	if (strncmp(name, start, strlen(start)) != 0)
		return false;
	name += strlen(start);
	len = strspn(name, "0123456789-");
	return len >= strlen("20261123-094000") && !strcmp(name + len, ".dat");
}

static int add(struct olds *olds, DIR *dir, const char *name)
{
	struct old old = { 0 };
	struct stat st;
	int err;

	if (!is_dump(name) || fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return 0;
	old.bytes = (uint64_t)st.st_blocks * 512;
	old.time = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	old.name = strdup(name);
	err = old.name ? dkt__append(olds->list, olds->n, old) : -ENOMEM;
	if (err)
		free(old.name);
	else
		olds->bytes += old.bytes;
	return err;
}

static int older(const void *a, const void *b)
{
	const struct old *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time) ?: strcmp(x->name, y->name);
}

static void delete (struct olds *olds, DIR *dir, int64_t before, uint64_t max_size,
		    const char *spare)
{
	if (olds->n)
		qsort(olds->list, olds->n, sizeof(*olds->list), older);
	for (size_t i = 0; i < olds->n; i++) {
		const struct old *old = &olds->list[i];

		if ((old->time >= before && (!max_size || olds->bytes <= max_size)) ||
		    (spare && !strcmp(spare, old->name)))
			continue;
		if (!unlinkat(dirfd(dir), old->name, 0))
			olds->bytes -= old->bytes;
	}
}

int flight_prune(struct dkt_ctx *ctx, const char *path, int64_t before, uint64_t max_size,
		 const char *spare)
{
	DIR *dir __cleanup(closedir) = opendir(path);
	struct olds olds = { 0 };
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	while (!err && (entry = readdir(dir)))
		err = add(&olds, dir, entry->d_name);
	if (!err)
		delete (&olds, dir, before, max_size, spare);
	for (size_t i = 0; i < olds.n; i++)
		free(olds.list[i].name);
	free(olds.list);
	return dkt__with_words(ctx, err);
}
