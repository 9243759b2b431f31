/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of all CPUs in order of time: pages go through spools and are merged as they are walked. */
#include <poll.h>

#include "capture.h"
#include "event.h"

#include "base/banned.h"

/* Pages of a CPU that are taken out before they are written out and forgotten. */
#define WINDOW 64

/* How often a capture that waits looks for the buffer of a CPU that was offline so far, ms. */
#define ABSENT_MS 1000

/* ---- walking one CPU ---- */

int dkt__cpu_step(struct dkt__cpu *cpu)
{
	int end = cpu->loaded ? dkt__page_next(&cpu->page, &cpu->next) : 1;

	while (end) {
		uint32_t offset = 0;

		if (cpu->loaded) {
			cpu->loss.bad += cpu->page.bad;
			cpu->page_nr++;
			cpu->loaded = false;
		} else {
			offset = dkt__spool_start(&cpu->spool).offset;
		}
		if (cpu->page_nr >= dkt__spool_pages(&cpu->spool))
			return 1;
		if (cpu->page_nr != dkt__spool_start(&cpu->spool).page)
			offset = 0;
		end = dkt__page_load(&cpu->page, dkt__spool_page(&cpu->spool, cpu->page_nr), offset,
				     &cpu->next);
		cpu->loaded = true;
		cpu->gap = !end && cpu->page.lost;
	}
	return 0;
}

static struct dkt__spool_pos cpu_position(const struct dkt__cpu *cpu)
{
	struct dkt__spool_pos start = dkt__spool_start(&cpu->spool);

	/* Not looked at yet: what an earlier capture returned of the page stays returned. */
	if (!cpu->loaded && cpu->page_nr == start.page)
		return start;
	return (struct dkt__spool_pos){ .page = cpu->page_nr,
					.offset = cpu->loaded && !cpu->gap ? cpu->next.offset : 0 };
}

void dkt__cpu_release(struct dkt__cpu *cpu)
{
	if (dkt__spool_release(&cpu->spool, cpu_position(cpu)))
		cpu->page_nr = 0;
}

static int read_page(struct dkt_capture *cap, struct dkt__cpu *cpu, bool *more)
{
	ssize_t n;
	void *room;
	int err;

	*more = false;
	if (cpu->fd < 0)
		return 0;
	room = dkt__spool_room(&cpu->spool, &err);
	if (!room)
		return dkt_fail(cap->in->ctx, err, "keep records of cpu %d: %s", cpu->nr,
				strerror(-err));
	do
		n = read(cpu->fd, room, cpu->spool.page_size);
	while (n < 0 && errno == EINTR);
	/* A CPU gets its buffer when it comes online first, and keeps it when it goes. */
	cpu->absent = n < 0 && errno == ENODEV;
	if (n < 0 && errno != EAGAIN && !cpu->absent)
		return dkt_fail(cap->in->ctx, -errno, "read buffer of cpu %d: %s", cpu->nr,
				strerror(errno));
	if (n <= 0)
		return 0;
	/* A saved tree's last page may be cut. */
	memset((char *)room + n, 0, cpu->spool.page_size - (size_t)n);
	cpu->dry = cap->until && dkt__page_time(room, false) > cap->until;
	dkt__spool_commit(&cpu->spool);
	*more = true;
	return 0;
}

/* All that was returned so far is written out, so that its pages can be used again. */
static int capture_flush(struct dkt_capture *cap)
{
	int i, err = cap->flush ? cap->flush(cap->data) : 0;

	for (i = 0; !err && i < cap->n_cpus; i++)
		dkt__cpu_release(&cap->cpus[i]);
	return err;
}

/* Takes pages out of the kernel for a CPU whose spooled ones have all been returned. */
static int cpu_fill(struct dkt_capture *cap, struct dkt__cpu *cpu)
{
	bool more = true;
	int i, err = 0;

	if (dkt__spool_pages(&cpu->spool) && !(cap->flags & (DKT_CAPTURE_KEEP | DKT_CAPTURE_WHOLE)))
		err = capture_flush(cap);
	for (i = 0; !err && more && !cpu->dry && i < WINDOW; i++)
		err = read_page(cap, cpu, &more);
	if (!more)
		cpu->dry = true;
	return err;
}

int dkt__capture_save(struct dkt_capture *cap, bool top)
{
	/* Only what is to be emptied: the other one goes on recording, this too. */
	const int from = top ? cap->in->cpus : 0, to = top ? cap->n_cpus : cap->in->cpus;
	int i, err = 0;

	for (i = from; !err && i < to; i++) {
		bool more = true;

		while (!err && more)
			err = read_page(cap, &cap->cpus[i], &more);
	}
	if (!err)
		err = dkt__capture_settle(cap);
	for (i = from; !err && i < to; i++) {
		if (cap->cpus[i].fd >= 0)
			close(cap->cpus[i].fd);
		cap->cpus[i].fd = -1;
	}
	return err;
}

/* ---- merging ---- */

static bool older(const struct dkt_capture *cap, int a, int b)
{
	uint64_t x = cap->cpus[a].next.ts, y = cap->cpus[b].next.ts;

	return x < y || (x == y && a < b);
}

static void heap_sift(struct dkt_capture *cap, int at)
{
	int cpu = cap->heap[at];

	for (;;) {
		int child = 2 * at + 1;

		if (child + 1 < cap->n_heap && older(cap, cap->heap[child + 1], cap->heap[child]))
			child++;
		if (child >= cap->n_heap || !older(cap, cap->heap[child], cpu))
			break;
		cap->heap[at] = cap->heap[child];
		at = child;
	}
	cap->heap[at] = cpu;
}

static void heap_add(struct dkt_capture *cap, int cpu)
{
	int at = cap->n_heap++;

	while (at && older(cap, cpu, cap->heap[(at - 1) / 2])) {
		cap->heap[at] = cap->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	cap->heap[at] = cpu;
}

static void heap_drop_top(struct dkt_capture *cap)
{
	cap->heap[0] = cap->heap[--cap->n_heap];
	if (cap->n_heap)
		heap_sift(cap, 0);
}

/* Makes the CPU's next record ready. 0: it is; 1: no more up to the bound. */
static int cpu_ready(struct dkt_capture *cap, struct dkt__cpu *cpu)
{
	int err, end = dkt__cpu_step(cpu);

	while (end) {
		if (cpu->dry)
			return 1;
		err = cpu_fill(cap, cpu);
		if (err)
			return err;
		end = dkt__cpu_step(cpu);
	}
	return cap->until && cpu->next.ts > cap->until ? 1 : 0;
}

/* Looks at every CPU again, with a new bound in a capture that follows. */
static int capture_prime(struct dkt_capture *cap)
{
	int i, ready;

	if (cap->flags & DKT_CAPTURE_FOLLOW && dkt_instance_now(cap->in, &cap->until))
		cap->until = 0;
	cap->n_heap = 0;
	for (i = 0; i < cap->n_cpus; i++) {
		struct dkt__cpu *cpu = &cap->cpus[i];

		cpu->dry = false;
		if (cpu->loaded && !(cap->until && cpu->next.ts > cap->until))
			ready = 0;
		else
			ready = cpu->loaded ? 1 : cpu_ready(cap, cpu);
		if (ready < 0)
			return ready;
		if (!ready)
			heap_add(cap, i);
	}
	cap->primed = true;
	return 0;
}

/* Steps past the record that was returned last. */
static int capture_advance(struct dkt_capture *cap)
{
	int ready, cpu = cap->current;

	cap->current = -1;
	ready = cpu_ready(cap, &cap->cpus[cpu]);
	if (ready < 0)
		return ready;
	if (ready)
		heap_drop_top(cap);
	else
		heap_sift(cap, 0);
	return 0;
}

static void fill_gap(struct dkt_record *rec, struct dkt__cpu *cpu)
{
	*rec = (struct dkt_record){ .ts = cpu->next.ts,
				    .cpu = (uint32_t)cpu->nr,
				    .lost = cpu->page.lost };
	cpu->gap = false;
	if (rec->lost != DKT_LOST_UNKNOWN)
		cpu->told += rec->lost;
}

static void fill_record(struct dkt_capture *cap, struct dkt_record *rec, struct dkt__cpu *cpu)
{
	struct dkt__entry entry = { 0 };

	memcpy(&entry, cpu->next.data, DKT__MIN(sizeof(entry), cpu->next.size));
	*rec = (struct dkt_record){
		.ts = cpu->next.ts,
		.event = dkt_event_by_id(cap->in->ctx, entry.type ? entry.type : -1),
		.data = cpu->next.data,
		.size = cpu->next.size,
		.cpu = (uint32_t)cpu->nr,
		.pid = entry.pid,
		.flags = entry.flags,
		.preempt = entry.preempt & 0xf,
		.first = cpu->first,
	};
	cpu->first = false;
	cpu->loss.seen++;
}

int dkt_capture_next(struct dkt_capture *cap, struct dkt_record *rec)
{
	struct dkt__cpu *cpu;
	int nr, err = 0;

	if (!cap->primed)
		err = capture_prime(cap);
	else if (cap->current >= 0)
		err = capture_advance(cap);
	while (!err && cap->n_heap) {
		nr = cap->heap[0];
		cpu = &cap->cpus[nr];
		if (cpu->gap) {
			fill_gap(rec, cpu);
			return 0;
		}
		cap->current = nr;
		fill_record(cap, rec, cpu);
		if (rec->event)
			return 0;
		/* Type 0 is no event: the bytes are not a record. */
		cpu->loss.seen--;
		cpu->loss.bad++;
		err = capture_advance(cap);
	}
	if (err)
		return err;
	return cap->flags & DKT_CAPTURE_FOLLOW ? 2 : 1;
}

int dkt_capture_wait(struct dkt_capture *cap, int timeout_ms)
{
	struct pollfd *fds __cleanup(free) = calloc((size_t)cap->n_cpus, sizeof(*fds));
	int i;

	if (!fds)
		return -ENOMEM;
	for (i = 0; i < cap->n_cpus; i++) {
		fds[i] = (struct pollfd){ .fd = cap->cpus[i].fd, .events = POLLIN };
		if (!cap->cpus[i].absent)
			continue;
		/* poll() reports an error for a missing buffer at once, and never its arrival. */
		fds[i].fd = -1;
		if (timeout_ms < 0 || timeout_ms > ABSENT_MS)
			timeout_ms = ABSENT_MS;
	}
	cap->primed = false;
	return poll(fds, (nfds_t)cap->n_cpus, timeout_ms) < 0 ? -errno : 0;
}
