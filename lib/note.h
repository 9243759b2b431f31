/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notes in the spool directory, with which a later process undoes the changes of a killed one. */
#pragma once

#include "lib/ctx.h"

bool dkt__note_exists(const char *spool, const char *name);

/* Writes a note, all or nothing; creates the directory if necessary. */
int dkt__note_write(struct dkt_ctx *ctx, const char *spool, const char *name, const char *text);

/* Reads a note; the caller frees the text. -ENOENT: there is no such note. */
int dkt__note_read(struct dkt_ctx *ctx, const char *spool, const char *name, char **text);
int dkt__note_remove(struct dkt_ctx *ctx, const char *spool, const char *name);
