/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The model: takes a frame at the end of each interval. */
#include "ctl/top/top.h"
#include "lib/base/when.h"

int top_open(struct top *top, struct app *app)
{
	int err;

	top->app = app;
	err = activity_new(app->ctx, NULL, &top->activity);
	if (!err)
		err = dkl_class_map_open(app->ctx, NULL, &top->map);
	return err;
}

void top_close(struct top *top)
{
	top_log_close(top);
	top_buffers_close(top);
	free(top->events);
	activity_frame_clear(&top->frame);
	dkl_class_map_free(top->map);
	activity_free(top->activity);
	dkl_losses_clear(&top->losses);
}

int top_take(struct top *top)
{
	struct log_counts counts = { 0 };
	struct activity_frame frame;
	uint64_t lost = 0;
	/* The clock of the records, too. */
	int err = activity_take(top->activity, dkt__monotonic_ns(), &frame);

	if (!err)
		err = top_log_take(top, &counts);
	if (!err && top->source)
		err = dkl_losses_raise(&top->losses, top->source, &lost);
	top_cost(&top->cost);
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
	top_buffers(top);
	return top_events(top);
}
