/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records that the debug log gets, counted while the user wants it. */
#include "answers/top/log_counter.h"
#include "ctl/app/live.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"

#define KIND "top-log"

/* It may be created and removed at any time. */
static int begin(struct top *top)
{
	char *owner __cleanup(free) = live_name(top->app, KIND);
	int err = owner ? log_counter_open(top->app->ctx, top->map, top->app->instance, owner,
					   &top->counter) :
			  -ENOMEM;

	return err == -ENOENT ? 0 : err;
}

static void end(struct top *top)
{
	char *message = dkt_error_take(top->app->ctx);

	if (log_counter_close(top->counter))
		app_say("%s; 'dktrace reset' will remove it", dkt_error(top->app->ctx));
	dkt_error_give(top->app->ctx, 0, message);
	top->counter = NULL;
}

int top_log_start(struct top *top)
{
	return top->count_log ? begin(top) : 0;
}

int top_log_read(struct top *top)
{
	return top->counter ? log_counter_read(top->counter) : 0;
}

int top_log_take(struct top *top, struct log_counts *counts)
{
	int err;

	*counts = (struct log_counts){ 0 };
	if (!top->count_log && top->counter)
		end(top);
	if (!top->count_log)
		return 0;
	if (!top->counter)
		return begin(top);
	err = log_counter_take(top->counter, counts);
	top->uncounted += counts->lost;
	if (err != -ENOENT)
		return err;
	end(top);
	return 0;
}

void top_log_close(struct top *top)
{
	end(top);
	log_counts_clear(&top->counts);
}
