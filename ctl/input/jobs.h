/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints files with several threads, in order. */
#pragma once

#include "ctl/input/inputs.h"

/*
 * Prints with n threads. Each thread formats one slice of time after another, and the slices are written
 * in order, so that memory holds the text of one slice per thread. The calling thread uses the
 * inputs and the sink given here; the other threads open the files again. An error message is in the
 * app's context.
 */
int jobs_run(struct inputs *in, struct sink *sink, struct record_args *args, int n,
	     struct outfile *file);
