/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages about files that cannot grow. */
#pragma once

#include <dktrace/dktrace.h>

/* Sets the message "write PATH: REASON", and what to do if path cannot grow. Returns err. */
int dkl_full_fail(struct dkt_ctx *ctx, int err, const char *path);

/* Adds what to do to the message, which names the file, if that cannot grow. Returns err. */
int dkl_full_advise(struct dkt_ctx *ctx, int err);
