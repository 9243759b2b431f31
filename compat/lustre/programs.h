/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs by name, as --comm gives them: to the kernel as a filter, and compared here. */
#pragma once

#include <stdio.h>

#include "lib/base/strings.h"

struct dkt_ctx;

/*
 * Reads names or globs separated by commas; spaces before a name do not count. A name may have
 * spaces within it. -EINVAL with an error message: one of them cannot name a program. Clear the list
 * in either case.
 */
int dkl_programs_read(struct dkt_ctx *ctx, const char *text, struct dkt__strings *programs);

/* True if one of the names stands for the program. */
bool dkl_programs_have(const struct dkt__strings *programs, const char *comm);

/* Prints the same test as an expression in the kernel's filter language. */
void dkl_programs_print(FILE *out, const struct dkt__strings *programs);
