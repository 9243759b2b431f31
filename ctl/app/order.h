/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of a table: a column, and the direction. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Splits COLUMN[.descending|.ascending]: returns the length of the column's name. */
size_t order_read(const char *text, bool *descending);
