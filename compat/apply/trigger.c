/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triggers of a plan, what they switch, and the threads and CPUs that are recorded. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "apply/plan.h"
#include "base/util.h"
#include "log/recording.h"
#include "log/threads.h"

/* ---- what triggers switch ---- */

enum target {
	TARGET_NOW = 1, /* a trigger switches the event */
	TARGET_BEFORE = 2, /* one did so before this change */
	TARGET_ON = 4,
};

static int mark_targets(struct plan *plan, const struct names *triggers, uint8_t mark)
{
	struct dkt_ctx *ctx = plan->log->ctx;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < triggers->n; i++) {
		struct dkt_trigger *trigger __cleanup(free) = NULL;
		struct dkt_event *event;

		err = dkt_trigger_parse(ctx, settings_rest(triggers->list[i]), &trigger);
		event = err || !trigger->target ? NULL : debuglog_event(ctx, trigger->target);
		if (!event)
			continue;
		plan->targets[dkt_event_index(event)] |= mark;
		plan->n_targets++;
	}
	return err;
}

static int mark_on(struct plan *plan)
{
	const struct names *before = &plan->log->set.switched;
	struct dkt_event **on __cleanup(free) = NULL;
	size_t n, i;
	int err;

	/* A trigger of the change that was killed may have switched what an older one switches, too. */
	for (i = 0; plan->log->interrupted && i < before->n; i++) {
		struct dkt_event *event = debuglog_event(plan->log->ctx, before->list[i]);

		if (event)
			plan->targets[dkt_event_index(event)] |= TARGET_ON;
	}
	if (plan->log->interrupted)
		return 0;
	err = dkt_instance_get_events(plan->log->in, &on, &n);
	for (i = 0; i < n; i++)
		plan->targets[dkt_event_index(on[i])] |= TARGET_ON;
	return err;
}

int plan_targets(struct plan *plan)
{
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(plan->log->ctx, &all, &n);

	if (err)
		return err;
	plan->targets = calloc(n + 1, sizeof(*plan->targets));
	if (!plan->targets)
		return -ENOMEM;
	err = mark_targets(plan, &plan->log->set.triggers, TARGET_BEFORE);
	if (!err)
		err = mark_targets(plan, &plan->set->triggers, TARGET_NOW);
	return err || !plan->n_targets ? err : mark_on(plan);
}

bool plan_is_target(const struct plan *plan, const struct dkt_event *event)
{
	return plan->targets[dkt_event_index(event)] & TARGET_NOW;
}

bool plan_wants(const struct plan *plan, const struct dkt_event *event)
{
	const uint8_t both = TARGET_NOW | TARGET_BEFORE;
	const struct class_bits *bits = class_map_event(plan->log->map, event);
	uint8_t target = plan->targets[dkt_event_index(event)];
	bool wanted = event_filter_wants(bits, plan->set);

	if ((target & both) == both && !plan->log->rearm &&
	    wanted == event_filter_wants(bits, &plan->log->set))
		return target & TARGET_ON;
	return wanted;
}

/* ---- triggers ---- */

/* The event of a line of the settings; NULL: this kernel has it not, for now. */
static struct dkt_event *event_of(struct dkt_ctx *ctx, const char *line)
{
	char *name __cleanup(free) = strndup(line, strcspn(line, " "));

	return name ? debuglog_event(ctx, name) : NULL;
}

static int add_triggers(struct plan *plan)
{
	const struct names *lines = &plan->set->triggers;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < lines->n; i++) {
		const char *line = lines->list[i];
		struct dkt_event *event = event_of(plan->log->ctx, line);

		if (!event)
			continue;
		err = dkt_change_trigger(plan->change, event, settings_rest(line));
		/* What was set before does not stand in the way of what is set now. */
		if ((err == -EBUSY || err == -ENOENT || err == -EOPNOTSUPP) &&
		    names_has(&plan->log->set.triggers, line))
			err = 0;
	}
	return err;
}

static int drop_triggers(struct plan *plan, const struct names *lines)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < lines->n; i++) {
		struct dkt_event *event = event_of(plan->log->ctx, lines->list[i]);

		if (event && (plan->log->rearm || !names_has(&plan->set->triggers, lines->list[i])))
			err = dkt_change_no_trigger(plan->change, event,
						    settings_rest(lines->list[i]));
	}
	return err;
}

int plan_triggers(struct plan *plan)
{
	int err = drop_triggers(plan, &plan->log->set.triggers);

	if (!err)
		err = drop_triggers(plan, &plan->log->set.placed);
	return err ? err : add_triggers(plan);
}

/* Which of the events that triggers switched up to now are on. */
static int note_switched(const struct plan *plan, struct settings *before)
{
	const uint8_t both = TARGET_BEFORE | TARGET_ON;
	struct dkt_event *const *all;
	size_t n, i;
	int err = dkt_events(plan->log->ctx, &all, &n);

	if (plan->log->interrupted)
		return err;
	names_clear(&before->switched);
	for (i = 0; !err && i < n; i++) {
		char *name __cleanup(free) = NULL;

		if ((plan->targets[i] & both) != both)
			continue;
		if (asprintf(&name, "%s:%s", dkt_event_system(all[i]), dkt_event_name(all[i])) < 0)
			name = NULL;
		err = name ? names_add(&before->switched, name) : -ENOMEM;
	}
	return err;
}

/* Whether one of the triggers stops or starts the log. */
static bool has_stop(const struct names *lines)
{
	size_t i;

	for (i = 0; i < lines->n; i++)
		if (!strncmp(settings_rest(lines->list[i]), "traceo", strlen("traceo")))
			return true;
	return false;
}

int plan_recording(const struct plan *plan, const struct settings *before)
{
	struct recording now;
	int err;

	if (!plan->log->interrupted || !has_stop(&before->placed))
		return 0;
	err = recording_get(plan->log, &now);
	return err || now.on == before->recording ? err :
						    recording_set(plan->log, before->recording);
}

int plan_note(const struct plan *plan, struct settings *before)
{
	const struct names *lines = &plan->set->triggers;
	size_t i;
	int err = note_switched(plan, before);

	for (i = 0; !err && i < lines->n; i++)
		if (!names_has(&before->triggers, lines->list[i]))
			err = names_add(&before->placed, lines->list[i]);
	before->limited |= plan->set->pids || plan->set->cpus;
	return err;
}

/* ---- threads and CPUs ---- */

static int plan_pids(struct plan *plan)
{
	pid_t *pids __cleanup(free) = NULL;
	size_t n = 0;
	int err = 0;

	if (plan->set->pids)
		err = threads_numbers(plan->log->ctx, plan->set->pids, &pids, &n);
	return err ? err : dkt_change_pids(plan->change, pids, n, plan->set->children);
}

/* What was never limited is left alone. */
int plan_limits(struct plan *plan)
{
	const struct settings *before = &plan->log->set;
	int err;

	plan->done->limited = plan->set->pids || plan->set->cpus;
	if (!plan->done->limited && !before->limited)
		return 0;
	err = plan_pids(plan);
	return err ? err : dkt_change_cpus(plan->change, plan->set->cpus);
}

/* ---- what the kernel has ---- */

int triggers_each(struct debuglog *log, struct dkt_event *const *events, size_t n,
		  int (*fn)(void *data, struct dkt_event *event, const struct dkt_trigger *trigger),
		  void *data)
{
	size_t n_triggers, i, j;
	int err = 0;

	for (i = 0; !err && log->in && i < n; i++) {
		struct dkt_trigger *triggers __cleanup(free) = NULL;

		err = dkt_instance_get_triggers(log->in, events[i], &triggers, &n_triggers);
		for (j = 0; !err && j < n_triggers; j++)
			err = fn(data, events[i], &triggers[j]);
	}
	return err;
}
