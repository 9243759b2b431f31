/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters: one event of perf_event_open(2), counted for several threads or CPUs. */
#include <sys/ioctl.h>

#include "lib/base/io.h"
#include "lib/perf_event.h"

struct dkt__counter {
	struct dkt_ctx *ctx;
	char *name;
	size_t n;
	int fds[]; /* -1: the thread had exited */
};

static int set_filter(struct dkt__counter *counter, int fd, const char *filter)
{
	if (!filter || !*filter || !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		return 0;
	return dkt_fail(counter->ctx, -errno, "filter %s by '%s': %s", counter->name, filter,
			strerror(errno));
}

/* Opens the counter of one thread or CPU. Returns 0, also if the thread has exited, or -errno. */
static int open_one(struct dkt__counter *counter, const struct dkt__counter_opts *opts,
		    const struct dkt__counted *where, int *fd)
{
	struct perf_event_attr attr = *opts->attr;

	attr.disabled = 1;
	attr.inherit = opts->inherit;
	attr.enable_on_exec = opts->on_exec;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	*fd = dkt__perf_event_open(counter->ctx, counter->name, &attr, where->pid, where->cpu, -1,
				   0);
	if (*fd == -ESRCH) {
		*fd = -1;
		return 0;
	}
	if (*fd < 0) {
		const int err = *fd;

		*fd = -1;
		return err;
	}
	return set_filter(counter, *fd, opts->filter);
}

int dkt__counter_open(struct dkt_ctx *ctx, const struct dkt__counter_opts *opts,
		      const struct dkt__counted *where, size_t n, struct dkt__counter **counter)
{
	struct dkt__counter *made = calloc(1, sizeof(*made) + n * sizeof(made->fds[0]));
	bool any = false;
	int err = 0;

	*counter = NULL;
	if (!made)
		return dkt__no_memory(ctx);
	made->ctx = ctx;
	made->n = n;
	for (size_t i = 0; i < n; i++)
		made->fds[i] = -1;
	made->name = strdup(opts->name);
	if (!made->name)
		err = dkt__no_memory(ctx);
	for (size_t i = 0; !err && i < n; i++) {
		if (where[i].pid == -1 && where[i].cpu == -1)
			continue;
		err = open_one(made, opts, &where[i], &made->fds[i]);
		any |= made->fds[i] >= 0;
	}
	/* The words are those of the last thread that had exited. */
	if (!err && !any)
		err = -ESRCH;
	if (err) {
		dkt__counter_close(made);
		return err;
	}
	*counter = made;
	return 0;
}

static int tell_all(struct dkt__counter *counter, unsigned long request, const char *doing)
{
	for (size_t i = 0; i < counter->n; i++)
		if (counter->fds[i] >= 0 && ioctl(counter->fds[i], request, 0))
			return dkt_fail(counter->ctx, -errno, "%s counting %s: %s", doing,
					counter->name, strerror(errno));
	return 0;
}

int dkt__counter_start(struct dkt__counter *counter)
{
	return tell_all(counter, PERF_EVENT_IOC_ENABLE, "start");
}

int dkt__counter_stop(struct dkt__counter *counter)
{
	return tell_all(counter, PERF_EVENT_IOC_DISABLE, "stop");
}

int dkt__counter_read(struct dkt__counter *counter, struct dkt__count *counts)
{
	for (size_t i = 0; i < counter->n; i++) {
		ssize_t n;

		counts[i] = (struct dkt__count){ 0 };
		if (counter->fds[i] < 0)
			continue;
		n = read(counter->fds[i], &counts[i], sizeof(counts[i]));
		/* The kernel reads nothing if the counter could not be put on its CPU at all. */
		if (!n)
			counts[i].enabled = 1;
		else if (n != sizeof(counts[i]))
			return dkt_fail(counter->ctx, n < 0 ? -errno : -EIO,
					"read the count of %s: %s", counter->name,
					n < 0 ? strerror(errno) : "it is incomplete");
	}
	return 0;
}

void dkt__counter_close(struct dkt__counter *counter)
{
	if (!counter)
		return;
	dkt__close_all(counter->fds, counter->n);
	free(counter->name);
	free(counter);
}

/* ---- counts ---- */

double dkt__count_scaled(const struct dkt__count *count)
{
	if (count->running >= count->enabled)
		return (double)count->value;
	if (!count->running)
		return 0;
	return (double)count->value * (double)count->enabled / (double)count->running;
}

struct dkt__count dkt__count_since(const struct dkt__count *now, const struct dkt__count *before)
{
	return (struct dkt__count){ .value = now->value - before->value,
				    .enabled = now->enabled - before->enabled,
				    .running = now->running - before->running };
}
