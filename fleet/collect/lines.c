/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of a whole fleet in one order while they come. */
#include "fleet/collect/lines.h"

#include "fleet/remote/words.h"
#include "lib/base/heap.h"
#include "lib/base/parse.h"
#include "lib/base/when.h"

/* The clock of a host is known from its last trips. An old trip says less, by this drift in ppm. */
#define TRIPS     32
#define DRIFT_PPM 100

/* A line that waits; its text and a NUL follow. */
struct waiting {
	uint64_t time; /* of this host's clock, ns */
	uint32_t len;
};

struct line_queue {
	struct dkt_buf part; /* of a line whose end has not come */
	struct dkt_buf lines; /* struct waiting and text, in order of time */
	size_t at; /* of its first line that has not been put */
	uint64_t last; /* the time of the last line in it */
};

int lines_init(struct lines *lines)
{
	lines->queues = calloc(lines->fleet->n + 1, sizeof(*lines->queues));
	return lines->queues ? 0 : -ENOMEM;
}

void lines_clear(struct lines *lines)
{
	for (size_t i = 0; lines->queues && i < lines->fleet->n; i++) {
		free(lines->queues[i].part.data);
		free(lines->queues[i].lines.data);
	}
	free(lines->queues);
	lines->queues = NULL;
}

/* ---- times ---- */

static uint64_t error_of(const struct clock_trip *trip, uint64_t now)
{
	const uint64_t there = trip->far_sent - trip->far_received;
	const uint64_t both = trip->received - trip->sent;

	return (both > there ? both - there : 0) / 2 + (now - trip->received) / 1000000 * DRIFT_PPM;
}

/* Converts a time of the host to one of here. A line is not younger than its arrival. */
static uint64_t time_here(const struct fleet_host *host, uint64_t stamp, uint64_t now)
{
	const struct clock *clock = &host->clock;
	const struct clock_trip *best = NULL;
	uint64_t time;

	for (size_t i = clock->n > TRIPS ? clock->n - TRIPS : 0; i < clock->n; i++)
		if (!best || error_of(&clock->trips[i], now) <= error_of(best, now))
			best = &clock->trips[i];
	if (!best)
		return now;
	time = stamp - clock_trip_time(best) + best->sent + (best->received - best->sent) / 2;
	return DKT__MIN(time, now);
}

/* ---- lines that come ---- */

struct taking {
	struct lines *lines;
	const struct fleet_host *host;
	uint64_t now;
};

/* A line is its stamp, a space and the text. */
static int take_line(void *data, char *line)
{
	const struct taking *taking = data;
	struct lines *lines = taking->lines;
	struct line_queue *queue = &lines->queues[taking->host - lines->fleet->hosts];
	struct waiting head = { 0 };
	const char *text = line;
	uint64_t stamp;
	char *room;

	if (dkt__take_u64(&text, NULL, DKT__DEC, &stamp) || *text++ != ' ')
		return -EPROTO;
	head.len = (uint32_t)strlen(text);
	if (lines->check && lines->check(text, head.len))
		return -EPROTO;
	/* The lines of a host stay in its order. */
	head.time = DKT__MAX(time_here(taking->host, stamp, taking->now), queue->last);
	room = dkt__buf_room(&queue->lines, sizeof(head) + head.len + 1);
	if (!room)
		return -ENOMEM;
	memcpy(room, &head, sizeof(head));
	memcpy(room + sizeof(head), text, head.len + 1);
	queue->lines.len += sizeof(head) + head.len + 1;
	queue->last = head.time;
	lines->waiting += sizeof(head) + head.len + 1;
	return 0;
}

int lines_take(void *data, struct fleet_host *host, const uint8_t *bytes, size_t len)
{
	struct taking taking = { .lines = data, .host = host, .now = dkt__monotonic_ns() };
	struct line_queue *queue = &taking.lines->queues[host - taking.lines->fleet->hosts];
	int err = words_lines(&queue->part, bytes, len, take_line, &taking);

	return !err && queue->part.len > LINES_LINE_MAX ? -EPROTO : err;
}

/* ---- lines that go ---- */

/* Gets the queue's next line. Returns false if no line has a time up to this one. */
static bool next_due(const struct line_queue *queue, uint64_t until, struct waiting *head)
{
	if (queue->at == queue->lines.len)
		return false;
	memcpy(head, queue->lines.data + queue->at, sizeof(*head));
	return head->time <= until;
}

/* Puts the host's next line. */
static int put_line(struct lines *lines, uint32_t nr, uint64_t full)
{
	struct line_queue *queue = &lines->queues[nr];
	const char *text = queue->lines.data + queue->at + sizeof(struct waiting);
	struct waiting head;

	memcpy(&head, queue->lines.data + queue->at, sizeof(head));
	queue->at += sizeof(head) + head.len + 1;
	if (head.time < lines->last) {
		lines->late++;
		lines->latest = DKT__MAX(lines->latest, lines->last - head.time);
	}
	lines->early += head.time > full;
	lines->last = DKT__MAX(lines->last, head.time);
	return lines->put(lines->data, &lines->fleet->hosts[nr], text, head.len);
}

static void forget_put(struct lines *lines, struct line_queue *queue)
{
	lines->waiting -= queue->at;
	queue->lines.len -= queue->at;
	if (queue->at && queue->lines.len)
		memmove(queue->lines.data, queue->lines.data + queue->at, queue->lines.len);
	queue->at = 0;
}

/* Puts the lines up to a time. Those after the time full have not waited long enough. */
static int put_until(struct lines *lines, uint64_t until, uint64_t full)
{
	struct dkt__heap heap = { 0 };
	struct waiting head;
	int err = 0;

	for (uint32_t i = 0; !err && i < lines->fleet->n; i++)
		if (next_due(&lines->queues[i], until, &head))
			err = dkt__heap_add(&heap, (struct dkt__heap_item){
							   .ts = head.time, .order = i, .nr = i });
	while (!err && heap.n) {
		uint32_t nr = heap.list[0].nr;

		err = put_line(lines, nr, full);
		if (next_due(&lines->queues[nr], until, &head))
			dkt__heap_move(&heap, head.time);
		else
			dkt__heap_drop(&heap);
	}
	for (size_t i = 0; i < lines->fleet->n; i++)
		forget_put(lines, &lines->queues[i]);
	dkt__heap_clear(&heap);
	return err;
}

void lines_put(struct lines *lines, uint64_t now)
{
	const uint64_t full = now - DKT__MIN(now, lines->delay);

	if (!lines->err)
		lines->err = put_until(lines, full, full);
	for (uint64_t wait = lines->delay / 2; !lines->err && lines->waiting > lines->most;
	     wait /= 2) {
		lines->err = put_until(lines, now - DKT__MIN(now, wait), full);
		if (!wait)
			break;
	}
}

void lines_finish(struct lines *lines)
{
	if (!lines->err)
		lines->err = put_until(lines, UINT64_MAX, UINT64_MAX);
}
