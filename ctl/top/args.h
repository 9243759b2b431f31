/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of a system call that has not returned. */
#pragma once

#include "answers/top/activity.h"

/*
 * The file of the first argument if it is a descriptor and the process lets us look, otherwise the first
 * three arguments. The caller frees it. NULL: no memory.
 */
char *top_args_text(const struct activity_call *call);
