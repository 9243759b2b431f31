/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks at the header of a compressed dump: does the file end too early, is it a part of a dump. */
#include "lib/base/io.h"
#include "lib/base/util.h"
#include "lib/vmcore/image.h"

/* struct disk_dump_header of a 64-bit kernel, from status on. */
#define HEADER_AT 424

struct header {
	uint32_t status;
	int32_t block_size, sub_header_blocks;
	uint32_t bitmap_blocks; /* two bitmaps, of the pages that exist and of those in the file */
};

/* A table entry of each page in the file. */
struct page_desc {
	uint64_t at;
	uint32_t size, flags;
	uint64_t page_flags;
};

/* In struct kdump_sub_header: not 0 in a part of a dump. */
#define SPLIT_AT 12

#define BLOCK_MAX 65536

/* A bitmap of so many blocks describes more memory than machines have. */
#define BLOCKS_MAX (1u << 24)

/* Returns false if that is not there; a file that is not a compressed dump has none. */
static bool read_header(int fd, struct header *header)
{
	char signature[8];

	if (dkt__pread_all(fd, signature, sizeof(signature), 0) != sizeof(signature) ||
	    dkt__vm_form((const uint8_t *)signature, sizeof(signature)) != VM_KDUMP ||
	    dkt__pread_all(fd, header, sizeof(*header), HEADER_AT) != sizeof(*header))
		return false;
	return header->block_size > 0 && header->block_size <= BLOCK_MAX &&
	       header->sub_header_blocks >= 0 && header->sub_header_blocks < BLOCK_MAX &&
	       header->bitmap_blocks < BLOCKS_MAX;
}

/* Counts the pages in the file. */
static uint64_t count_pages(int fd, const struct header *header, uint64_t table)
{
	uint64_t left = (uint64_t)header->bitmap_blocks / 2 * (uint64_t)header->block_size;
	uint64_t words[1024], n = 0;

	while (left) {
		ssize_t got = dkt__pread_all(fd, words, DKT__MIN(left, sizeof(words)),
					     (off_t)(table - left));

		if (got <= 0)
			break;
		for (size_t i = 0; i < (size_t)got / sizeof(*words); i++)
			n += (uint64_t)__builtin_popcountll(words[i]);
		left -= (uint64_t)got;
	}
	return n;
}

bool dkt__vm_kdump_is_part(int fd)
{
	struct header header;
	int32_t split = 0;

	return read_header(fd, &header) &&
	       dkt__pread_all(fd, &split, sizeof(split), header.block_size + SPLIT_AT) ==
		       sizeof(split) &&
	       split;
}

bool dkt__vm_kdump_is_cut(int fd, uint64_t size)
{
	struct page_desc last;
	struct header header;
	uint64_t table, n;

	if (!read_header(fd, &header))
		return false;
	table = (1 + (uint64_t)header.sub_header_blocks + header.bitmap_blocks) *
		(uint64_t)header.block_size;
	if (table > size)
		return true;
	/* A part has entries of its own pages only, but the bitmaps of all. */
	n = dkt__vm_kdump_is_part(fd) ? 0 : count_pages(fd, &header, table);
	if (!n)
		return false;
	if (n > (size - table) / sizeof(last) ||
	    dkt__pread_all(fd, &last, sizeof(last), (off_t)(table + (n - 1) * sizeof(last))) !=
		    sizeof(last))
		return true;
	return last.at > size || last.size > size - last.at;
}
