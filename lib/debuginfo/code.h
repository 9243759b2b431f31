/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The code of a function: its instructions and the lines of its source. */
#pragma once

#include "lib/debuginfo/binary.h"
#include "lib/inside/code.h"

/* Reads the function into code, whose binary is set. -ENOMEM. */
int dkt__listing_fill(struct dkt__listing *listing, const struct binary_symbol *symbol);
