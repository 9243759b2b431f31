/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the attributes of the recorded events (struct perf_event_attr), with their IDs and names. */
#include "lib/perfdata.h"

/* Bits of its flags. */
#define FLAG_SAMPLE_ID_ALL 18
#define FLAG_USE_CLOCKID   25
#define FLAG_SWITCHES      26

/* An update of an event with this number has its name: tools/lib/perf/include/perf/event.h */
#define UPDATE_NAME 2

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
	bool big = perf->swap != DKT__BIG_ENDIAN;

	return flags[bit / 8] & 1 << (big ? 7 - bit % 8 : bit % 8);
}

/* Reads as much of the struct as the file has; an older kernel's ends earlier. */
static int take_attr(struct dkt__perf *perf, struct dkt__cursor cur)
{
	struct dkt__perf_attr attr = { .type = (uint32_t)dkt__cursor_number(&cur, 4) };
	struct dkt__cursor bits;
	int clockid;

	dkt__cursor_number(&cur, 4);
	attr.config = dkt__cursor_number(&cur, 8);
	attr.period = dkt__cursor_number(&cur, 8);
	attr.sample_type = dkt__cursor_number(&cur, 8);
	attr.read_format = dkt__cursor_number(&cur, 8);
	bits = cur;
	dkt__cursor_bytes(&cur, 8);
	if (cur.bad)
		return 0;
	attr.sample_id_all = has_flag(perf, bits.p, FLAG_SAMPLE_ID_ALL);
	attr.context_switch = has_flag(perf, bits.p, FLAG_SWITCHES);
	/* wakeup_events, bp_type, config1, config2 */
	dkt__cursor_bytes(&cur, 24);
	attr.branch_type = dkt__cursor_number(&cur, 8);
	attr.user_regs = dkt__cursor_number(&cur, 8);
	dkt__cursor_number(&cur, 4);
	clockid = (int)dkt__cursor_number(&cur, 4);
	if (has_flag(perf, bits.p, FLAG_USE_CLOCKID) && !cur.bad)
		perf->clockid = clockid;
	attr.intr_regs = dkt__cursor_number(&cur, 8);
	return dkt__append(perf->attrs, perf->n_attrs, attr);
}

int dkt__perf_attr_take(struct dkt__perf *perf, struct dkt__cursor attr, struct dkt__cursor *ids)
{
	const size_t had = perf->n_attrs;
	int err = take_attr(perf, attr);

	return err || perf->n_attrs == had ? err : take_ids(perf, ids);
}

/* ---- names ---- */

static int set_name(struct dkt__perf_attr *attr, const uint8_t *name, size_t n)
{
	if (attr->name || !name)
		return 0;
	attr->name = strndup((const char *)name, n);
	return attr->name ? 0 : -ENOMEM;
}

int dkt__perf_attr_names(struct dkt__perf *perf, struct dkt__cursor cur)
{
	uint64_t n = dkt__cursor_number(&cur, 4), size = dkt__cursor_number(&cur, 4);
	int err = 0;

	for (size_t i = 0; !err && i < n && i < perf->n_attrs && !cur.bad; i++) {
		struct dkt__cursor attr = cur;
		uint64_t n_ids, len;
		const uint8_t *name;

		dkt__cursor_bytes(&cur, size);
		n_ids = dkt__cursor_number(&cur, 4);
		len = dkt__cursor_number(&cur, 4);
		name = dkt__cursor_bytes(&cur, len);
		dkt__cursor_bytes(&cur, n_ids > dkt__cursor_left(&cur) ? n_ids : 8 * n_ids);
		if (dkt__cursor_number(&attr, 4) != perf->attrs[i].type)
			break;
		dkt__cursor_number(&attr, 4);
		if (!cur.bad && dkt__cursor_number(&attr, 8) == perf->attrs[i].config)
			err = set_name(&perf->attrs[i], name, len);
	}
	return err;
}

int dkt__perf_attr_update(struct dkt__perf *perf, struct dkt__cursor cur)
{
	uint64_t what = dkt__cursor_number(&cur, 8), id = dkt__cursor_number(&cur, 8);

	if (cur.bad || what != UPDATE_NAME)
		return 0;
	for (size_t i = 0; i < perf->n_ids; i++)
		if (perf->ids[i].id == id)
			return set_name(&perf->attrs[perf->ids[i].attr], cur.p,
					dkt__cursor_left(&cur));
	return 0;
}

void dkt__perf_attrs_clear(struct dkt__perf *perf)
{
	for (size_t i = 0; i < perf->n_attrs; i++)
		free(perf->attrs[i].name);
	free(perf->attrs);
}
