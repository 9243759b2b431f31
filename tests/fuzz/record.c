/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the reader of binary records: the records come in order, within the input. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat/lustre/binary/line.h"
#include "compat/lustre/binary/sort.h"
#include "tests/fuzz/replay.h"

/* Returns how many bytes of text there are. */
static uint64_t walk(struct record_sort *sort)
{
	struct record_line kept = { 0 };
	uint64_t n = 0, size = 0, before = 0;
	const uint8_t *rec;
	uint32_t len;
	int end;

	while (!(end = dkl_record_sort_next(sort, &rec, &len))) {
		char *line = malloc(len + RECORD_LINE_EXTRA);
		size_t line_len = line ? (size_t)(dkl_record_line(&kept, rec, len, line) - line) :
					 0;

		if (!line || record_key(rec) < before || line_len > len + RECORD_LINE_EXTRA)
			abort();
		size += line_len;
		before = record_key(rec);
		free(line);
		n++;
	}
	if (end < 0 || n != dkl_record_sort_counts(sort)->kept)
		abort();
	return size;
}

/* The same by threads. */
static uint64_t print(struct dkt_ctx *ctx, struct record_sort *sort)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	off_t size;

	if (fd < 0 || dkl_record_print(ctx, sort, fd))
		abort();
	size = lseek(fd, 0, SEEK_END);
	close(fd);
	return (uint64_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_sort_opts opts = { .name = "fuzz", .show = { UINT32_MAX, 0x00ffffff } };
	size_t memory[] = { 0, 1 };
	uint64_t len;
	struct record_sort *sort;
	struct dkt_ctx *ctx;
	size_t i;

	opts.fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (opts.fd < 0 || dkt_ctx_new(NULL, &ctx))
		return 0;
	if (write(opts.fd, data, size) != (ssize_t)size)
		abort();
	for (i = 0; i < 2; i++) {
		opts.memory = memory[i];
		if (dkl_record_sort_new(ctx, &opts, &sort))
			abort();
		len = walk(sort);
		dkl_record_sort_free(sort);
		if (dkl_record_sort_new(ctx, &opts, &sort) || print(ctx, sort) != len)
			abort();
		dkl_record_sort_free(sort);
	}
	dkt_ctx_free(ctx);
	close(opts.fd);
	return 0;
}
