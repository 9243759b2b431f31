/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection options of hist and latency, which read a file or record by themselves. */
#pragma once

#include "input/inputs.h"

/*
 * Reads what is asked for of a file's records, but for --filter; and without a file sees to it that nothing
 * is asked for that only a file can answer. 0 or EXIT_USAGE; to be cleared in either case.
 */
int live_args_read(struct app *app, struct record_args *args);

/*
 * The filter of the records, in a context of their kernel: --filter, and of what is recorded now also the
 * threads, programs and CPUs. NULL: there is none.
 */
int live_args_filter(const struct app *app, struct dkt_ctx *ctx, struct dkt_expr **filter);
