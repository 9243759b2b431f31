/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The error message of a context while the caller cleans up. lib/ctx.c keeps the message. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * The second library of the same build calls it too, so libdktrace.so exports it, by the node
 * DKTRACE_PRIVATE of lib/libdktrace.map.
 */
#define DKT__SHARED DKT_API

/*
 * dkt__error_take() removes the message of the last failure from the context and returns it, so that
 * cleaning up, which may fail too, does not overwrite it. The caller passes it to dkt__error_give(),
 * which owns it from then on and returns err, or frees it. NULL: there is no message; if err is
 * -ENOMEM, the message then is "out of memory", which needs no memory.
 */
char *dkt__error_take(struct dkt_ctx *ctx);
DKT__SHARED int dkt__error_give(struct dkt_ctx *ctx, int err, char *words);
