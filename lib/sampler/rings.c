/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sampler's rings: moves what the kernel puts into them to the file, all of a round in one write. */
#include <limits.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "lib/sampler.h"

/* A reader sorts the records up to here: all rings were read. tools/lib/perf/include/perf/event.h */
#define FINISHED_ROUND 68

/* A ring that a user may lock is not smaller than this. */
#define RING_MIN (UINT64_C(32) << 10)

/* The rings of a write, each in two pieces, and the mark. */
#define RINGS_WRITE ((IOV_MAX - 1) / 2)

/* ---- mapping ---- */

static int map_ring(struct dkt__sampler *sampler, struct dkt__sampler_ring *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int err = dkt__perf_event_map(sampler->ctx, ring->fd, sampler->ring_size, ring->cpu,
				      &ring->page);

	if (!err)
		ring->data = (const uint8_t *)ring->page + page;
	return err;
}

static void unmap_rings(struct dkt__sampler *sampler)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < sampler->n_rings; i++) {
		if (sampler->rings[i].page)
			munmap(sampler->rings[i].page, page + sampler->ring_size);
		sampler->rings[i].page = NULL;
	}
}

/* All rings have one size: the largest that the kernel lets this user lock. */
static int map_all(struct dkt__sampler *sampler)
{
	int err = 0;

	for (size_t i = 0; !err && i < sampler->n_rings; i++)
		if (sampler->rings[i].fd >= 0)
			err = map_ring(sampler, &sampler->rings[i]);
	if (err)
		unmap_rings(sampler);
	return err;
}

/* Lets an event write into the ring of its CPU, and gets its ID. */
static int join_ring(struct dkt__sampler *sampler, struct dkt__sampler_fd *event)
{
	const struct dkt__sampler_ring *ring = &sampler->rings[event->ring];
	struct epoll_event wanted = { .events = EPOLLIN, .data.fd = event->fd };

	if ((event->fd != ring->fd && ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) ||
	    ioctl(event->fd, PERF_EVENT_IOC_ID, &event->id) ||
	    (!event->lasts && epoll_ctl(sampler->epoll, EPOLL_CTL_ADD, event->fd, &wanted)))
		return dkt_fail(sampler->ctx, -errno, "set up the ring of CPU %d: %s", ring->cpu,
				strerror(errno));
	/* The other events of the ring tell that there is something in it. */
	sampler->n_running += !event->lasts;
	return 0;
}

static int open_epoll(struct dkt__sampler *sampler)
{
	struct epoll_event wanted = { .events = EPOLLIN, .data.fd = sampler->opts.end_fd };

	sampler->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (sampler->epoll < 0 || (wanted.data.fd >= 0 && epoll_ctl(sampler->epoll, EPOLL_CTL_ADD,
								    wanted.data.fd, &wanted)))
		return dkt_fail(sampler->ctx, -errno, "wait for samples: %s", strerror(errno));
	return 0;
}

int dkt__sampler_rings_map(struct dkt__sampler *sampler)
{
	int err = map_all(sampler);

	while (err == -EPERM && sampler->ring_size > RING_MIN) {
		sampler->ring_size /= 2;
		err = map_all(sampler);
	}
	if (!err)
		err = open_epoll(sampler);
	sampler->whole = malloc(DKT__SAMPLER_RECORD);
	if (!err && !sampler->whole)
		err = dkt__no_memory(sampler->ctx);
	for (size_t i = 0; i < sampler->n_events; i++)
		for (size_t fd = 0; !err && fd < sampler->events[i].n; fd++)
			err = join_ring(sampler, &sampler->events[i].fds[fd]);
	sampler->result.ring_size = sampler->ring_size;
	return err;
}

void dkt__sampler_rings_unmap(struct dkt__sampler *sampler)
{
	unmap_rings(sampler);
	if (sampler->epoll >= 0)
		close(sampler->epoll);
	sampler->epoll = -1;
	free(sampler->whole);
	sampler->whole = NULL;
}

/* ---- waiting ---- */

int dkt__sampler_rings_wait(struct dkt__sampler *sampler, int ms)
{
	struct epoll_event ready[64];
	int n = epoll_wait(sampler->epoll, ready, ARRAY_SIZE(ready), ms);

	if (n < 0 && errno != EINTR)
		return dkt_fail(sampler->ctx, -errno, "wait for samples: %s", strerror(errno));
	/* The thread of the event has ended, or its CPU went offline; its ring stays. */
	for (int i = 0; i < n; i++) {
		if (!(ready[i].events & (EPOLLHUP | EPOLLERR)) ||
		    ready[i].data.fd == sampler->opts.end_fd)
			continue;
		epoll_ctl(sampler->epoll, EPOLL_CTL_DEL, ready[i].data.fd, NULL);
		sampler->n_running--;
	}
	return 0;
}

/* ---- moving records ---- */

/*
 * Looks at the new records of a ring where they are, at samples or at all others. One that begins at the ring's
 * end and continues at its start is copied.
 */
static void look(struct dkt__sampler *sampler, const struct dkt__sampler_ring *ring, bool samples)
{
	const uint64_t mask = sampler->ring_size - 1;
	uint64_t at = ring->page->data_tail;
	struct perf_event_header head;

	for (; at < ring->head; at += head.size) {
		const uint8_t *record = ring->data + (at & mask);
		const uint64_t rest = sampler->ring_size - (at & mask);

		/* Records are multiples of 8 bytes, so that a header is in one piece. */
		memcpy(&head, record, sizeof(head));
		if (head.size < sizeof(head) || head.size > ring->head - at)
			break;
		if ((head.type == PERF_RECORD_SAMPLE) != samples)
			continue;
		if (head.size > rest) {
			memcpy(sampler->whole, record, rest);
			memcpy(sampler->whole + rest, ring->data, head.size - rest);
			record = sampler->whole;
		}
		dkt__sampler_record(sampler, (const void *)record);
	}
}

/*
 * Looks at what this round writes. A process can have been mapped by one CPU and sampled by another, so its
 * mappings in all rings come first.
 */
static void look_at_all(struct dkt__sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_rings; i++)
		if (sampler->rings[i].page)
			sampler->rings[i].head = __atomic_load_n(&sampler->rings[i].page->data_head,
								 __ATOMIC_ACQUIRE);
	for (int samples = 0; samples < 2; samples++)
		for (size_t i = 0; i < sampler->n_rings; i++)
			if (sampler->rings[i].page)
				look(sampler, &sampler->rings[i], samples);
}

/* Adds the pieces of a ring that have not been written. Returns how many. */
static int take_pieces(const struct dkt__sampler *sampler, const struct dkt__sampler_ring *ring,
		       struct iovec *pieces)
{
	const uint64_t tail = ring->page->data_tail, size = ring->head - tail;
	const uint64_t from = tail & (sampler->ring_size - 1);

	if (!size)
		return 0;
	pieces[0].iov_base = (uint8_t *)(uintptr_t)ring->data + from;
	pieces[0].iov_len = DKT__MIN(size, sampler->ring_size - from);
	pieces[1].iov_base = (uint8_t *)(uintptr_t)ring->data;
	pieces[1].iov_len = size - pieces[0].iov_len;
	return pieces[1].iov_len ? 2 : 1;
}

/* The kernel may overwrite what has been written. */
static void release(struct dkt__sampler *sampler, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (sampler->rings[i].page)
			__atomic_store_n(&sampler->rings[i].page->data_tail, sampler->rings[i].head,
					 __ATOMIC_RELEASE);
}

void dkt__sampler_rings_skip(struct dkt__sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_rings; i++)
		if (sampler->rings[i].page)
			sampler->rings[i].head = __atomic_load_n(&sampler->rings[i].page->data_head,
								 __ATOMIC_ACQUIRE);
	release(sampler, 0, sampler->n_rings);
}

int dkt__sampler_rings_drain(struct dkt__sampler *sampler)
{
	struct perf_event_header mark = { .type = FINISHED_ROUND, .size = sizeof(mark) };
	struct iovec *pieces __cleanup(free) =
		calloc(2 * DKT__MIN(sampler->n_rings, (size_t)RINGS_WRITE) + 1, sizeof(*pieces));
	size_t from = 0, next = 0;
	bool any = false;
	int n = 0, err = 0;

	if (!pieces)
		return dkt__no_memory(sampler->ctx);
	look_at_all(sampler);
	while (!err && next < sampler->n_rings) {
		if (sampler->rings[next].page)
			n += take_pieces(sampler, &sampler->rings[next], pieces + n);
		next++;
		any |= n;
		if (next < sampler->n_rings && next - from < RINGS_WRITE)
			continue;
		if (next == sampler->n_rings && any)
			pieces[n++] = (struct iovec){ .iov_base = &mark, .iov_len = sizeof(mark) };
		err = n ? dkt__sampler_file_add(sampler, pieces, n) : 0;
		if (!err)
			release(sampler, from, next);
		from = next;
		n = 0;
	}
	dkt__sampler_hits_round(&sampler->hits);
	return err;
}
