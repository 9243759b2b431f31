/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The model: takes a frame at the end of each interval, with the log's records, buffers and own cost. */
#include <sys/resource.h>

#include "ctl/app/live.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* ---- the CPU time that this command itself uses ---- */

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

void top_cost(struct top_cost *cost, double others)
{
	const struct top_cost before = *cost;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	cost->used = seconds(&usage.ru_utime) + seconds(&usage.ru_stime) + others;
	cost->at = live_now();
	if (cost->at > before.at)
		cost->percent = 100 * (cost->used - before.used) / (cost->at - before.at);
}

/* ---- buffers: how many records come, are lost, and wait to be read ---- */

/* The kernel's statistics of all CPUs of the log. */
struct counts {
	uint64_t written, lost, bytes;
};

static int read_counts(struct dkt_instance *in, struct counts *counts)
{
	struct dkt_cpu_stats stats;

	*counts = (struct counts){ 0 };
	for (int cpu = 0; cpu < dkt_instance_n_cpus(in); cpu++) {
		int err = dkt_instance_get_stats(in, cpu, &stats, sizeof(stats));

		if (err)
			return err;
		counts->written += stats.entries + stats.read + stats.overrun;
		counts->lost += stats.overrun + stats.commit_overrun + stats.dropped;
		counts->bytes += stats.bytes;
	}
	return 0;
}

static void close_log_buffer(struct top_log *log, struct top_buffer *buffer)
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
static void take_log_buffer(struct top *top, struct top_buffer *buffer)
{
	struct top_log *log = &top->log;
	struct counts counts;

	if (!open_log(top))
		return;
	if (read_counts(log->in, &counts) || dkt__instance_get_size(log->in, &buffer->size)) {
		close_log_buffer(log, buffer);
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

static void take_buffers(struct top *top)
{
	struct top_buffer *own = &top->buffers[TOP_OWN];

	if (!own->name)
		own->name = strdup("top");
	own->known = true;
	own->records = top->frame.records;
	own->lost = top->lost;
	own->all_lost = top->losses.lost;
	take_log_buffer(top, &top->buffers[TOP_LOG]);
}

/* ---- the records that the debug log gets, counted while the user wants it ---- */

/* It may be created and removed at any time. */
static int begin_counting(struct top *top)
{
	char *owner __cleanup(free) = live_name(top->app, "top-log");
	int err = owner ? log_counter_open(top->app->ctx, top->map, top->app->instance, owner,
					   &top->counter) :
			  -ENOMEM;

	return err == -ENOENT ? 0 : err;
}

static void end_counting(struct top *top)
{
	char *message = dkt__error_take(top->app->ctx);

	if (log_counter_close(top->counter))
		app_say("%s; 'dktrace reset' will remove it", dkt_error(top->app->ctx));
	dkt__error_give(top->app->ctx, 0, message);
	top->counter = NULL;
}

int top_log_start(struct top *top)
{
	return top->count_log ? begin_counting(top) : 0;
}

int top_log_read(struct top *top)
{
	return top->counter ? log_counter_read(top->counter) : 0;
}

static int take_counts(struct top *top, struct log_counts *counts)
{
	int err;

	*counts = (struct log_counts){ 0 };
	if (!top->count_log && top->counter)
		end_counting(top);
	if (!top->count_log)
		return 0;
	if (!top->counter)
		return begin_counting(top);
	err = log_counter_take(top->counter, counts);
	top->uncounted += counts->lost;
	if (err != -ENOENT)
		return err;
	end_counting(top);
	return 0;
}

/* ---- the events of the frame and of the debug log in one list ---- */

static struct top_event *find_event(struct top *top, const struct dkt_event *event)
{
	for (size_t i = 0; i < top->n_events; i++)
		if (top->events[i].event == event)
			return &top->events[i];
	return NULL;
}

static int add_log(struct top *top, const struct log_event *from)
{
	/* Only the first ones are of this command: a few. */
	struct top_event *event = find_event(top, from->event);

	if (!event) {
		int err = dkt__append(top->events, top->n_events,
				      (struct top_event){ .event = from->event });

		if (err)
			return err;
		event = &top->events[top->n_events - 1];
	}
	event->in_log = true;
	event->log_records = from->records;
	event->classes = from->classes;
	return 0;
}

static int list_events(struct top *top)
{
	int err = 0;

	free(top->events);
	top->events = NULL;
	top->n_events = 0;
	for (size_t i = 0; !err && i < top->frame.n_events; i++) {
		const struct activity_event *from = &top->frame.events[i];
		const struct class_bits *bits = dkl_class_map_event(top->map, from->event);

		err = dkt__append(top->events, top->n_events,
				  (struct top_event){ .event = from->event,
						      .own = true,
						      .own_records = from->records,
						      .classes = bits->classes });
	}
	for (size_t i = 0; !err && i < top->counts.n_events; i++)
		err = add_log(top, &top->counts.events[i]);
	return err;
}

/* ---- frames ---- */

int top_open(struct top *top)
{
	const struct activity_opts opts = { .intervals = (const char *const *)top->intervals.list,
					    .n_intervals = top->intervals.n };
	int err = activity_new(top->app->ctx, &opts, &top->activity);

	return err ? err : dkl_class_map_open(top->app->ctx, NULL, &top->map);
}

void top_close(struct top *top)
{
	top_functions_close(top);
	end_counting(top);
	log_counts_clear(&top->counts);
	close_log_buffer(&top->log, &top->buffers[TOP_LOG]);
	free(top->buffers[TOP_OWN].name);
	free(top->events);
	activity_frame_clear(&top->frame);
	dkl_class_map_free(top->map);
	activity_free(top->activity);
	dkl_losses_clear(&top->losses);
	dkt__strings_clear(&top->intervals);
}

int top_take(struct top *top)
{
	struct log_counts counts = { 0 };
	struct activity_frame frame;
	uint64_t lost = 0;
	/* The clock of the records, too. */
	int err = activity_take(top->activity, dkt__monotonic_ns(), &frame);

	if (!err)
		err = take_counts(top, &counts);
	if (!err)
		err = top_functions_take(top);
	if (!err && top->source)
		err = dkl_losses_raise(&top->losses, top->source, &lost);
	top_cost(&top->cost, top->functions.live ? profile_live_cost(top->functions.live) : 0);
	if (err || top->paused) {
		activity_frame_clear(&frame);
		log_counts_clear(&counts);
		return err;
	}
	activity_frame_clear(&top->frame);
	log_counts_clear(&top->counts);
	top->frame = frame;
	top->counts = counts;
	top->lost = lost;
	top->when = time(NULL);
	take_buffers(top);
	return list_events(top);
}
