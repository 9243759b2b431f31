/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the format of an event once, before other code relies on its offsets and sizes. */
#pragma once

#include "ctx.h"

/* No record is longer, so every field ends within so many bytes. */
#define DKT__RECORD_MAX (1u << 16)

/* Limits of a format that a file or a saved tree brings; the kernel's longest are a tenth of them. */
#define DKT__FORMAT_MAX (256u << 10)
#define DKT__FIELDS_MAX 1024

/*
 * The text of a format without the fields that no record can hold. If it is foreign, not the running
 * kernel's, libtraceevent must not see more than it can be trusted with: the head, fields declared as
 * a kernel declares them, and an empty print format. The caller frees it; NULL: memory is out.
 */
char *dkt__format_clean(const char *text, size_t len, bool foreign);
