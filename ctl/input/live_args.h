/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The selection options of hist and latency, which read a file or record by themselves. */
#pragma once

#include "ctl/input/inputs.h"

/*
 * With --input, reads the options that select records, except --filter. Without it, refuses the options
 * that only a file can answer. Returns 0 or EXIT_USAGE; clear args in either case.
 */
int live_args_read(struct app *app, struct record_args *args);

/* Checks --cpu, or NULL, for records of this machine. -EINVAL with an error message: it has no such CPU. */
int live_args_cpus(struct dkt_ctx *ctx, const char *list);

/*
 * Opens --input, or tracefs after removing the instances of killed commands. Sets *ctx to the context of
 * the kernel that records the events. Checks --cpu.
 */
int live_args_open(struct app *app, struct record_args *args, struct inputs *in,
		   struct dkt_ctx **ctx);

/* Closes and frees both. Returns rc, or EXIT_FAILED after the message of err. */
int live_args_close(struct app *app, struct record_args *args, struct inputs *in, int err, int rc);

/*
 * Creates the filter; ctx is of the kernel that records the events. Without --input, the filter also
 * tests --pid, --comm and --cpu. Sets *filter to NULL if nothing restricts the records.
 */
int live_args_filter(const struct app *app, struct dkt_ctx *ctx, struct dkt_expr **filter);
