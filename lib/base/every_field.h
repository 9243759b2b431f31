/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields that every record has, by the names that a user may give them. */
#pragma once

#include <stddef.h>

enum dkt__every_field { DKT__EVERY_NONE, DKT__EVERY_COMM, DKT__EVERY_PID, DKT__EVERY_CPU };

/*
 * Finds comm, pid or cpu in any case, also with common_ before it. An event may have a field of its own with
 * the name, which means something else: look for that first.
 */
enum dkt__every_field dkt__every_field(const char *name, size_t len);
