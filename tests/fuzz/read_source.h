/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens bytes as a file of records: all of them are printed, from any time on. */
#ifndef DKT_READ_SOURCE_H
#define DKT_READ_SOURCE_H

#include <sys/mman.h>

#include "compat/pipeline/pipeline.h"
#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/fuzz/replay.h"

/* A small file can hold many small records; some of them will do. */
#define MAX_RECORDS 2000

static inline uint64_t print_source(struct dkt_source *source, struct dkt_buf *buf)
{
	struct dkt_record record;
	uint64_t n = 0, half = 0;
	int end = 0;

	while (n < MAX_RECORDS && !(end = dkt_source_next(source, &record))) {
		dkt_style_trace(&record, record.event ? dkt_source_comm(source, &record) : NULL,
				buf);
		dkt_buf_reset(buf);
		if (n++ == MAX_RECORDS / 2 || !half)
			half = record.ts;
	}
	/* A file that grows may have more later. */
	must(end == 0 || end == DKT_NEXT_END || end == DKT_NEXT_LATER);
	return half;
}

/* The clocks of all streams are in order, and their errors can be computed. */
static inline void read_clocks(const struct dkt_source *source)
{
	struct dkt_source_clock clock;

	for (uint32_t i = 0; !dkt__source_clock(source, i, &clock, sizeof(clock)); i++) {
		must(dkt_source_stream(source, i) && dkt_source_stream(source, clock.host));
		for (size_t j = 0; j < clock.n_points; j++) {
			const uint64_t time = clock.points[j].time;

			must(!j || time >= clock.points[j - 1].time);
			must(dkl_bounds_error(&clock, time - 1) != BOUNDS_UNKNOWN &&
			     dkl_bounds_error(&clock, time + 1) != BOUNDS_UNKNOWN);
		}
	}
}

static inline void read_source(const char *path, struct dkt_buf *buf, unsigned int flags)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = flags);
	struct dkt_source *source;
	struct dkt_loss loss;
	struct dkt_ctx *ctx;
	uint64_t from, to;
	int i, err;

	must(!dkt_ctx_new(NULL, &ctx));
	if (!dkt_source_open(ctx, path, &opts, &source)) {
		must(dkt_source_info(source)->sz == sizeof(struct dkt_source_info));
		read_clocks(source);
		from = print_source(source, buf);
		err = dkt_source_seek(source, from, 0);
		must(!err || err == -EOPNOTSUPP);
		print_source(source, buf);
		for (from = 0, i = 0; i < 20 && from != UINT64_MAX; i++, from = to)
			must(dkt__source_slice(source, from, 1024, &to) || to > from);
		must(!dkt_source_info(source)->cpus ||
		     !dkt_source_get_loss(source, 0, &loss, sizeof(loss)));
		dkt_source_close(source);
	}
	dkt_ctx_free(ctx);
}

/* Calls read_source() for a file of these bytes. */
static inline void read_bytes(const uint8_t *data, size_t size)
{
	int fd = memfd_create("records", MFD_CLOEXEC);
	struct dkt_buf *buf = NULL;
	char path[32];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size && !dkt_buf_new(&buf));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_source(path, buf, 0);
	read_source(path, buf, DKT_SOURCE_ALL);
	dkt_buf_free(buf);
	close(fd);
}

#endif
