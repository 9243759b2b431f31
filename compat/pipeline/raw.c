/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes records as Lustre's binary log, which df of any lctl reads. */
#include "compat/pipeline/sink.h"

#include <fcntl.h>

#include "compat/lustre/binary/event.h"
#include "compat/lustre/style_legacy.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"

struct raw {
	struct dkt_ctx *ctx;
	struct class_map *map;
	struct legacy_style *style;
	struct dkt_buf *line;
	FILE *f;
	const char *path;
};

static void close_raw(void *state)
{
	struct raw *raw = state;

	if (!raw)
		return;
	if (raw->f)
		fclose(raw->f);
	dkl_legacy_style_free(raw->style);
	dkl_class_map_free(raw->map);
	dkt_buf_free(raw->line);
	free(raw);
}

static int open_raw(struct pipeline *p, const struct outfile *file, void **state)
{
	struct raw *raw = calloc(1, sizeof(*raw));
	int fd = raw ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
	int err = fd < 0 ? dkt__no_memory(p->ctx) : 0;

	*state = raw;
	if (err)
		return err;
	raw->ctx = p->ctx;
	raw->path = file->path;
	raw->f = fdopen(fd, "w");
	if (!raw->f) {
		close(fd);
		return dkt__no_memory(p->ctx);
	}
	err = dkl_class_map_open(p->ctx, NULL, &raw->map);
	if (!err)
		err = dkl_legacy_style_new(p->ctx, raw->map, &raw->style);
	return err ? err : dkt_buf_new(&raw->line);
}

static int fail(const struct raw *raw)
{
	return dkt_fail(raw->ctx, -errno, "write %s: %s", raw->path, strerror(errno));
}

static int add(void *state, const struct pipeline *p, const struct dkt_record *record)
{
	struct raw *raw = state;
	const int64_t wall = dkt_source_info(p->source)->wall;
	struct class_bits bits;
	uint8_t binary[RECORD_FROM_LINE_MAX];
	const char *line;
	size_t len;

	if (dkl_legacy_style_keep(raw->style, record))
		return 0;
	bits = dkl_legacy_style_bits(raw->style, record);
	dkt_buf_reset(raw->line);
	dkl_legacy_style_line(raw->style, record, wall, raw->line);
	line = dkt_buf_data(raw->line, &len);
	if (dkt_buf_error(raw->line))
		return dkt_buf_error(raw->line);
	len = dkl_record_from_line(record, &bits, wall, line, len, binary);
	return fwrite(binary, 1, len, raw->f) == len ? 0 : fail(raw);
}

static int finish(void *state)
{
	struct raw *raw = state;

	return fflush(raw->f) ? fail(raw) : 0;
}

const struct sink_writer dkl_raw_writer = { "lustre", open_raw, add, finish, close_raw };
