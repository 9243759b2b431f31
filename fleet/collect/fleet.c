/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs one command on many hosts at once: one loop for all connections. */
#include "fleet/collect/fleet.h"

#include <sys/epoll.h>
#include <sys/resource.h>

#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"

/* Bytes that are read from a connection at once. */
#define CHUNK (256 << 10)

/* How often hosts are looked after, in ms. */
#define TICK_MS 100

/* How long ssh may take to end, and how often it is asked. */
#define REAP_NS      UINT64_C(5000000000)
#define REAP_EACH_US 2000

/* Descriptors of a host: three pipes and its file. */
#define HOST_FDS 4
#define OWN_FDS  64

/* Which descriptor of a host an event is of. */
enum { FROM_IN, FROM_ERR, FROM_OUT, N_FROM };

int fleet_init(struct dkt_ctx *ctx, struct fleet *fleet, char *const *names, size_t n)
{
	struct rlimit limit;

	/* Each host takes descriptors here. */
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < n * HOST_FDS + OWN_FDS)
		return dkt_fail(ctx, -EMFILE,
				"%zu hosts take %zu descriptors, and 'ulimit -n' allows only %llu",
				n, n * HOST_FDS + OWN_FDS, (unsigned long long)limit.rlim_cur);
	fleet->hosts = calloc(n + 1, sizeof(*fleet->hosts));
	if (!fleet->hosts)
		return dkt__no_memory(ctx);
	fleet->n = n;
	for (size_t i = 0; i < n; i++)
		fleet->hosts[i] = (struct fleet_host){ .name = names[i],
						       .number = (uint32_t)i,
						       .ctx = ctx,
						       .opts = &fleet->opts,
						       .file = -1,
						       .in = -1,
						       .out = -1,
						       .err = -1 };
	return 0;
}

/* ---- connections ---- */

static int watch(struct dkt_ctx *ctx, int epoll, int fd, size_t nr, unsigned int from)
{
	/* An edge is enough to write: what is queued is tried at once, and only the rest waits. */
	struct epoll_event event = { .events = from == FROM_OUT ? EPOLLOUT | EPOLLET : EPOLLIN,
				     .data.u64 = nr * N_FROM + from };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ?
		       dkt_fail(ctx, -errno, "watch a connection: %s", strerror(errno)) :
		       0;
}

static int connect_host(struct dkt_ctx *ctx, struct fleet *fleet, int epoll, size_t nr)
{
	struct fleet_host *host = &fleet->hosts[nr];
	int err = host_connect(host);

	if (!err)
		err = watch(ctx, epoll, host->in, nr, FROM_IN);
	if (!err)
		err = watch(ctx, epoll, host->err, nr, FROM_ERR);
	return err ? err : watch(ctx, epoll, host->out, nr, FROM_OUT);
}

static void note_over(struct fleet *fleet, struct fleet_host *host, bool was)
{
	if (was || !host_is_over(host))
		return;
	fleet->left--;
	if (fleet->over)
		fleet->over(fleet->data, host);
}

/* Connects hosts that wait for it, as many at a time as --fanout allows. */
static int connect_some(struct dkt_ctx *ctx, struct fleet *fleet, int epoll, uint64_t now)
{
	size_t busy = 0;
	int err = 0;

	for (size_t i = 0; i < fleet->n; i++)
		busy += fleet->hosts[i].state == FLEET_CONNECTING;
	for (size_t i = 0; !err && i < fleet->n && busy < fleet->opts.fanout; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		const bool again = host->state == FLEET_BROKEN;

		if (host->state != FLEET_WAITING &&
		    (host->state != FLEET_BROKEN || now < host->next))
			continue;
		err = connect_host(ctx, fleet, epoll, i);
		busy++;
		/* The other hosts go on. */
		if (err && (again || err == -ECHILD)) {
			host_abandon(host, "%s", dkt_error(ctx));
			note_over(fleet, host, false);
			err = 0;
		}
	}
	return err;
}

/* ---- the loop ---- */

static void take_event(struct fleet *fleet, const struct epoll_event *event, uint8_t *buffer)
{
	struct fleet_host *host = &fleet->hosts[event->data.u64 / N_FROM];
	const unsigned int from = event->data.u64 % N_FROM;
	const bool was = host_is_over(host);

	/* An event before it may have closed the connection. */
	if (from == FROM_IN && host->in >= 0)
		host_read(host, buffer, CHUNK);
	else if (from == FROM_ERR && host->err >= 0)
		host_read_errors(host);
	else if (from == FROM_OUT && host->out >= 0 && !(event->events & (EPOLLERR | EPOLLHUP)))
		host_write(host);
	note_over(fleet, host, was);
}

static int tick(struct dkt_ctx *ctx, struct fleet *fleet, int epoll, uint64_t now)
{
	for (size_t i = 0; i < fleet->n; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		const bool was = host_is_over(host);

		host_tick(host, now);
		note_over(fleet, host, was);
	}
	if (fleet->look)
		fleet->look(fleet->data, fleet);
	return connect_some(ctx, fleet, epoll, now);
}

/* Ends the commands at the first signal, and gives all hosts up at the second. */
static void take_signal(struct fleet *fleet, unsigned int *signals)
{
	dkt__stop_forget();
	for (size_t i = 0; i < fleet->n; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		const bool was = host_is_over(host);

		if (was)
			continue;
		if (*signals)
			host_forget(host);
		else
			host_stop(host);
		note_over(fleet, host, was);
	}
	++*signals;
}

static int loop(struct dkt_ctx *ctx, struct fleet *fleet, int epoll, uint8_t *buffer)
{
	struct epoll_event events[64];
	unsigned int signals = 0;
	uint64_t ticked = 0;
	int err = 0, n;

	while (!err && fleet->left) {
		const uint64_t now = dkt__monotonic_ns();

		if (dkt__stopped())
			take_signal(fleet, &signals);
		if (now - ticked > TICK_MS * UINT64_C(1000000)) {
			ticked = now;
			err = tick(ctx, fleet, epoll, now);
		}
		n = err ? 0 : epoll_wait(epoll, events, ARRAY_SIZE(events), TICK_MS);
		for (int i = 0; i < n; i++)
			take_event(fleet, &events[i], buffer);
	}
	return err;
}

/* Lets each ssh deliver the last word, for a time. */
static void reap(struct fleet *fleet)
{
	const uint64_t until = dkt__monotonic_ns() + REAP_NS;

	for (size_t i = 0; i < fleet->n;) {
		const bool late = dkt__monotonic_ns() > until;

		if (host_reap(&fleet->hosts[i], late))
			i++;
		else
			usleep(REAP_EACH_US);
	}
}

int fleet_run(struct dkt_ctx *ctx, struct fleet *fleet)
{
	int epoll __cleanup(close) = epoll_create1(EPOLL_CLOEXEC), err;
	uint8_t *buffer __cleanup(free) = dkt__read_buffer(CHUNK);

	if (epoll < 0 || !buffer)
		return dkt_fail(ctx, epoll < 0 ? -errno : -ENOMEM, "run on hosts: %s",
				strerror(errno));
	dkt__stop_on_end();
	fleet->left = fleet->n;
	err = loop(ctx, fleet, epoll, buffer);
	reap(fleet);
	return err;
}

void fleet_release(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++)
		host_release(&fleet->hosts[i]);
}

void fleet_clear(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++) {
		host_clear(&fleet->hosts[i]);
		if (fleet->hosts[i].file >= 0)
			close(fleet->hosts[i].file);
	}
	free(fleet->hosts);
	fleet->hosts = NULL;
	fleet->n = 0;
}
