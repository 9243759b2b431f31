/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A saved tracefs tree as a source: raw per-CPU pages, formats of events, names. */
#pragma once

#include "lib/source.h"

/* Makes the directory the context's tracefs, and its pages a source of records. */
int dkt__source_saved_tree(struct dkt_ctx *ctx, const char *path,
			   const struct dkt_source_opts *opts, struct dkt_source **source);
