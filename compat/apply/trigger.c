/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies triggers with the events that they switch, and the recorded threads and CPUs. */
#include "compat/apply/applying.h"
#include "compat/log/debuglog.h"
#include "compat/log/threads.h"
#include "compat/lustre/event_names.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* ---- events that triggers enable or disable ---- */

enum target {
	TARGET_NOW = 1, /* a trigger of the new settings acts on the event */
	TARGET_BEFORE = 2, /* a trigger of the settings before does */
	TARGET_ON = 4, /* the event is enabled */
};

/* An event that the kernel does not list has no place. */
static void mark_target(struct applying *a, const struct dkt_event *event, uint8_t mark)
{
	size_t i = dkt__event_index(event);

	if (i < a->n_events)
		a->targets[i] |= mark;
}

static uint8_t target_marks(const struct applying *a, const struct dkt_event *event)
{
	size_t i = dkt__event_index(event);

	return i < a->n_events ? a->targets[i] : 0;
}

static int mark_targets(struct applying *a, const struct entries *triggers, uint8_t mark)
{
	struct dkt_ctx *ctx = a->log->ctx;
	int err = 0;

	for (size_t i = 0; !err && i < triggers->n; i++) {
		struct dkt_trigger *trigger __cleanup(free) = NULL;
		struct dkt_event *event;

		err = dkt__trigger_parse(ctx, triggers->list[i].text, &trigger);
		event = err || !trigger->target ? NULL : dkl_debuglog_event(ctx, trigger->target);
		if (!event)
			continue;
		mark_target(a, event, mark);
		a->n_targets++;
	}
	return err;
}

static int mark_on(struct applying *a)
{
	const struct dkt__strings *before = &a->log->set.switched;
	struct dkt_event **on __cleanup(free) = NULL;
	size_t n;
	int err;

	/*
	 * A trigger of an interrupted change may have enabled the event, so take the state before
	 * that change.
	 */
	for (size_t i = 0; a->log->interrupted && i < before->n; i++) {
		struct dkt_event *event = dkl_debuglog_event(a->log->ctx, before->list[i]);

		if (event)
			mark_target(a, event, TARGET_ON);
	}
	if (a->log->interrupted)
		return 0;
	err = dkt_instance_get_events(a->log->in, &on, &n);
	for (size_t i = 0; i < n; i++)
		mark_target(a, on[i], TARGET_ON);
	return err;
}

int dkl_applying_targets(struct applying *a)
{
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(a->log->ctx, &all, &n);

	if (err)
		return err;
	a->targets = calloc(n + 1, sizeof(*a->targets));
	if (!a->targets)
		return -ENOMEM;
	a->n_events = n;
	err = mark_targets(a, &a->log->set.triggers, TARGET_BEFORE);
	if (!err)
		err = mark_targets(a, &a->set->triggers, TARGET_NOW);
	return err || !a->n_targets ? err : mark_on(a);
}

bool dkl_applying_is_target(const struct applying *a, const struct dkt_event *event)
{
	return target_marks(a, event) & TARGET_NOW;
}

/* True if the settings before the change select the event. */
static bool wanted_before(const struct applying *a, const struct dkt_event *event)
{
	const struct class_bits *bits = dkl_class_map_event(a->log->map, event);

	return dkl_named_has(&a->before, event, dkl_event_filter_wants_class(bits, &a->log->set));
}

bool dkl_applying_wants(const struct applying *a, const struct dkt_event *event)
{
	const uint8_t both = TARGET_NOW | TARGET_BEFORE;
	uint8_t target = target_marks(a, event);
	bool wanted = dkl_event_filter_wants(&a->filter, event);

	if ((target & both) == both && !a->log->rearm && wanted == wanted_before(a, event))
		return target & TARGET_ON;
	return wanted;
}

/* ---- triggers ---- */

static int add_triggers(struct applying *a)
{
	const struct entries *triggers = &a->set->triggers;
	int err = 0;

	for (size_t i = 0; !err && i < triggers->n; i++) {
		const struct entry *entry = &triggers->list[i];
		struct dkt_event *event = dkl_debuglog_event(a->log->ctx, entry->events);

		/* The event's module may be loaded later. */
		if (!event)
			continue;
		err = dkt_change_trigger(a->change, event, entry->text);
		/* A trigger of the previous settings may not fit any more; it must not block the change. */
		if ((err == -EBUSY || err == -ENOENT || err == -EOPNOTSUPP) &&
		    dkl_entries_have(&a->log->set.triggers, entry))
			err = 0;
	}
	return err;
}

static int remove_triggers(struct applying *a, const struct entries *triggers)
{
	int err = 0;

	for (size_t i = 0; !err && i < triggers->n; i++) {
		const struct entry *entry = &triggers->list[i];
		struct dkt_event *event = dkl_debuglog_event(a->log->ctx, entry->events);

		if (event && (a->log->rearm || !dkl_entries_have(&a->set->triggers, entry)))
			err = dkt_change_no_trigger(a->change, event, entry->text);
	}
	return err;
}

int dkl_applying_triggers(struct applying *a)
{
	int err = remove_triggers(a, &a->log->set.triggers);

	if (!err)
		err = remove_triggers(a, &a->log->set.placed);
	return err ? err : add_triggers(a);
}

bool dkl_applying_sets_clock(const struct applying *a)
{
	const struct entries *triggers = &a->set->triggers;

	for (size_t i = 0; i < triggers->n; i++) {
		const struct entry *entry = &triggers->list[i];

		if (!strncmp(entry->text, "hist:", strlen("hist:")) &&
		    strstr(entry->text, "common_timestamp") &&
		    (a->log->rearm || !dkl_entries_have(&a->log->set.triggers, entry)))
			return true;
	}
	return false;
}

/* Notes the enabled ones of the events that triggers enable or disable before this change. */
static int note_switched(const struct applying *a, struct settings *before)
{
	const uint8_t both = TARGET_BEFORE | TARGET_ON;
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(a->log->ctx, &all, &n);

	if (a->log->interrupted)
		return err;
	dkt__strings_clear(&before->switched);
	for (size_t i = 0; !err && i < n; i++)
		if ((target_marks(a, all[i]) & both) == both)
			err = dkt__strings_take(&before->switched, dkl_event_full_name(all[i]));
	return err;
}

/* True if one of the triggers stops or starts recording. */
static bool has_traceon_or_off(const struct entries *triggers)
{
	for (size_t i = 0; i < triggers->n; i++)
		if (!strncmp(triggers->list[i].text, "traceo", strlen("traceo")))
			return true;
	return false;
}

int dkl_applying_recording(const struct applying *a, const struct settings *before)
{
	struct recording now;
	int err;

	if (!a->log->interrupted || !has_traceon_or_off(&before->placed))
		return 0;
	err = dkl_recording_get(a->log, &now);
	return err || now.on == before->recording ? err :
						    dkl_recording_set(a->log, before->recording);
}

int dkl_applying_note(const struct applying *a, struct settings *before)
{
	const struct entries *triggers = &a->set->triggers;
	int err = note_switched(a, before);

	for (size_t i = 0; !err && i < triggers->n; i++)
		if (!dkl_entries_have(&before->triggers, &triggers->list[i]))
			err = dkl_entries_add(&before->placed, triggers->list[i].events,
					      triggers->list[i].text);
	before->limited |= a->set->threads.n || a->set->cpus;
	return err;
}

/* ---- threads and CPUs ---- */

/*
 * True if the kernel follows the same processes already: its list has grown by their children since, whom the
 * settings do not know. Without its own list the kernel records all.
 */
static bool follows_children(const struct applying *a)
{
	const struct settings *set = a->set, *before = &a->log->set;
	pid_t *pids __cleanup(free) = NULL;
	bool children = false;
	size_t n = 0;

	return set->children && before->children && before->limited &&
	       !dkt__instance_is_new(a->log->in) &&
	       dkl_threads_same(&set->threads, &before->threads) &&
	       !dkt__instance_get_pids(a->log->in, &pids, &n, &children) && n && children;
}

/* Changes nothing if the kernel's lists have never been set. */
int dkl_applying_limits(struct applying *a)
{
	const struct settings *set = a->set;
	int err = 0;

	a->done->limited = set->threads.n || set->cpus;
	if (!a->done->limited && !a->log->set.limited)
		return 0;
	if (!follows_children(a))
		err = dkt_change_pids(a->change, set->threads.list, set->threads.n, set->children);
	return err ? err : dkt_change_cpus(a->change, set->cpus);
}

/* ---- triggers in the kernel ---- */

int dkl_triggers_each(struct debuglog *log, struct dkt_event *const *events, size_t n,
		      int (*fn)(void *data, struct dkt_event *event,
				const struct dkt_trigger *trigger),
		      void *data)
{
	size_t n_triggers;
	int err = 0;

	for (size_t i = 0; !err && log->in && i < n; i++) {
		struct dkt_trigger **triggers __cleanup(free) = NULL;

		err = dkt_instance_get_triggers(log->in, events[i], &triggers, &n_triggers);
		/* Another process may have removed its probe since the events were listed. */
		if (err == -ENOENT) {
			err = 0;
			continue;
		}
		for (size_t j = 0; !err && j < n_triggers; j++)
			err = fn(data, events[i], triggers[j]);
	}
	return err;
}
