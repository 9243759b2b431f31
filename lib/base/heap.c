/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges streams by time: finds the stream whose next record is the oldest. */
#include "lib/base/heap.h"

int dkt__heap_add(struct dkt__heap *heap, struct dkt__heap_item item)
{
	size_t at = heap->n, up;

	if (dkt__append(heap->list, heap->n, item))
		return -ENOMEM;
	for (; at && dkt__heap_older(&item, &heap->list[up = (at - 1) / 2]); at = up)
		heap->list[at] = heap->list[up];
	heap->list[at] = item;
	return 0;
}

void dkt__heap_sift(struct dkt__heap *heap, struct dkt__heap_item item)
{
	struct dkt__heap_item *list = heap->list;
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < heap->n; at = child) {
		if (child + 1 < heap->n && dkt__heap_older(&list[child + 1], &list[child]))
			child++;
		if (!dkt__heap_older(&list[child], &item))
			break;
		list[at] = list[child];
	}
	list[at] = item;
}

void dkt__heap_drop(struct dkt__heap *heap)
{
	if (--heap->n)
		dkt__heap_sift(heap, heap->list[heap->n]);
}

void dkt__heap_clear(struct dkt__heap *heap)
{
	free(heap->list);
	*heap = (struct dkt__heap){ 0 };
}
