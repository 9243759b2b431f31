/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recorder's own records. Recording the work of a recorder gives it more work: writing pages
 * allocates memory, starts I/O and wakes threads, and a traced kernel can produce more records than
 * the pages hold. System calls are the exception: a few move a MiB.
 *
 * The kernel's exclusion of a thread tests every record of all threads. On 6.18 it made a traced
 * program that does nothing but system calls 10 % slower.
 */
#include <string.h>

#include "lib/instance.h"
#include "lib/recorder.h"

/* True if the instance records system calls and nothing else. */
static int has_only_calls(struct dkt_instance *in, bool *only)
{
	struct dkt_event **events __cleanup(free) = NULL;
	size_t n;
	int err = dkt_instance_get_events(in, &events, &n);

	*only = true;
	for (size_t i = 0; !err && i < n; i++) {
		const char *system = dkt_event_system(events[i]);

		*only &= !strcmp(system, "raw_syscalls") || !strcmp(system, "syscalls");
	}
	return err;
}

int dkt__recorder_skip_self(struct dkt_recorder *r)
{
	const pid_t self = gettid();
	int err = 0;

	r->self = 0;
	for (size_t i = 0; !err && i < r->n; i++) {
		struct dkt__recorder_buffer *b = &r->buffers[i];
		bool only;

		err = has_only_calls(b->in, &only);
		if (err)
			break;
		/* The exclusion stays when the events change: other events may be enabled again. */
		if (!only && !b->skips)
			b->skips = !dkt_instance_skip_pids(b->in, &self, 1);
		/* A kernel may be unable to. */
		if (!b->skips)
			r->self = self;
	}
	return err;
}
