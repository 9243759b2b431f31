/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dumps in a directory, in the order in which they were made. */
#include "recording/flight/files.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"

struct old {
	char *name;
	uint64_t number, bytes;
	int64_t time; /* ns */
};

struct olds {
	struct old *list;
	size_t n;
	uint64_t bytes;
};

bool flight_file_number(const char *name, uint64_t *number)
{
	static const char pattern[] = "flight-dddddddd-dddddd";

	*number = 0;
	for (const char *p = pattern; *p; p++, name++)
		if (*p == 'd' ? !isdigit((unsigned char)*name) : *name != *p)
			return false;
	if (*name == '-' && isdigit((unsigned char)name[1])) {
		name++;
		if (dkt__take_u64(&name, NULL, DKT__DEC, number))
			return false;
	}
	return !strcmp(name, ".dat");
}

/* ---- the directory ---- */

static int add(struct olds *olds, DIR *dir, const char *name)
{
	struct old old = { 0 };
	struct stat st;
	int err;

	if (!flight_file_number(name, &old.number) ||
	    fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid())
		return 0;
	old.bytes = (uint64_t)st.st_blocks * 512;
	old.time = dkt__timespec_ns(&st.st_mtim);
	old.name = strdup(name);
	err = old.name ? dkt__append(olds->list, olds->n, old) : -ENOMEM;
	if (err)
		free(old.name);
	else
		olds->bytes += old.bytes;
	return err;
}

/* The clock can have been set between two dumps. Without a number, the time is all that there is. */
static int older(const void *a, const void *b)
{
	const struct old *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number) ?:
		       (x->time > y->time) - (x->time < y->time) ?:
								   strcmp(x->name, y->name);
}

static void free_olds(struct olds *olds)
{
	for (size_t i = 0; i < olds->n; i++)
		free(olds->list[i].name);
	free(olds->list);
}

/* Reads the dumps of this user, the oldest first. */
static int read_all(struct dkt_ctx *ctx, const char *path, DIR **dir, struct olds *olds)
{
	struct dirent *entry;
	int err = 0;

	*olds = (struct olds){ 0 };
	*dir = opendir(path);
	if (!*dir)
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	while (!err && (entry = readdir(*dir)))
		err = add(olds, *dir, entry->d_name);
	if (olds->n)
		qsort(olds->list, olds->n, sizeof(*olds->list), older);
	return dkt__with_words(ctx, err);
}

int flight_next_number(struct dkt_ctx *ctx, const char *path, uint64_t *number)
{
	DIR *dir __cleanup(closedir) = NULL;
	struct olds olds;
	int err = read_all(ctx, path, &dir, &olds);

	*number = olds.n ? olds.list[olds.n - 1].number + 1 : 1;
	free_olds(&olds);
	return err;
}

/* ---- deleting ---- */

/*
 * Returns how many dumps, from the oldest, are too old. One from the future is older than the next one:
 * the clock has been set back since.
 */
static size_t count_aged(const struct olds *olds, const struct flight_limits *limits)
{
	size_t aged = 0;

	for (size_t i = 0; limits->keep && i < olds->n; i++) {
		const int64_t time = olds->list[i].time;

		if (time <= limits->now && (uint64_t)(limits->now - time) > limits->keep)
			aged = i + 1;
		else if (time <= limits->now)
			break;
	}
	return aged;
}

int flight_prune(struct dkt_ctx *ctx, const char *path, const struct flight_limits *limits)
{
	DIR *dir __cleanup(closedir) = NULL;
	struct olds olds;
	int err = read_all(ctx, path, &dir, &olds);
	size_t aged = err ? 0 : count_aged(&olds, limits);

	for (size_t i = 0; !err && i < olds.n; i++) {
		const struct old *old = &olds.list[i];

		if (i >= aged && (!limits->max_size || olds.bytes <= limits->max_size))
			break;
		if (limits->spare && !strcmp(limits->spare, old->name))
			continue;
		if (!unlinkat(dirfd(dir), old->name, 0))
			olds.bytes -= old->bytes;
	}
	free_olds(&olds);
	return err;
}
