/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compresses what is sent, as HTTP's deflate: the only method beside gzip that all releases know. */
#pragma once

#include "answers/load/chunks.h"
#include "answers/load/server.h"

/* Adds the compressed pieces to bytes. */
int squeeze(const struct statement_piece *pieces, size_t n, struct chunks *chunks,
	    struct bytes *bytes);
