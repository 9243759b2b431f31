/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One descriptor that becomes readable when a live source may have records, whatever the cause. */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "lib/source/live/watch.h"

/* How often, in s, the source looks for the buffer of a CPU that has been offline. */
#define ABSENT_S 1

/* A buffer is looked at after the time, in ms, in which so many bytes a ms would fill it. */
#define EARLY_BYTES_MS 400000u
#define EARLY_MS_MIN   2u
#define EARLY_MS_MAX   20u

/* The mark of a buffer; the other descriptors have 0. */
#define BUFFER 1

int dkt__watch_open(struct dkt__watch *watch)
{
	struct epoll_event readable = { .events = EPOLLIN };
	const int *fds[] = { &watch->wake, &watch->more, &watch->timer };

	watch->all = epoll_create1(EPOLL_CLOEXEC);
	watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	watch->more = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	watch->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (epoll_ctl(watch->all, EPOLL_CTL_ADD, *fds[i], &readable))
			return -errno;
	return 0;
}

void dkt__watch_close(struct dkt__watch *watch)
{
	const int fds[] = { watch->all, watch->wake, watch->more, watch->timer };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*watch = (struct dkt__watch)DKT__NO_WATCH;
}

int dkt__watch_buffer(struct dkt__watch *watch, int fd, bool on)
{
	struct epoll_event readable = { .events = EPOLLIN, .data.u32 = BUFFER };

	if (!epoll_ctl(watch->all, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &readable))
		return 0;
	return errno == EPERM ? 0 : -errno;
}

int dkt__watch_more(struct dkt__watch *watch, bool more, bool absent)
{
	const struct itimerspec when = { .it_value.tv_sec = absent ? ABSENT_S : 0 };
	eventfd_t count;

	/* This also clears an expired timer. */
	if (timerfd_settime(watch->timer, 0, &when, NULL))
		return -errno;
	if (more ? eventfd_write(watch->more, 1) : eventfd_read(watch->more, &count))
		return errno == EAGAIN ? 0 : -errno;
	return 0;
}

int dkt__watch_wait(struct dkt__watch *watch, int timeout_ms)
{
	struct epoll_event event;
	eventfd_t count;
	int n = epoll_wait(watch->all, &event, 1, timeout_ms);

	if (n < 0)
		return -errno;
	watch->buffer = n && event.data.u32 == BUFFER;
	if (eventfd_read(watch->wake, &count) && errno != EAGAIN)
		return -errno;
	return 0;
}

int dkt__watch_early_ms(uint64_t size)
{
	return (int)DKT__MAX(DKT__MIN(size / EARLY_BYTES_MS, EARLY_MS_MAX), EARLY_MS_MIN);
}

int dkt__watch_rest(struct dkt__watch *watch, int ms)
{
	struct pollfd woken = { .fd = watch->wake, .events = POLLIN };

	return poll(&woken, 1, ms) < 0 ? -errno : 0;
}

int dkt__watch_wake(const struct dkt__watch *watch)
{
	const uint64_t one = 1;

	/* If the counter is full, the waiter has been woken already. */
	return write(watch->wake, &one, sizeof(one)) < 0 && errno != EAGAIN ? -errno : 0;
}
