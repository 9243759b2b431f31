/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The string constants of Lustre's loaded modules: message formats, and strings that they may
 * print.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/strings.h"

/*
 * Adds the strings of libcfs and of all modules that use it, unsorted and with duplicates. -ENOENT:
 * libcfs is not loaded. -EACCES, -EPERM: this process cannot read the kernel's memory.
 */
int dkl_texts_read(struct dkt_ctx *ctx, struct dkt__strings *texts);

/* Adds the strings of at least four printable bytes that the bytes contain with their NUL. */
int dkl_texts_in(const char *bytes, size_t len, struct dkt__strings *texts);
