/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notes in the spool directory, with which a later process undoes the changes of a killed one. */
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/note.h"

static char *note_path(const char *spool, const char *name)
{
	return dkt__format("%s/%s", spool, name);
}

bool dkt__note_exists(const char *spool, const char *name)
{
	char *path __cleanup(free) = note_path(spool, name);

	return path && !access(path, F_OK);
}

int dkt__note_write(struct dkt_ctx *ctx, const char *spool, const char *name, const char *text)
{
	char *path __cleanup(free) = note_path(spool, name);
	int err;

	if (!path)
		return dkt__no_memory(ctx);
	if (mkdir(spool, 0700) && errno != EEXIST)
		return dkt_fail(ctx, -errno, "create %s: %s", spool, strerror(errno));
	err = dkt__replace_file(path, text, strlen(text), false);
	return err ? dkt_fail(ctx, err, "write %s: %s", path, strerror(-err)) : 0;
}

int dkt__note_read(struct dkt_ctx *ctx, const char *spool, const char *name, char **text)
{
	char *path __cleanup(free) = note_path(spool, name);
	size_t len;
	int err;

	*text = NULL;
	if (!path)
		return dkt__no_memory(ctx);
	err = dkt__read_file(path, SIZE_MAX, text, &len);
	return err ? dkt_fail(ctx, err, "open %s: %s", path, strerror(-err)) : 0;
}

int dkt__note_remove(struct dkt_ctx *ctx, const char *spool, const char *name)
{
	char *path __cleanup(free) = note_path(spool, name);

	if (!path)
		return dkt__no_memory(ctx);
	if (!unlink(path) || errno == ENOENT)
		return 0;
	return dkt_fail(ctx, -errno, "remove %s: %s", path, strerror(errno));
}
