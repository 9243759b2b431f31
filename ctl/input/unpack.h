/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decompresses the files of gzip, xz, bzip2 and zstd that a command reads. */
#pragma once

#include "ctl/app/app.h"

/*
 * If the file is compressed, decompresses it into an unnamed file in $TMPDIR or /tmp, which takes its place
 * behind the descriptor. What comes before damaged data is kept. name is in messages; path is for
 * unpack_damage(). An error message is in the app's context.
 */
int unpack_file(struct app *app, int fd, const char *path, const char *name);

/* Returns why not all of the file could be decompressed; NULL: all was, or it was not compressed. */
const char *unpack_damage(const struct app *app, const char *path);

void unpack_clear(struct app *app);
