/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The string constants of Lustre's loaded modules: message formats, and strings that they may
 * print.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/names.h"

/*
 * Adds those of libcfs and of all modules that use it, in no order, some more than once. -ENOENT:
 * libcfs is not loaded. -EACCES, -EPERM: the kernel does not show its memory to this process.
 */
int texts_read(struct dkt_ctx *ctx, struct names *texts);

/* Adds the strings of at least four printable bytes that lie in the bytes and end in NUL there. */
int texts_in(const char *bytes, size_t len, struct names *texts);
