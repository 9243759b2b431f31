/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the format of an event once, before other code relies on its offsets and sizes. */
#pragma once

#include "lib/ctx.h"

/* No record is longer, so every field ends within this many bytes. */
#define DKT__RECORD_MAX (1u << 16)

/* Limits for a format from a file or a saved tree, ten times what the kernel's largest ones need. */
#define DKT__FORMAT_MAX (256u << 10)
#define DKT__FIELDS_MAX 1024

/*
 * Returns the text of a format without the fields that no record can hold. If it is foreign, not from
 * the running kernel, keeps only what libtraceevent handles safely: the header, fields declared as a
 * kernel declares them, and an empty print format. The caller frees it; NULL: memory is out.
 */
char *dkt__format_clean(const char *text, size_t len, bool foreign);
