/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Libraries that are loaded when they are needed. */
#pragma once

#include "lib/base/util.h"

struct dkt__call {
	const char *name;
	void *to; /* the pointer to the function */
};

/* Finds the calls in a library of dlopen(). Returns the name of the first one that it lacks, or NULL. */
const char *dkt__find_calls(void *library, const struct dkt__call *calls, size_t n);
