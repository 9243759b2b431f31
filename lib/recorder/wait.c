/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits until there are pages to move. */
#include "lib/recorder.h"

/*
 * Watches the buffers of CPUs that are there. For an absent CPU poll() reports an error at once. Kernels before 6.1 report
 * a buffer for any record, whatever buffer_percent is, and such a buffer would be reported until its page is complete.
 */
static int watch(struct dkt_recorder *r)
{
	bool absent = false;
	int err = 0;

	for (size_t i = 0; !err && i < r->n; i++)
		for (int nr = 0; !err && nr < r->buffers[i].n_cpus; nr++) {
			struct dkt__recorder_cpu *cpu = &r->buffers[i].cpus[nr];

			absent |= cpu->absent;
			if (cpu->watched == (!cpu->absent && !r->early))
				continue;
			cpu->watched = !cpu->watched;
			err = dkt__watch_buffer(&r->watch, cpu->fd, cpu->watched);
		}
	if (!err)
		err = dkt__watch_more(&r->watch, false, absent);
	return err;
}

/* How long to wait where the kernel reports buffers too early: few buffers can be filled meanwhile. */
static int early_ms(const struct dkt_recorder *r, int timeout_ms)
{
	uint64_t size = UINT64_MAX;

	for (size_t i = 0; i < r->n; i++)
		size = DKT__MIN(size, r->buffers[i].size);
	return timeout_ms < 0 ? dkt__watch_early_ms(size) :
				DKT__MIN(timeout_ms, dkt__watch_early_ms(size));
}

int dkt_recorder_wait(struct dkt_recorder *r, int timeout_ms)
{
	dkt__needs(NULL, r);

	const uint64_t moved = r->moved;
	int err;

	if (r->fd < 0)
		return dkt_fail(r->ctx, -EINVAL, "the recording has not begun");
	err = watch(r);
	if (!err)
		err = dkt__watch_wait(&r->watch, r->early ? early_ms(r, timeout_ms) : timeout_ms);
	if (err)
		return err == -EINTR ?
			       err :
			       dkt_fail(r->ctx, err, "watch the buffers: %s", strerror(-err));
	err = dkt__recorder_move(r, false);
	r->early |= !err && r->watch.buffer && r->moved == moved;
	return err;
}
