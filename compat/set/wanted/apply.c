/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts a wanted set onto a change of an instance. */
#include <stdlib.h>

#include "compat/set/wanted/parts.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

/* The kernel runs a trigger without a condition for records that the event's filter drops, too. */
static int add_stack(struct dkt_change *change, const struct wanted_event *one)
{
	char *text __cleanup(free) = one->filter ? dkt__format("stacktrace if %s", one->filter) :
						   strdup("stacktrace");

	return text ? dkt_change_trigger(change, one->event, text) : -ENOMEM;
}

static int add_limits(const struct settings *set, struct dkt_change *change)
{
	int err = 0;

	if (set->threads.n)
		err = dkt_change_pids(change, set->threads.list, set->threads.n, set->children);
	if (!err && set->cpus)
		err = dkt_change_cpus(change, set->cpus);
	return err;
}

/* Returns what the set has of the event; NULL: it is not in the set. */
static const struct wanted_event *find_wanted(const struct wanted *wanted,
					      const struct dkt_event *event)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->list[i].event == event)
			return &wanted->list[i];
	return NULL;
}

/* Such a trigger would act even if its event is disabled. One that stays the same records on. */
static int clear_stack(const struct wanted_event *one, struct dkt_instance *in,
		       struct dkt_event *event, struct dkt_change *change)
{
	struct dkt_trigger **triggers __cleanup(free) = NULL;
	const char *filter = one && one->stack ? (one->filter ?: "") : NULL;
	size_t n = 0;
	int err = dkt_instance_get_triggers(in, event, &triggers, &n);

	/* Another process may have removed its probe since the events were listed. */
	if (err == -ENOENT && !one)
		return 0;
	for (size_t i = 0; !err && i < n; i++)
		if (!strcmp(triggers[i]->action, "stacktrace") &&
		    (!filter || strcmp(triggers[i]->filter ?: "", filter) != 0))
			err = dkt_change_no_trigger(change, event, triggers[i]->text);
	return err;
}

int dkl_wanted_clear(const struct wanted *wanted, struct dkt_instance *in,
		     struct dkt_change *change)
{
	const struct settings *set = wanted->parts ? &wanted->parts->set : NULL;
	struct dkt_event *const *events;
	size_t n = 0;
	int err = dkt_events(wanted->ctx, &events, &n);

	for (size_t i = 0; !err && i < n; i++) {
		const struct wanted_event *one = find_wanted(wanted, events[i]);

		if (one && !one->filter)
			err = dkt_change_filter(change, events[i], "");
		if (!err)
			err = clear_stack(one, in, events[i], change);
	}
	if (!err && (!set || !set->threads.n))
		err = dkt_change_pids(change, NULL, 0, false);
	if (!err && (!set || !set->cpus))
		err = dkt_change_cpus(change, NULL);
	return err;
}

int dkl_wanted_apply(const struct wanted *wanted, struct dkt_change *change)
{
	struct dkt_event **events __cleanup(free) =
		calloc(wanted->n + 1, sizeof(struct dkt_event *));
	int err;

	if (!events)
		return dkt__no_memory(wanted->ctx);
	for (size_t i = 0; i < wanted->n; i++)
		events[i] = wanted->list[i].event;
	err = dkt_change_events(change, events, wanted->n);
	for (size_t i = 0; !err && i < wanted->n; i++) {
		const struct wanted_event *one = &wanted->list[i];

		if (one->filter)
			err = dkt_change_filter(change, one->event, one->filter);
		if (!err && one->stack)
			err = dkt__with_words(wanted->ctx, add_stack(change, one));
	}
	if (!err && wanted->parts)
		err = add_limits(&wanted->parts->set, change);
	return err;
}
