/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes merging, and writing trace.dat: two files, behind 8 bytes of an offset and 4 of the first
 * one's length, become one, which is written and read again: all records are there.
 */
#include "lib/inside.h"
#include "tests/fuzz/read_source.h"

struct half {
	int fd;
	struct dkt_ctx *ctx;
	struct dkt_source *source;
};

static bool half_open(struct half *half, const uint8_t *data, size_t size)
{
	char path[32];

	half->fd = memfd_create("half", MFD_CLOEXEC);
	must(half->fd >= 0 && write(half->fd, data, size) == (ssize_t)size);
	must(!dkt_ctx_new(NULL, &half->ctx));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", half->fd);
	return !dkt_source_open(half->ctx, path, NULL, &half->source);
}

static void half_close(struct half *half)
{
	dkt_source_close(half->source);
	dkt_ctx_free(half->ctx);
	close(half->fd);
}

/* How many records there are; they are written if there is a file for them. */
static uint64_t count(struct dkt_source *source, struct dkt_tracedat *out)
{
	struct dkt_record record;
	uint64_t n = 0;
	int err;

	while (n < MAX_RECORDS && !dkt_source_next(source, &record)) {
		/* Times that run backwards have no order to be in. */
		err = out ? dkt_tracedat_add(out, &record) : 0;
		must(!err || err == -EMSGSIZE || err == -ERANGE);
		n += record.event && !err;
	}
	return n;
}

/* Slices of time follow on each other, and have the records. */
static void slice(struct dkt_source *source)
{
	uint64_t from, to;
	int i;

	for (from = 0, i = 0; i < 20 && from != UINT64_MAX; i++, from = to) {
		if (dkt__source_slice(source, from, 1024, &to))
			return;
		must(to > from);
		must(!dkt_source_seek(source, from, to == UINT64_MAX ? 0 : to));
		count(source, NULL);
	}
}

static void merge(struct half *halves, int64_t offset, unsigned int version)
{
	const struct dkt_clock_point point = { .error = 7 };
	const struct dkt_source_clock clocks[] = {
		{ .sz = sizeof(*clocks), .exact = true },
		{ .sz = sizeof(*clocks), .host = 1, .points = &point, .n_points = 1 }
	};
	const struct dkt_merge_part parts[] = { { .sz = sizeof(*parts),
						  .source = halves[0].source,
						  .name = "a",
						  .clock = &clocks[0] },
						{ .sz = sizeof(*parts),
						  .source = halves[1].source,
						  .name = "b",
						  .offset = offset,
						  .clock = &clocks[1] } };
	DKT_OPTS(dkt_tracedat_opts, opts, .version = version);
	struct half out = { .fd = memfd_create("out", MFD_CLOEXEC) };
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL);
	struct dkt_tracedat *dat;
	struct dkt_source *merged = NULL;
	char path[32];
	uint64_t n;

	must(out.fd >= 0 && !dkt_source_merge(parts, 2, &merged) && !dkt_ctx_new(NULL, &out.ctx));
	must(!dkt_tracedat_new(halves[0].ctx, merged, out.fd, &opts, &dat));
	n = count(merged, dat);
	must(!dkt_tracedat_finish(dat));
	dkt_tracedat_free(dat);
	slice(merged);
	read_clocks(merged);
	dkt_source_close(merged);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out.fd);
	must(!dkt_source_open(out.ctx, path, &all, &out.source));
	must(count(out.source, NULL) == n);
	must(!dkt_source_info(out.source)->damage);
	read_clocks(out.source);
	half_close(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct half halves[2] = { { .fd = -1 }, { .fd = -1 } };
	uint32_t first;
	int64_t offset;

	if (size < 12)
		return 0;
	memcpy(&offset, data, sizeof(offset));
	memcpy(&first, data + 8, sizeof(first));
	first = (uint32_t)DKT__MIN(first, size - 12);
	if (half_open(&halves[0], data + 12, first) &&
	    half_open(&halves[1], data + 12 + first, size - 12 - first))
		merge(halves, offset, 6 + (offset & 1));
	half_close(&halves[0]);
	half_close(&halves[1]);
	return 0;
}
