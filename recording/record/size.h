/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of the buffers of a recording. It is chosen before the first event: a kernel that resizes
 * buffers stops recording meanwhile, and does not count what it misses.
 */
#pragma once

#include <dktrace/dktrace.h>

/* Gives the buffer of each CPU that many bytes; 0: a size that suits the memory of the machine. */
int capture_set_size(struct dkt_instance *in, uint64_t each);
