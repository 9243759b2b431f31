/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes buffers of bytes in order, in a thread beside the one that fills them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct stage;

/* Returns 0 or -errno; after a failure it is not called again. It has no context to say words in. */
typedef int (*stage_work)(void *data, const uint8_t *bytes, size_t len);

/* Buffers have `size` bytes. There is a few of them, and no thread before the first is full. */
int stage_new(size_t size, stage_work work, void *data, struct stage **stage);

/* Waits for the thread; what it has not worked on yet is dropped. */
void stage_free(struct stage *stage);

/* Returns the buffer to fill next; the same one until it is handed over. Waits if all are full. */
uint8_t *stage_buffer(struct stage *stage);

/*
 * Hands over the buffer's first len bytes. On a machine with one CPU the work is done before this
 * returns. -errno: what the work on an earlier buffer failed with.
 */
int stage_put(struct stage *stage, size_t len);

/* The same with the last buffer; returns when all the work is done. */
int stage_finish(struct stage *stage, size_t len);
