/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of a whole fleet in one order while they come. */
#include "fleet/collect/lines.h"

#include "fleet/remote/words.h"
#include "lib/base/memory.h"
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

/* A line that is due. */
struct due {
	uint64_t time;
	uint32_t nr; /* of the host */
	uint32_t len;
	size_t at; /* of the text in its queue */
};

static int compare(const void *one, const void *other)
{
	const struct due *a = one, *b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

/* Adds the lines of a queue up to this time, and sets *end to where they end. */
static int find_due(const struct line_queue *queue, uint32_t nr, uint64_t until,
		    struct dkt_buf *due, size_t *end)
{
	struct waiting head;

	for (*end = 0; *end < queue->lines.len; *end += sizeof(head) + head.len + 1) {
		memcpy(&head, queue->lines.data + *end, sizeof(head));
		if (head.time > until)
			break;
		dkt_buf_add(due,
			    &(struct due){ .time = head.time,
					   .nr = nr,
					   .len = head.len,
					   .at = *end + sizeof(head) },
			    sizeof(struct due));
	}
	return dkt_buf_error(due);
}

static int put_line(struct lines *lines, const struct due *it, uint64_t full)
{
	if (it->time < lines->last) {
		lines->late++;
		lines->latest = DKT__MAX(lines->latest, lines->last - it->time);
	}
	lines->early += it->time > full;
	lines->last = DKT__MAX(lines->last, it->time);
	return lines->put(lines->data, &lines->fleet->hosts[it->nr],
			  lines->queues[it->nr].lines.data + it->at, it->len);
}

/* Puts the lines up to a time. Those after the time full have not waited long enough. */
static int put_until(struct lines *lines, uint64_t until, uint64_t full)
{
	size_t *ends __cleanup(free) = calloc(lines->fleet->n + 1, sizeof(*ends));
	struct dkt_buf due = { 0 };
	int err = ends ? 0 : -ENOMEM;
	const struct due *list;
	size_t n;

	for (uint32_t i = 0; !err && i < lines->fleet->n; i++)
		err = find_due(&lines->queues[i], i, until, &due, &ends[i]);
	list = (const void *)due.data;
	n = due.len / sizeof(*list);
	if (!err && n)
		qsort(due.data, n, sizeof(struct due), compare);
	for (size_t i = 0; !err && i < n; i++)
		err = put_line(lines, &list[i], full);
	for (size_t i = 0; !err && n && i < lines->fleet->n; i++) {
		struct dkt_buf *left = &lines->queues[i].lines;

		left->len -= ends[i];
		lines->waiting -= ends[i];
		if (ends[i] && left->len)
			memmove(left->data, left->data + ends[i], left->len);
	}
	free(due.data);
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
