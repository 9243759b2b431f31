/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets and removes triggers, as steps of a change. */
#include "instance/trigger.h"
#include "base/guess.h"
#include "change.h"
#include "event.h"
#include "instance.h"
#include "tracefs.h"

/* ---- whether it can be had, found before anything is touched ---- */

/* NULL: this kernel has no such event. */
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

/* The first of the event's triggers that is the same, or excludes it. */
static int check_others(struct dkt_instance *in, const struct dkt_event *event,
			const struct dkt_trigger *trigger, const char *text)
{
	struct dkt_trigger **there __cleanup(free) = NULL;
	size_t n;
	int err = dkt__with_words(in->ctx, dkt__triggers_parse(text, &there, &n));

	for (size_t i = 0; !err && i < n; i++) {
		if (dkt_trigger_same(trigger, there[i]))
			return dkt_fail(in->ctx, -EEXIST, "%s:%s has this trigger already: %s",
					event->system, event->name, there[i]->text);
		if (dkt__trigger_excludes(trigger, there[i]))
			return dkt_fail(
				in->ctx, -EBUSY,
				"%s:%s has the trigger '%s', and the kernel keeps one of %s "
				"and %s for %s",
				event->system, event->name, there[i]->text, trigger->action,
				there[i]->action, trigger->target ? trigger->target : "an event");
	}
	return err;
}

/*
 * Whether the kernel has it. The file of an event that has triggers does not say so, that of the top
 * instance, where few put any, then may.
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

int dkt_instance_check_trigger(struct dkt_instance *in, struct dkt_event *event, const char *text)
{
	dkt__needs(in ? in->ctx : NULL, in && event && text);

	struct dkt_trigger *trigger __cleanup(free) = NULL;
	int err = dkt_trigger_parse(in->ctx, text, &trigger);

	return err ? err : check(in, event, trigger);
}

/* ---- steps ---- */

/* Takes its trigger over. */
static int add_step(struct dkt_change *change, struct dkt__trigger_step *step)
{
	step->target = find_target(change->in->ctx, step->trigger);
	return dkt__with_words(change->in->ctx,
			       dkt__append(change->triggers, change->n_triggers, *step));
}

/* Whether the change removes what excludes it. */
static bool makes_room(const struct dkt_change *change, const struct dkt_event *event,
		       const struct dkt_trigger *trigger)
{
	for (size_t i = 0; i < change->n_triggers; i++) {
		const struct dkt__trigger_step *step = &change->triggers[i];

		if (!step->add && step->event == event &&
		    (dkt_trigger_same(step->trigger, trigger) ||
		     dkt__trigger_excludes(step->trigger, trigger)))
			return true;
	}
	return false;
}

int dkt_change_trigger(struct dkt_change *change, struct dkt_event *event, const char *text)
{
	dkt__needs(change ? change->in->ctx : NULL, change && event && text);

	struct dkt__trigger_step step = { .event = event, .add = true };
	int err = dkt_trigger_parse(change->in->ctx, text, &step.trigger);

	if (!err)
		err = check(change->in, event, step.trigger);
	if (err == -EBUSY || err == -EEXIST)
		err = makes_room(change, event, step.trigger) ? 0 : err;
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
	int err = dkt_trigger_parse(change->in->ctx, text, &step.trigger);

	if (!err)
		err = add_step(change, &step);
	if (err)
		free(step.trigger);
	return err;
}

/* A removed trigger may have to be restored as it was, with the rest of its count. */
static int remove_one(struct dkt_change *change, struct dkt__trigger_step *step)
{
	struct dkt_trigger **there __cleanup(free) = NULL;
	struct dkt_trigger *was;
	size_t n;
	int err = dkt_instance_get_triggers(change->in, step->event, &there, &n);

	for (size_t i = 0; !err && i < n; i++) {
		if (!dkt_trigger_same(step->trigger, there[i]))
			continue;
		err = dkt_trigger_parse(change->in->ctx, there[i]->text, &was);
		if (err)
			return err;
		free(step->trigger);
		step->trigger = was;
		err = dkt__trigger_remove(change->in, step->event, was);
		step->done = !err;
		return err;
	}
	return err;
}

/* First what makes room for others, the last one first: its variables may be those of one before it. */
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
