/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffers: how many records come, are lost, and wait to be read. */
#include "ctl/top/top.h"

/* The kernel's statistics of all CPUs of the log. */
struct counts {
	uint64_t written, lost, bytes;
};

static int read_counts(struct dkt_instance *in, struct counts *counts)
{
	const int n = dkt_instance_cpus(in);
	struct dkt_cpu_stats stats;
	int err = 0;

	*counts = (struct counts){ 0 };
	for (int cpu = 0; !err && cpu < n; cpu++) {
		err = dkt_instance_get_stats(in, cpu, &stats, sizeof(stats));
		if (err)
			break;
		counts->written += stats.entries + stats.read + stats.overrun;
		counts->lost += stats.overrun + stats.commit_overrun + stats.dropped;
		counts->bytes += stats.bytes;
	}
	return err;
}

static void close_log(struct top_log *log, struct top_buffer *buffer)
{
	dkt_instance_close(log->in);
	*log = (struct top_log){ 0 };
	free(buffer->name);
	*buffer = (struct top_buffer){ .all_lost = buffer->all_lost };
}

static bool open_log(struct top *top)
{
	if (!top->log.in &&
	    dkt_instance_open(top->app->ctx, top->app->instance, NULL, &top->log.in))
		top->log.in = NULL;
	return top->log.in;
}

/* The log may come, go, and be emptied at any time. */
static void take_log(struct top *top, struct top_buffer *buffer)
{
	struct top_log *log = &top->log;
	struct counts counts;

	if (!open_log(top))
		return;
	if (read_counts(log->in, &counts) || dkt_instance_get_size(log->in, &buffer->size)) {
		close_log(log, buffer);
		return;
	}
	if (!buffer->name)
		buffer->name = strdup(top->app->instance);
	buffer->bytes = counts.bytes;
	buffer->known = log->counted && counts.written >= log->written && counts.lost >= log->lost;
	buffer->records = buffer->known ? counts.written - log->written : 0;
	buffer->lost = buffer->known ? counts.lost - log->lost : 0;
	buffer->all_lost += buffer->lost;
	log->written = counts.written;
	log->lost = counts.lost;
	log->counted = true;
}

void top_buffers(struct top *top)
{
	struct top_buffer *own = &top->buffers[TOP_OWN];

	if (!own->name)
		own->name = strdup("top");
	own->known = true;
	own->records = top->frame.records;
	own->lost = top->lost;
	own->all_lost = top->losses.lost;
	take_log(top, &top->buffers[TOP_LOG]);
}

void top_buffers_close(struct top *top)
{
	close_log(&top->log, &top->buffers[TOP_LOG]);
	free(top->buffers[TOP_OWN].name);
}
