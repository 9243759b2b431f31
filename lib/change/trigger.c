/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets and removes triggers, as steps of a change. */
#include "lib/instance/trigger.h"
#include "lib/base/guess.h"
#include "lib/change.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/tracefs.h"

/* ---- checks before the first change ---- */

/* NULL: the trigger has no target, or this kernel has no such event. */
static struct dkt_event *find_target(struct dkt_ctx *ctx, const struct dkt_trigger *trigger)
{
	const char *colon = trigger->target ? strchr(trigger->target, ':') : NULL;
	char *system __cleanup(free) = NULL;

	if (!colon)
		return NULL;
	system = strndup(trigger->target, (size_t)(colon - trigger->target));
	return system ? dkt_event_find(ctx, system, colon + 1) : NULL;
}

static int check_target(struct dkt_instance *in, const struct dkt_trigger *trigger)
{
	struct dkt__guess guess;

	if (!trigger->target || find_target(in->ctx, trigger))
		return 0;
	dkt__guess_start(&guess, trigger->target, strlen(trigger->target));
	dkt__guess_events(&guess, in->ctx);
	return dkt_fail(in->ctx, -ENOENT, "%s: this kernel has no event %s%s", trigger->action,
			trigger->target, dkt__guess_words(&guess));
}

static int read_file(struct dkt_instance *in, const struct dkt_event *event, char **text)
{
	return dkt__tfs_read(in->ctx, text, NULL, "%sevents/%s/%s/trigger", in->prefix,
			     event->system, event->name);
}

/* -EEXIST: the event already has the trigger; -EBUSY: it has one that excludes it. */
static int check_others(struct dkt_instance *in, const struct dkt_event *event,
			const struct dkt_trigger *trigger, const char *text)
{
	struct dkt_trigger **existing __cleanup(free) = NULL;
	size_t n;
	int err = dkt__with_words(in->ctx, dkt__triggers_parse(text, &existing, &n));

	for (size_t i = 0; !err && i < n; i++) {
		if (dkt__trigger_same(trigger, existing[i]))
			return dkt_fail(in->ctx, -EEXIST, "%s:%s has this trigger already: %s",
					event->system, event->name, existing[i]->text);
		if (dkt__trigger_excludes(trigger, existing[i]))
			return dkt_fail(
				in->ctx, -EBUSY,
				"%s:%s has the trigger '%s', and the kernel keeps one of %s "
				"and %s for %s",
				event->system, event->name, existing[i]->text, trigger->action,
				existing[i]->action,
				trigger->target ? trigger->target : "an event");
	}
	return err;
}

/*
 * Fails if this kernel lacks the action. A trigger file lists the actions only while it has no
 * triggers, so also look at the top instance's file, which rarely has any.
 */
static int check_offered(struct dkt_instance *in, const struct dkt_event *event,
			 const struct dkt_trigger *trigger, const char *text)
{
	char *top __cleanup(free) = NULL;
	int err = dkt__tfs_read(in->ctx, &top, NULL, "events/%s/%s/trigger", event->system,
				event->name);

	if (dkt__trigger_offered(text, trigger->action) &&
	    (err || dkt__trigger_offered(top, trigger->action)))
		return 0;
	return dkt_fail(in->ctx, -EOPNOTSUPP, "this kernel has no trigger '%s'", trigger->action);
}

static int check(struct dkt_instance *in, const struct dkt_event *event,
		 const struct dkt_trigger *trigger)
{
	char *text __cleanup(free) = NULL;
	int err = check_target(in, trigger);

	if (!err)
		err = read_file(in, event, &text);
	if (!err)
		err = check_others(in, event, trigger, text);
	return err ? err : check_offered(in, event, trigger, text);
}

int dkt__instance_check_trigger(struct dkt_instance *in, struct dkt_event *event, const char *text)
{
	dkt__needs(in ? in->ctx : NULL, in && event && text);

	struct dkt_trigger *trigger __cleanup(free) = NULL;
	int err = dkt__trigger_parse(in->ctx, text, &trigger);

	return err ? err : check(in, event, trigger);
}

/* ---- steps ---- */

/* Takes ownership of the step's trigger. */
static int add_step(struct dkt_change *change, struct dkt__trigger_step *step)
{
	step->target = find_target(change->in->ctx, step->trigger);
	return dkt__with_words(change->in->ctx,
			       dkt__append(change->triggers, change->n_triggers, *step));
}

/* True if the change removes the same trigger from the event, or one that excludes it. */
static bool removes_conflict(const struct dkt_change *change, const struct dkt_event *event,
			     const struct dkt_trigger *trigger)
{
	for (size_t i = 0; i < change->n_triggers; i++) {
		const struct dkt__trigger_step *step = &change->triggers[i];

		if (!step->add && step->event == event &&
		    (dkt__trigger_same(step->trigger, trigger) ||
		     dkt__trigger_excludes(step->trigger, trigger)))
			return true;
	}
	return false;
}

int dkt_change_trigger(struct dkt_change *change, struct dkt_event *event, const char *text)
{
	dkt__needs(change ? change->in->ctx : NULL, change && event && text);

	struct dkt__trigger_step step = { .event = event, .add = true };
	int err = dkt__trigger_parse(change->in->ctx, text, &step.trigger);

	if (!err)
		err = check(change->in, event, step.trigger);
	if (err == -EBUSY || err == -EEXIST)
		err = removes_conflict(change, event, step.trigger) ? 0 : err;
	if (!err || err == -EEXIST) {
		int later = dkt__stops_add(&change->stops, event, step.trigger, !err);

		err = later ? later : err;
	}
	if (!err)
		err = add_step(change, &step);
	if (err)
		free(step.trigger);
	return err == -EEXIST ? 0 : err;
}

int dkt_change_no_trigger(struct dkt_change *change, struct dkt_event *event, const char *text)
{
	dkt__needs(change ? change->in->ctx : NULL, change && event && text);

	struct dkt__trigger_step step = { .event = event };
	int err = dkt__trigger_parse(change->in->ctx, text, &step.trigger);

	if (!err)
		err = add_step(change, &step);
	if (err)
		free(step.trigger);
	return err;
}

/* Stores the removed trigger with the rest of its count, so that undo can restore it. */
static int remove_one(struct dkt_change *change, struct dkt__trigger_step *step)
{
	struct dkt_trigger **existing __cleanup(free) = NULL;
	struct dkt_trigger *old;
	size_t n;
	int err = dkt_instance_get_triggers(change->in, step->event, &existing, &n);

	for (size_t i = 0; !err && i < n; i++) {
		if (!dkt__trigger_same(step->trigger, existing[i]))
			continue;
		err = dkt__trigger_parse(change->in->ctx, existing[i]->text, &old);
		if (err)
			return err;
		free(step->trigger);
		step->trigger = old;
		err = dkt__trigger_remove(change->in, step->event, old);
		step->done = !err;
		return err;
	}
	return err;
}

/*
 * Removes triggers before it adds others that they exclude. Removes the last one first: it may
 * use the variables of a histogram before it.
 */
int dkt__triggers_apply(struct dkt_change *change)
{
	int err = 0;

	for (size_t i = change->n_triggers; !err && i-- > 0;)
		if (!change->triggers[i].add)
			err = remove_one(change, &change->triggers[i]);
	for (size_t i = 0; !err && i < change->n_triggers; i++) {
		struct dkt__trigger_step *step = &change->triggers[i];

		if (!step->add)
			continue;
		err = dkt__trigger_add(change->in, step->event, step->trigger);
		step->done = !err;
	}
	return err;
}

int dkt__triggers_undo(struct dkt_change *change)
{
	int err = 0, one;

	for (size_t i = change->n_triggers; i-- > 0;) {
		struct dkt__trigger_step *step = &change->triggers[i];

		if (!step->done || !step->add)
			continue;
		one = dkt__trigger_remove(change->in, step->event, step->trigger);
		err = one ? one : err;
	}
	for (size_t i = 0; i < change->n_triggers; i++) {
		struct dkt__trigger_step *step = &change->triggers[i];

		if (!step->done || step->add)
			continue;
		one = dkt__trigger_add(change->in, step->event, step->trigger);
		err = one ? one : err;
	}
	return err;
}

void dkt__triggers_free(struct dkt_change *change)
{
	for (size_t i = 0; i < change->n_triggers; i++)
		free(change->triggers[i].trigger);
	free(change->triggers);
}
