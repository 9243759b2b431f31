/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts a log whose records are out of order: threads write its pieces as sorted runs to a file. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/binary/merge.h"

/* Threads that read a log. More gain nothing, because only one at a time writes its output. */
#define THREADS_MAX 4

/*
 * Writes the records of the log that are shown to another file, each piece of the index as a sorted run, and
 * puts that file and these runs into the log. A thread uses less than twice the index' piece size of memory.
 */
int dkl_pieces_sort(struct dkt_ctx *ctx, struct merge_log *log, const struct record_index *index,
		    int fd);
