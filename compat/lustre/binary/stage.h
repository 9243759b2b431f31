/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes buffers of bytes in order, in a thread beside the one that fills them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct stage;

/* Returns 0 or -errno, without an error message; after a failure it is not called again. */
typedef int (*stage_work)(void *data, const uint8_t *bytes, size_t len);

/*
 * Allocates a few buffers of `size` bytes. The thread starts when the first buffer is handed over.
 */
int dkl_stage_new(size_t size, stage_work work, void *data, struct stage **stage);

/* Waits for the thread, and drops the buffers that it has not processed. */
void dkl_stage_free(struct stage *stage);

/* Returns the buffer to fill next, the same until it is handed over. Waits if all are full. */
uint8_t *dkl_stage_buffer(struct stage *stage);

/*
 * Hands over the buffer's first len bytes. On a machine with one CPU, does the work before it
 * returns. -errno: the work on an earlier buffer has failed.
 */
int dkl_stage_put(struct stage *stage, size_t len);

/* Hands over the last buffer, and waits until all work is done. */
int dkl_stage_finish(struct stage *stage, size_t len);
