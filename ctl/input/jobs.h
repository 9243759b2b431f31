/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints files with several threads, in order. */
#pragma once

#include "input/inputs.h"

/*
 * Each of n threads has contexts and sources of its own, this one the inputs and the sink that are open
 * already, and makes the text of one slice of time after the other, which are written in their order:
 * memory is the text of a few slices for each thread. The words of a failure are in the app's context.
 */
int jobs_run(struct inputs *in, struct sink *sink, struct record_args *args, int n,
	     const struct outfile *file);
