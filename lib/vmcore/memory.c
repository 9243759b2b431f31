/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads numbers, strings and lists in the memory of a kernel, none of which is trusted. */
#include "lib/vmcore/memory.h"

/* Reads do not cross a page of the smallest size: the next one may be missing. */
#define PIECE 4096

int dkt__vm_number(struct vm_memory *memory, uint64_t address, uint64_t size, uint64_t *value)
{
	uint8_t bytes[sizeof(*value)];
	bool good = size == 1 || size == 2 || size == 4 || size == 8;
	int err = good ? dkt__vm_read(memory, address, bytes, size) : -EINVAL;

	*value = err ? 0 : dkt__get_number(bytes, size);
	return err;
}

int dkt__vm_string(struct vm_memory *memory, uint64_t address, size_t most, char **text)
{
	struct dkt_buf buf = { 0 };
	const char *nul = NULL;
	int err = 0;

	*text = NULL;
	while (!err && !nul && buf.len < most) {
		uint64_t at = address + buf.len;
		size_t n = DKT__MIN(DKT__MIN(PIECE - at % PIECE, most - buf.len), 256u);
		char *room = dkt__buf_room(&buf, n);

		err = room ? dkt__vm_read(memory, at, room, n) : -ENOMEM;
		if (err)
			break;
		nul = memchr(room, '\0', n);
		buf.len += n;
	}
	if (!err && !nul)
		err = -E2BIG;
	if (err) {
		free(buf.data);
		return err;
	}
	*text = buf.data;
	return 0;
}

int dkt__vm_bytes(struct vm_memory *memory, uint64_t address, size_t n, uint8_t **bytes)
{
	int err;

	*bytes = malloc(n + 1);
	if (!*bytes)
		return -ENOMEM;
	err = dkt__vm_read(memory, address, *bytes, n);
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	return err;
}

const char *dkt__vm_why(int err)
{
	switch (err) {
	case -ENODATA:
		return "the dump leaves it out";
	case -EIO:
		return "the file is truncated or damaged there";
	case -EFAULT:
		return "the kernel has no memory at its address";
	case -ELOOP:
		return "the list has no end";
	case -E2BIG:
		return "it is too long";
	case -ENOENT:
		return "this kernel has none";
	default:
		return strerror(-err);
	}
}

int dkt__vm_tape_fill(struct vm_tape *tape)
{
	size_t n = sizeof(tape->room) - tape->at % sizeof(tape->room);

	if (tape->err)
		return tape->err;
	tape->err = dkt__vm_read(tape->memory, tape->at, tape->room, n);
	tape->n = tape->err ? 0 : n;
	tape->next = 0;
	tape->at += n;
	return tape->err;
}

struct vm_list dkt__vm_list(struct vm_memory *memory, uint64_t head, uint64_t offset)
{
	return (struct vm_list){
		.memory = memory, .head = head, .offset = offset, .at = head, .power = 1
	};
}

bool dkt__vm_list_next(struct vm_list *list, uint64_t *entry)
{
	/* struct list_head { next, prev } */
	uint64_t pointer = list->at + (list->back ? sizeof(uint64_t) : 0), next;

	if (!list->err)
		list->err = dkt__vm_number(list->memory, pointer, sizeof(next), &next);
	if (list->err || next == list->head)
		return false;
	/* A circle is met again when the mark, which moves ever more rarely, stands in it. */
	if (next == list->mark) {
		list->err = -ELOOP;
		return false;
	}
	if (++list->steps == list->power) {
		list->power *= 2;
		list->steps = 0;
		list->mark = next;
	}
	list->at = next;
	*entry = next - list->offset;
	return true;
}
