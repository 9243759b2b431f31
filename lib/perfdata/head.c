/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the header of a perf.data file: its events and its machine. */
#include "lib/event.h"
#include "lib/perfdata.h"
#include "lib/tracedat.h"

/* struct perf_file_header of tools/perf/util/header.h */
#define HEAD_SIZE 104
#define PIPE_SIZE 16

/* The most that a future struct perf_event_attr may have. */
#define ATTR_MAX 4096

enum feature {
	FEAT_TRACING_DATA = 1,
	FEAT_BUILD_ID = 2,
	FEAT_HOSTNAME = 3,
	FEAT_OSRELEASE = 4,
	FEAT_ARCH = 6,
	FEAT_NRCPUS = 7,
	FEAT_EVENT_DESC = 12,
	FEAT_DIR_FORMAT = 24,
	FEAT_COMPRESSED = 27,
	FEAT_CLOCK_DATA = 29,
	FEAT_END = 256,
};

struct section {
	uint64_t at, size;
};

static struct dkt__cursor cursor_at(const struct dkt__perf *perf, struct section where)
{
	const uint8_t *end = perf->file.data + perf->file.size;
	struct dkt__cursor cur = dkt__perf_cursor(perf, end, 0);

	if (where.at <= perf->file.size) {
		cur.p = perf->file.data + where.at;
		cur.end = cur.p + DKT__MIN(where.size, perf->file.size - where.at);
	}
	return cur;
}

static struct section take_section(struct dkt__cursor *cur)
{
	struct section where = { .at = dkt__cursor_number(cur, 8) };

	where.size = dkt__cursor_number(cur, 8);
	return where;
}

/* ---- attributes ---- */

static int read_attrs(struct dkt__perf *perf, struct section where, uint64_t size)
{
	struct dkt__cursor cur = cursor_at(perf, where);
	int err = 0;

	if (size < DKT__PERF_ATTR_MIN + 16 || size > ATTR_MAX)
		return dkt_fail(perf->streams.base.ctx, -EINVAL,
				"read %s: invalid size of its attributes: %llu bytes",
				perf->file.name, (unsigned long long)size);
	while (!err && dkt__cursor_left(&cur) >= size) {
		struct dkt__cursor attr = dkt__perf_cursor(perf, cur.p, size - 16);
		struct dkt__cursor ids = dkt__perf_cursor(perf, attr.end, 16);

		ids = cursor_at(perf, take_section(&ids));
		err = dkt__perf_attr_take(perf, attr, &ids);
		dkt__cursor_bytes(&cur, size);
	}
	return err;
}

/* ---- formats, in the layout of the start of trace.dat version 6 ---- */

int dkt__perf_tracing_data(struct dkt__perf *perf, const uint8_t *data, size_t size)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	struct dkt__dat dat = { .ctx = ctx };
	struct dkt__cursor cur = { 0 };
	unsigned int last;
	uint8_t *copy;
	int err;

	if (perf->has_formats)
		return 0;
	copy = dkt__ctx_keep(ctx, size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, data, size);
	cur.p = copy;
	cur.end = copy + size;
	dkt__dat_read_start(&dat, &cur);
	last = dkt__dat_read_tables(&dat, &cur);
	/* Old files end behind the formats. */
	if (last < DAT_EVENT_FORMATS)
		dkt__streams_damage(&perf->streams, "its formats of events are invalid");
	err = dkt__symbols_given(ctx, &dat.kallsyms, &dat.printk);
	perf->given = dat.given;
	perf->n_given = dat.n_given;
	perf->has_formats = true;
	dkt__comms_clear(&dat.streams.comms);
	return err;
}

/* ---- features ---- */

static void take_text(struct dkt_ctx *ctx, struct dkt__cursor *cur, char **text)
{
	size_t n = dkt__cursor_number(cur, 4);
	const uint8_t *p = dkt__cursor_bytes(cur, n);

	if (!p)
		return;
	free(*text);
	*text = strndup((const char *)p, n);
	dkt__starve(ctx, *text ? 0 : -ENOMEM);
}

static int take_feature(struct dkt__perf *perf, uint64_t feature, struct dkt__cursor cur)
{
	uint64_t n;

	switch (feature) {
	case FEAT_TRACING_DATA:
		return dkt__perf_tracing_data(perf, cur.p, dkt__cursor_left(&cur));
	case FEAT_BUILD_ID:
		return dkt__perf_builds(perf, cur);
	case FEAT_HOSTNAME:
		take_text(perf->streams.base.ctx, &cur, &perf->host);
		break;
	case FEAT_OSRELEASE:
		take_text(perf->streams.base.ctx, &cur, &perf->release);
		break;
	case FEAT_ARCH:
		take_text(perf->streams.base.ctx, &cur, &perf->arch);
		break;
	case FEAT_NRCPUS:
		n = dkt__cursor_number(&cur, 4);
		perf->streams.base.info.cpus = (int)DKT__MIN(n, (uint64_t)DKT__PERF_CPUS);
		break;
	case FEAT_EVENT_DESC:
		return dkt__perf_attr_names(perf, cur);
	case FEAT_DIR_FORMAT:
		/* The version is 0 of perf record --kcore, whose records are all here. */
		perf->apart = dkt__cursor_number(&cur, 8);
		break;
	case FEAT_COMPRESSED:
		perf->has_users = true;
		break;
	case FEAT_CLOCK_DATA:
		dkt__cursor_number(&cur, 8);
		perf->wall_ref = dkt__cursor_number(&cur, 8);
		perf->clock_ref = dkt__cursor_number(&cur, 8);
		perf->has_ref = !cur.bad;
		break;
	}
	return 0;
}

int dkt__perf_head_record(struct dkt__perf *perf, uint32_t type, const uint8_t *data, size_t size)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, data + 8, size - 8), ids = cur;
	uint32_t attr_size;
	uint64_t feature;

	if (type == DKT__PERF_EVENT_UPDATE)
		return dkt__perf_attr_update(perf, cur);
	if (type == DKT__PERF_FEATURE) {
		feature = dkt__cursor_number(&cur, 8);
		return cur.bad ? 0 : take_feature(perf, feature, cur);
	}
	if (type != DKT__PERF_ATTR || size < 8 + DKT__PERF_ATTR_MIN)
		return 0;
	dkt__cursor_number(&ids, 4);
	attr_size = (uint32_t)dkt__cursor_number(&ids, 4);
	if (attr_size < DKT__PERF_ATTR_MIN || attr_size > size - 8)
		return 0;
	ids.p = cur.p + attr_size;
	cur.end = ids.p;
	return dkt__perf_attr_take(perf, cur, &ids);
}

/*
 * Tests a feature bit of the header. The bits are stored in longs of the recorded machine. If their
 * size is unknown, the feature of the host's name, which every perf sets, reveals it.
 */
static bool has_feature(const struct dkt__perf *perf, const uint8_t *bits, unsigned int feature,
			unsigned int long_size)
{
	bool big = perf->swap != DKT__BIG_ENDIAN;
	unsigned int byte = feature / 8;

	if (big)
		byte = byte / long_size * long_size + long_size - 1 - byte % long_size;
	return bits[byte] & 1 << feature % 8;
}

/* A table of the features in the header follows the records. */
static int read_features(struct dkt__perf *perf, const uint8_t *bits, uint64_t at)
{
	struct dkt__cursor cur = cursor_at(perf, (struct section){ .at = at, .size = UINT64_MAX });
	unsigned int long_size = has_feature(perf, bits, FEAT_HOSTNAME, 8) ? 8 : 4;
	int err = 0;

	for (unsigned int feature = 0; !err && feature < FEAT_END; feature++) {
		struct section where;

		if (!has_feature(perf, bits, feature, long_size))
			continue;
		where = take_section(&cur);
		if (!cur.bad)
			err = take_feature(perf, feature, cursor_at(perf, where));
	}
	return err;
}

int dkt__perf_head(struct dkt__perf *perf)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, perf->file.data + 8, perf->file.size - 8);
	uint64_t head = dkt__cursor_number(&cur, 8), attr_size = dkt__cursor_number(&cur, 8);
	struct section attrs = take_section(&cur), data = take_section(&cur);
	const uint8_t *bits;
	int err;

	take_section(&cur);
	bits = dkt__cursor_bytes(&cur, FEAT_END / 8);
	if (head == PIPE_SIZE) {
		data = (struct section){ .at = PIPE_SIZE, .size = perf->file.size - PIPE_SIZE };
		perf->has_users = true;
		err = 0;
	} else if (head < HEAD_SIZE || !bits) {
		return dkt_fail(perf->streams.base.ctx, -EINVAL, "read %s: its header is invalid",
				perf->file.name);
	} else {
		err = read_attrs(perf, attrs, attr_size);
		if (!err && data.size)
			err = read_features(perf, bits, data.at + data.size);
	}
	if (err)
		return err;
	/* A killed perf left the size 0, and wrote no features. */
	if (!data.size || data.size > perf->file.size || data.at > perf->file.size - data.size) {
		dkt__streams_damage(&perf->streams, "the file is truncated at byte %zu",
				    perf->file.size);
		data.size = data.at < perf->file.size ? perf->file.size - data.at : 0;
	}
	cur = cursor_at(perf, data);
	perf->parts[0].tape =
		(struct dkt__perf_tape){ .data = cur.p, .size = dkt__cursor_left(&cur) };
	return 0;
}
