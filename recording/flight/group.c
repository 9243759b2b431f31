/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instances of a flight recorder, one for each group, so that a chatty class pushes out no rare one. */
#include "recording/flight/group.h"

#include "compat/set/param/memory.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"

#define NAME_MAX_LEN 32

/* us between attempts to remove an instance. */
#define BUSY_TRIES 20
#define BUSY_WAIT  50000

/* The buffers of all groups get at most so many bytes for each CPU, and this part of the memory. */
#define CPU_SIZE (UINT64_C(32) << 20)
#define PART     16

static char *name_of(const char *log, const char *name)
{
	return dkt__format("%s-flight-%s", log, name);
}

int flight_check_name(struct dkt_ctx *ctx, const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t len = strlen(name);

	if (len && len <= NAME_MAX_LEN && strspn(name, letters) == len)
		return 0;
	return dkt_fail(ctx, -EINVAL,
			"'%s' is not the name of a group: use letters, digits and _, at most %d",
			name, NAME_MAX_LEN);
}

uint64_t flight_default_size(int cpus, size_t n)
{
	/* If the available memory is unknown, the kernel's own size remains. */
	return dkl_memory_share(CPU_SIZE * (uint64_t)cpus, PART) / n;
}

int flight_enable(struct flight_group *group)
{
	struct dkt_change *change;
	int err = dkt_change_new(group->in, &change);

	if (!err)
		err = dkl_wanted_apply(group->wanted, change);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err ? err : dkt__missed_read(group->wanted->ctx, &group->missed);
}

int flight_create_bare(struct dkt_ctx *ctx, const char *log, const char *name, uint64_t size,
		       const struct wanted_words *words, struct flight_group *group)
{
	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	char *instance __cleanup(free) = name_of(log, name);
	int err;

	group->name = strdup(name);
	err = instance && group->name ? dkl_wanted_new(ctx, words, &group->wanted) :
					dkt__no_memory(ctx);
	if (!err)
		err = dkt_instance_open(ctx, instance, &opts, &group->in);
	if (!err && !dkt__instance_is_new(group->in))
		return dkt_fail(
			ctx, -EEXIST,
			"the instance '%s' exists already; 'dktrace flight stop' removes it",
			instance);
	if (!err)
		err = dkt_instance_set_clock(group->in, "mono");
	if (!err && size)
		err = dkt_instance_set_size(group->in, size);
	return err;
}

int flight_create(struct dkt_ctx *ctx, const char *log, const char *name, uint64_t size,
		  const struct wanted_words *words, struct flight_group *group)
{
	int err = flight_create_bare(ctx, log, name, size, words, group);

	return err ? err : flight_enable(group);
}

int flight_open(struct dkt_ctx *ctx, const char *log, const char *name, struct flight_group *group)
{
	char *instance __cleanup(free) = name_of(log, name);

	*group = (struct flight_group){ .name = strdup(name) };
	if (!instance || !group->name)
		return dkt__no_memory(ctx);
	return dkt_instance_open(ctx, instance, NULL, &group->in);
}

void flight_close(struct flight_group *group)
{
	dkt_instance_close(group->in);
	free(group->name);
	group->in = NULL;
	group->name = NULL;
}

int flight_remove(struct dkt_ctx *ctx, const char *log, const char *name)
{
	char *instance __cleanup(free) = name_of(log, name);
	int err = instance ? -EBUSY : dkt__no_memory(ctx);

	/* Any process that opens a file of the instance keeps it busy for a moment. */
	for (int tries = 0; err == -EBUSY && tries < BUSY_TRIES; tries++) {
		if (tries)
			usleep(BUSY_WAIT);
		err = dkt_instance_remove(ctx, instance);
	}
	return err == -ENOENT ? 0 : err;
}

void flight_pause(struct flight_group *group, const char *text)
{
	bool on;

	if (group->paused || dkt__instance_get_on(group->in, &on) || !on)
		return;
	dkt_instance_mark(group->in, text);
	if (!dkt_instance_set_on(group->in, false))
		group->paused = dkt__monotonic_ns();
}

void flight_resume(struct flight_group *group)
{
	const uint64_t since = group->paused;
	char *text __cleanup(free) = NULL;

	group->paused = 0;
	if (!since || dkt_instance_set_on(group->in, true))
		return;
	text = dkt__format("flight: nothing was recorded for %.1f ms, while a dump was made",
			   (double)(dkt__monotonic_ns() - since) / 1e6);
	if (text)
		dkt_instance_mark(group->in, text);
}

/*
 * A CPU that has overwritten records lacks those before its oldest one; the other CPUs have all of theirs.
 * If no CPU has overwritten any, the span begins at the oldest record of all.
 */
static uint64_t span_of(uint64_t now, uint64_t oldest, uint64_t overwritten)
{
	const uint64_t from = overwritten ? overwritten : oldest;

	return from && now > from ? now - from : 0;
}

int flight_fill(const struct flight_group *group, struct flight_fill *fill)
{
	uint64_t now, oldest = 0, overwritten = 0;
	int err;

	*fill = (struct flight_fill){ 0 };
	err = dkt__instance_get_size(group->in, &fill->size);
	for (int cpu = 0; !err && cpu < dkt_instance_n_cpus(group->in); cpu++) {
		struct dkt_cpu_stats stats = { 0 };

		err = dkt_instance_get_stats(group->in, cpu, &stats, sizeof(stats));
		/* A CPU can be absent. */
		err = err == -ENOENT ? 0 : err;
		fill->bytes += stats.bytes;
		fill->records += stats.entries;
		fill->overwritten += stats.overrun;
		fill->lost += stats.commit_overrun + stats.dropped;
		if (stats.oldest && (!oldest || stats.oldest < oldest))
			oldest = stats.oldest;
		if (stats.overrun)
			overwritten = DKT__MAX(overwritten, stats.oldest);
	}
	if (!err)
		err = dkt_instance_get_now(group->in, &now);
	if (!err)
		fill->span = span_of(now, oldest, overwritten);
	return err;
}
