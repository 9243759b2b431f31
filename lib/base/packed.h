/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recognises files that a program has compressed. */
#pragma once

#include "lib/base/util.h"

/* Enough of a file's first bytes to recognise it. */
#define DKT__PACKED_LOOK 8

/* Returns the program that compressed a file with these first bytes; NULL: none that is known. */
const char *dkt__packed_by(const void *data, size_t size);
