/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Narrows the clocks of the hosts of a collection by what their files have both sides of. */
#pragma once

#include "ctl/input/inputs.h"

/*
 * Reads the files once more if two of them are related by round trips and have events of connections or
 * requests; large files only with --clock-error. The files are open and related to the first one.
 */
int causes_narrow(struct inputs *inputs, const struct record_args *args);
