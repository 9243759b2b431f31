/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of the frame and of the debug log in one list. */
#include "ctl/top/top.h"

static struct top_event *find(struct top *top, const struct dkt_event *event)
{
	for (size_t i = 0; i < top->n_events; i++)
		if (top->events[i].event == event)
			return &top->events[i];
	return NULL;
}

static int add_log(struct top *top, const struct log_event *from)
{
	/* Only the first ones are of this command: a few. */
	struct top_event *event = find(top, from->event);

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

int top_events(struct top *top)
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
