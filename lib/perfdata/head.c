/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the header of a perf.data file: its events and its machine. */
#include "lib/event.h"
#include "lib/perfdata.h"
#include "lib/source/own_format.h"
#include "lib/tracedat.h"

/* struct perf_file_header of tools/perf/util/header.h */
#define HEAD_SIZE 104
#define PIPE_SIZE 16

/* Sizes and offsets of struct perf_event_attr; ATTR_MIN is the size of its first version. */
#define ATTR_MIN 64
#define ATTR_MAX 4096

/* Bits of its flags. */
#define FLAG_SAMPLE_ID_ALL 18
#define FLAG_USE_CLOCKID   25

enum feature {
	FEAT_TRACING_DATA = 1,
	FEAT_BUILD_ID = 2,
	FEAT_HOSTNAME = 3,
	FEAT_OSRELEASE = 4,
	FEAT_ARCH = 6,
	FEAT_NRCPUS = 7,
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

static int take_ids(struct dkt__perf *perf, struct dkt__cursor *cur)
{
	size_t n = dkt__cursor_left(cur) / 8;
	struct dkt__perf_id *more;

	/* Each ID takes space in the file, so attributes that share IDs are invalid. */
	n = DKT__MIN(n, perf->file.size / 8 - perf->n_ids);
	if (perf->n_ids + n > perf->ids_room) {
		size_t room = 2 * (perf->n_ids + n);

		more = reallocarray(perf->ids, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		perf->ids = more;
		perf->ids_room = room;
	}
	for (; n; n--)
		perf->ids[perf->n_ids++] =
			(struct dkt__perf_id){ .id = dkt__cursor_number(cur, 8),
					       .attr = (uint32_t)perf->n_attrs - 1 };
	return 0;
}

/*
 * Tests one of the bit fields, which start at the other end of each byte on a big-endian machine.
 */
static bool has_flag(const struct dkt__perf *perf, const uint8_t *flags, unsigned int bit)
{
	bool big = perf->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	return flags[bit / 8] & 1 << (big ? 7 - bit % 8 : bit % 8);
}

/* Reads a struct perf_event_attr, as much of it as the file has. */
static int take_attr(struct dkt__perf *perf, struct dkt__cursor cur)
{
	struct dkt__perf_attr attr = { .type = (uint32_t)dkt__cursor_number(&cur, 4) };
	struct dkt__cursor bits;
	int clockid;

	dkt__cursor_number(&cur, 4);
	attr.config = dkt__cursor_number(&cur, 8);
	dkt__cursor_number(&cur, 8);
	attr.sample_type = dkt__cursor_number(&cur, 8);
	attr.read_format = dkt__cursor_number(&cur, 8);
	bits = cur;
	dkt__cursor_bytes(&cur, 8);
	if (cur.bad)
		return 0;
	attr.sample_id_all = has_flag(perf, bits.p, FLAG_SAMPLE_ID_ALL);
	dkt__cursor_bytes(&cur, 44);
	clockid = (int)dkt__cursor_number(&cur, 4);
	if (has_flag(perf, bits.p, FLAG_USE_CLOCKID) && !cur.bad)
		perf->clockid = clockid;
	return dkt__append(perf->attrs, perf->n_attrs, attr);
}

static int read_attrs(struct dkt__perf *perf, struct section where, uint64_t size)
{
	struct dkt__cursor cur = cursor_at(perf, where);
	int err = 0;

	if (size < ATTR_MIN + 16 || size > ATTR_MAX)
		return dkt_fail(perf->streams.base.ctx, -EINVAL,
				"read %s: invalid size of its attributes: %llu bytes",
				perf->file.name, (unsigned long long)size);
	while (!err && dkt__cursor_left(&cur) >= size) {
		struct dkt__cursor attr = dkt__perf_cursor(perf, cur.p, size - 16);
		struct dkt__cursor ids = dkt__perf_cursor(perf, attr.end, 16);

		ids = cursor_at(perf, take_section(&ids));
		err = take_attr(perf, attr);
		if (!err)
			err = take_ids(perf, &ids);
		dkt__cursor_bytes(&cur, size);
	}
	return err;
}

/* ---- formats, in the layout of the start of trace.dat version 6 ---- */

/* Call chains become records of these events, whose formats perf does not store. */
static int add_stacks(struct dkt__dat *dat)
{
	static const char *const formats[] = { DKT__FORMAT_KERNEL_STACK, DKT__FORMAT_USER_STACK };
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(formats); i++)
		err = dkt__append(dat->given, dat->n_given,
				  (struct dkt__given){ .system = "ftrace",
						       .text = formats[i],
						       .len = strlen(formats[i]) });
	return err;
}

int dkt__perf_tracing_data(struct dkt__perf *perf, const uint8_t *data, size_t size)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	struct dkt__dat dat = { .ctx = ctx };
	struct dkt__cursor cur = { 0 };
	unsigned int last;
	uint8_t *copy;
	int err;

	if (perf->has_events)
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
	err = add_stacks(&dat);
	if (!err)
		err = dkt__events_given(ctx, dat.given, dat.n_given);
	if (!err)
		err = dkt__symbols_given(ctx, &dat.kallsyms, &dat.printk);
	perf->has_events = !err;
	free(dat.given);
	dkt__comms_clear(&dat.streams.comms);
	return err;
}

/* ---- features ---- */

static void take_text(struct dkt__cursor *cur, char **text)
{
	size_t n = dkt__cursor_number(cur, 4);
	const uint8_t *p = dkt__cursor_bytes(cur, n);

	if (!p)
		return;
	free(*text);
	*text = strndup((const char *)p, n);
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
		take_text(&cur, &perf->host);
		break;
	case FEAT_OSRELEASE:
		take_text(&cur, &perf->release);
		break;
	case FEAT_ARCH:
		take_text(&cur, &perf->arch);
		break;
	case FEAT_NRCPUS:
		n = dkt__cursor_number(&cur, 4);
		perf->streams.base.info.cpus = (int)DKT__MIN(n, (uint64_t)DKT__PERF_CPUS);
		break;
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
	int err;

	if (type == DKT__PERF_FEATURE) {
		feature = dkt__cursor_number(&cur, 8);
		return cur.bad ? 0 : take_feature(perf, feature, cur);
	}
	if (type != DKT__PERF_ATTR || size < 8 + ATTR_MIN)
		return 0;
	dkt__cursor_number(&ids, 4);
	attr_size = (uint32_t)dkt__cursor_number(&ids, 4);
	if (attr_size < ATTR_MIN || attr_size > size - 8)
		return 0;
	ids.p = cur.p + attr_size;
	cur.end = ids.p;
	err = take_attr(perf, cur);
	return err ? err : take_ids(perf, &ids);
}

/*
 * Tests a feature bit of the header. The bits are stored in longs of the recorded machine. If their
 * size is unknown, the feature of the host's name, which every perf sets, reveals it.
 */
static bool has_feature(const struct dkt__perf *perf, const uint8_t *bits, unsigned int feature,
			unsigned int long_size)
{
	bool big = perf->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
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
