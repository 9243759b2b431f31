/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Narrows the clocks of the hosts of a collection by what their files have both sides of. */
#pragma once

#include "ctl/input/inputs.h"

/*
 * Reads the files once more if two of them are related by round trips and have events of connections or
 * requests; large files only with --clock-error. The files are open and related to the first one.
 */
int causes_narrow(struct inputs *inputs, const struct record_args *args);

/*
 * Prints with n threads. Each thread formats one slice of time after another, and the slices are written
 * in order, so that memory holds the text of one slice per thread. The calling thread uses the
 * inputs and the sink given here; the other threads open the files again. An error message is in the
 * app's context.
 */
int jobs_run(struct inputs *in, struct sink *sink, struct record_args *args, int n,
	     struct outfile *file);
