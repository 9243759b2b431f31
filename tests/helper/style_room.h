/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A style with a record of every type of field, for tests of styles. */
#ifndef DKT_STYLE_ROOM_H
#define DKT_STYLE_ROOM_H

#include "lib/style.h"
#include "tests/helper/check.h"
#include "tests/helper/style_event.h"

#define TS   UINT64_C(3682519727123)
#define WALL INT64_C(1795171713811608000)

struct room {
	struct dkt_ctx *ctx;
	struct dkt_event *event;
	struct dkt_style *style;
	struct dkt_buf *buf;
	struct styled body;
	struct dkt_record record;
};

static inline void room_open_in(struct room *room, const char *name, const char *const *fields,
				size_t n, const char *dir)
{
	DKT_OPTS(dkt_source_info, source, .kind = "test", .cpus = 4, .has_wall = true,
		 .wall = WALL);

	memset(room, 0, sizeof(*room));
	DKT_OPTS(dkt_ctx_opts, ctx_opts, .root = "/nonexistent");
	DKT_OPTS(dkt_style_opts, opts, .source = &source, .fields = fields, .n_fields = n,
		 .dir = dir);
	assert_int_equal(dkt_ctx_new(&ctx_opts, &room->ctx), 0);
	room->event = styled_event(room->ctx, "sample", 7);
	assert_non_null(room->event);
	assert_ok(room->ctx, dkt_style_new(room->ctx, name, &opts, &room->style));
	assert_int_equal(dkt_buf_new(&room->buf), 0);
	room->body = styled_record();
	room->record = (struct dkt_record){
		.ts = TS,
		.event = room->event,
		.data = &room->body,
		.size = sizeof(room->body),
		.cpu = 3,
		.pid = 4711,
		.flags = DKT_REC_IRQS_OFF | DKT_REC_SOFTIRQ,
		.preempt = 2,
	};
}

static inline void room_open(struct room *room, const char *name, const char *const *fields,
			     size_t n)
{
	room_open_in(room, name, fields, n, NULL);
}

static inline void room_close(struct room *room)
{
	dkt_style_free(room->style);
	dkt_buf_free(room->buf);
	dkt_ctx_free(room->ctx);
}

/* Returns the style's text of the room's record; valid until the next call. */
static inline const char *styled(struct room *room, const char *comm)
{
	size_t len;

	dkt_buf_reset(room->buf);
	assert_int_equal(dkt_style_record(room->style, &room->record, comm, room->buf), 0);
	dkt__buf_add(room->buf, "", 1);
	return dkt_buf_data(room->buf, &len);
}

static inline uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* A record of random bytes and length, with dynamic fields that lie. */
static inline void randomize(struct room *room, uint8_t *bytes, uint32_t *seed)
{
	size_t i;

	for (i = 0; i < sizeof(room->body); i++)
		bytes[i] = (uint8_t)random_next(seed);
	/* Now and then a place within the record. */
	if (random_next(seed) & 1)
		memcpy(bytes + offsetof(struct styled, text),
		       &(uint32_t){ STYLED_LOC(random_next(seed) % 64, random_next(seed) % 80) },
		       4);
	room->record.size = random_next(seed) % (sizeof(room->body) + 1);
	room->record.data = bytes;
}

#endif
