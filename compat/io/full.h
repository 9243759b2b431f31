/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words about files that cannot grow: the disk, the quota or the limit of the process is reached. */
#pragma once

#include <stdbool.h>

#include <dktrace/dktrace.h>

/* True if err says so. */
bool dkl_full_is(int err);

/* Sets the message "write PATH: REASON", and what to do if path cannot grow. Returns err. */
int dkl_full_fail(struct dkt_ctx *ctx, int err, const char *path);

/* Adds what to do to the message, which names the file, if that cannot grow. Returns err. */
int dkl_full_advise(struct dkt_ctx *ctx, int err);
