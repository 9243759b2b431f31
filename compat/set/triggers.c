/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets triggers as a user writes them: on classes, subsystems, globs of events. */
#include "compat/set/triggers.h"
#include "compat/apply/apply.h"

#include <ctype.h>

#include "compat/apply/rules.h"
#include "compat/log/debuglog.h"
#include "compat/lustre/event_names.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* Each trigger slows its event down; more than that must be a mistake. */
#define MAX_TRIGGERS 10000

/* The trigger that is being added. */
struct adding {
	struct debuglog *log;
	struct dkt__strings actions; /* one for each target, without the condition */
	struct dkt_expr *condition; /* NULL: none */
	const struct search *search; /* the text of messages; NULL: any */
	struct select *select;
	struct settings *set;
	bool keep; /* accept a trigger that already exists */
	struct trigger_count *count;
	FILE *missed;
};

/* ---- actions ---- */

/* Returns the length of the word before the target. */
static size_t verb_len(const char *action)
{
	return strcspn(action, ":");
}

static bool is_verb(const char *action, const char *verb)
{
	return verb_len(action) == strlen(verb) && !strncmp(action, verb, strlen(verb));
}

static bool has_target(const char *action)
{
	return is_verb(action, "enable_event") || is_verb(action, "disable_event") ||
	       is_verb(action, "enable_hist") || is_verb(action, "disable_hist");
}

/* Returns the position of ":5" at the end, or the end. */
static const char *count_of(const char *action)
{
	const char *colon = strrchr(action, ':');
	const char *p = colon ? colon + 1 : "x";

	while (isdigit((unsigned char)*p))
		p++;
	return *p || p == colon + 1 ? action + strlen(action) : colon;
}

/* Gets the WORDS of "enable_event:WORDS:5"; the caller frees them. */
static int target_words(struct dkt_ctx *ctx, const char *action, char **words)
{
	const char *from = action + verb_len(action), *count = count_of(action);

	*words = NULL;
	if (*from != ':' || count <= from + 1)
		return dkt_fail(ctx, -EINVAL, "%.*s needs an event: %.*s:SYSTEM:EVENT",
				(int)verb_len(action), action, (int)verb_len(action), action);
	*words = strndup(from + 1, (size_t)(count - from - 1));
	return *words ? 0 : -ENOMEM;
}

int dkl_triggers_check_action(struct dkt_ctx *ctx, const char *action)
{
	struct dkt_trigger *trigger __cleanup(free) = NULL;
	char *words __cleanup(free) = NULL;
	int err;

	if (!has_target(action))
		return dkt__trigger_parse(ctx, action, &trigger) == -EINVAL ? -EINVAL : 0;
	err = target_words(ctx, action, &words);
	return err ? err : dkl_select_check_words(ctx, words);
}

/* Adds the action for each event that its words select. */
static int add_targets(struct adding *adding, const char *action)
{
	struct dkt_ctx *ctx = adding->log->ctx;
	const char *count = count_of(action);
	char *words __cleanup(free) = NULL;
	struct dkt_event *const *events;
	struct select *targets = NULL;
	size_t n;
	int err = target_words(ctx, action, &words);

	if (!err)
		err = dkl_select_new(ctx, adding->log->map, words, &targets);
	if (!err)
		err = dkl_select_check(ctx, targets);
	events = err ? NULL : dkl_select_events(targets, &n);
	for (size_t i = 0; !err && i < n; i++) {
		char *text = dkt__format("%.*s:%s:%s%s", (int)verb_len(action), action,
					 dkt_event_system(events[i]), dkt_event_name(events[i]),
					 count);

		err = dkt__strings_take(&adding->actions, text);
	}
	dkl_select_free(targets);
	return err;
}

/* A condition must be given with --filter, where dktrace checks it. */
static int read_action(struct adding *adding, const char *action)
{
	struct dkt_trigger *trigger __cleanup(free) = NULL;
	int err;

	if (strstr(action, " if "))
		return dkt_fail(adding->log->ctx, -EINVAL,
				"give the condition with --filter, not in '%.200s'", action);
	err = has_target(action) ? add_targets(adding, action) :
				   dkt__strings_add(&adding->actions, action);
	return err ? err : dkt__trigger_parse(adding->log->ctx, adding->actions.list[0], &trigger);
}

/* ---- entries of the settings ---- */

/* Returns the index of the event's trigger that dkt__trigger_same() equates; triggers->n: none. */
static size_t find_same(struct dkt_ctx *ctx, const struct entries *triggers,
			const struct dkt_event *event, const struct dkt_trigger *trigger)
{
	char *name __cleanup(free) = dkl_event_full_name(event);

	for (size_t i = 0; name && i < triggers->n; i++) {
		struct dkt_trigger *one __cleanup(free) = NULL;

		if (!strcmp(triggers->list[i].events, name) &&
		    !dkt__trigger_parse(ctx, triggers->list[i].text, &one) &&
		    dkt__trigger_same(one, trigger))
			return i;
	}
	return triggers->n;
}

/* ---- adding ---- */

/* Builds the condition for the event; NULL: none. -ENOENT, -EINVAL: the event lacks a field. */
static int condition_for(struct adding *adding, struct dkt_event *event, char **filter)
{
	struct conditions all = { 0 };
	char *belongs __cleanup(free) = NULL;
	char *text __cleanup(free) = NULL;
	char *found __cleanup(free) = NULL;
	int err = adding->condition ? dkt_expr_check(adding->condition, event) : 0;

	*filter = NULL;
	if (!err && adding->condition)
		err = dkt_expr_text(adding->condition, event, &text);
	if (!err)
		err = dkl_select_condition(adding->select, event, &belongs);
	if (!err)
		err = dkl_conditions_add(&all, belongs);
	if (!err && text)
		err = dkl_conditions_add(&all, text);
	if (!err && adding->search)
		err = dkl_search_condition(adding->search, event, &found);
	if (!err && found)
		err = dkl_conditions_add(&all, found);
	*filter = all.text;
	return err;
}

/*
 * An event can have only one trigger with an action. If it has one, replaces it by a trigger that
 * acts on the messages of both, and stores that in *text. False: no trigger of the event fits.
 */
static bool join(struct adding *adding, struct dkt_event *event, const struct dkt_trigger *trigger,
		 char **text)
{
	struct entries *entries = &adding->set->triggers;
	size_t i = find_same(adding->log->ctx, entries, event, trigger);
	struct dkt_trigger *there __cleanup(free) = NULL;
	char *joined;

	if (i == entries->n ||
	    dkt__trigger_parse(adding->log->ctx, entries->list[i].text, &there) ||
	    there->left != trigger->left || !there->filter || !trigger->filter)
		return false;
	/* The trigger already acts on these messages. */
	if (strstr(there->filter, trigger->filter))
		joined = strdup(there->text);
	else
		joined = dkt__format("%.*s if (%s) || (%s)", (int)(strstr(*text, " if ") - *text),
				     *text, there->filter, trigger->filter);
	if (!joined)
		return false;
	dkl_entries_remove(entries, i);
	free(*text);
	*text = joined;
	return true;
}

/* For a histogram of times the kernel sets the instance's clock, by default to 'global'. */
static const char *clock_of(const char *action)
{
	bool times = is_verb(action, "hist") && strstr(action, "common_timestamp");

	return times && !strstr(action, ":clock=") ? ":clock=" DEBUGLOG_CLOCK : "";
}

static int add_one(struct adding *adding, struct dkt_event *event, const char *action,
		   const char *filter)
{
	struct debuglog *log = adding->log;
	struct dkt_trigger *trigger __cleanup(free) = NULL;
	char *text __cleanup(free) = NULL;
	char *name __cleanup(free) = dkl_event_full_name(event);
	const char *stored;
	bool joined;
	int err;

	if (adding->count->added++ >= MAX_TRIGGERS)
		return dkt_fail(log->ctx, -E2BIG, "the limit is %d triggers", MAX_TRIGGERS);
	text = dkt__format("%s%s%s%s", action, clock_of(action), filter ? " if " : "",
			   filter ? filter : "");
	if (!name || !text)
		return -ENOMEM;
	err = dkt__trigger_parse(log->ctx, text, &trigger);
	if (err)
		return err;
	joined = adding->search && join(adding, event, trigger, &text);
	stored = joined ? text : trigger->text;
	if (adding->keep &&
	    dkl_entries_find(&adding->set->triggers, name, stored) < adding->set->triggers.n)
		return 0;
	err = log->in && !joined ? dkt__instance_check_trigger(log->in, event, text) : 0;
	return err ? err : dkl_entries_add(&adding->set->triggers, name, stored);
}

/*
 * A probe inside a function is a breakpoint, in which the kernel cannot take a snapshot; it does not
 * report an error.
 */
static int check_snapshot(struct adding *adding, const struct dkt_event *event)
{
	if (!dkl_cdebug_is_at_call(dkt_event_name(event)) ||
	    !is_verb(adding->actions.list[0], "snapshot"))
		return 0;
	return dkt_fail(
		adding->log->ctx, -EOPNOTSUPP,
		"message: the kernel cannot take a snapshot at a probe inside a function, such as"
		" %s:%s; use traceoff",
		CDEBUG_GROUP, CDEBUG_NESTED);
}

static int add_event(struct adding *adding, struct dkt_event *event)
{
	char *filter __cleanup(free) = NULL;
	int err = condition_for(adding, event, &filter);

	if (err == -ENOENT || err == -EINVAL) {
		fprintf(adding->missed, "%s%s:%s", adding->count->lacking++ ? ", " : "",
			dkt_event_system(event), dkt_event_name(event));
		return 0;
	}
	if (!err && adding->search)
		err = check_snapshot(adding, event);
	for (size_t i = 0; !err && i < adding->actions.n; i++)
		err = add_one(adding, event, adding->actions.list[i], filter);
	adding->count->events += !err;
	return err;
}

static int add_all(struct adding *adding)
{
	struct dkt_event *const *events;
	size_t n;
	int err = dkl_select_check(adding->log->ctx, adding->select);

	events = dkl_select_events(adding->select, &n);
	for (size_t i = 0; !err && i < n; i++)
		err = add_event(adding, events[i]);
	/* Report the error of the first event. */
	if (!err && !adding->count->events)
		err = dkt_expr_check(adding->condition, events[0]);
	return err;
}

static int add_clear(struct adding *adding, int err)
{
	if (adding->missed && fclose(adding->missed) && !err)
		err = -ENOMEM;
	dkt__strings_clear(&adding->actions);
	dkt_expr_free(adding->condition);
	dkl_select_free(adding->select);
	return err;
}

/* Adds the trigger to adding->set. */
static int add_to(struct adding *adding, const char *words, const char *action,
		  const char *condition)
{
	struct debuglog *log = adding->log;
	size_t len;
	int err = dkl_debuglog_map(log);

	*adding->count = (struct trigger_count){ 0 };
	adding->missed = open_memstream(&adding->count->missed, &len);
	if (!adding->missed)
		return -ENOMEM;
	if (!err)
		err = dkl_select_new(log->ctx, log->map, words, &adding->select);
	if (!err)
		err = read_action(adding, action);
	if (!err && condition)
		err = dkl_mask_expr(log->ctx, condition, &adding->condition);
	if (!err)
		err = add_all(adding);
	return add_clear(adding, err);
}

static int add_and_apply(struct adding *adding, const char *words, const char *action,
			 const char *condition)
{
	struct settings set __cleanup(settings) = { 0 };
	int err = dkl_settings_copy(&set, &adding->log->set);

	*adding->count = (struct trigger_count){ 0 };
	if (err)
		return err;
	adding->set = &set;
	err = add_to(adding, words, action, condition);
	return err ? err : dkl_debuglog_apply(adding->log, &set, NULL);
}

int dkl_triggers_add(struct debuglog *log, const char *words, const char *action,
		     const char *condition, struct trigger_count *count)
{
	struct adding adding = { .log = log, .count = count };

	return add_and_apply(&adding, words, action, condition);
}

/* ---- messages of Lustre ---- */

int dkl_triggers_message_events(struct debuglog *log, const char **words)
{
	*words = NULL;
	if (dkt_event_find(log->ctx, "lustre_debug", "lustre_debug_msg"))
		*words = "lustre_debug:lustre_debug_msg";
	else if (dkt_event_find(log->ctx, CDEBUG_GROUP, CDEBUG_NAME))
		*words = CDEBUG_GROUP ":" CDEBUG_NAME "*";
	return *words ?
		       0 :
		       dkt_fail(log->ctx, -ENOENT,
				"message: Lustre's messages have no events yet; load Lustre first");
}

int dkl_triggers_add_message(struct debuglog *log, const struct search *search, const char *action,
			     const char *condition, struct trigger_count *count)
{
	struct adding adding = { .log = log, .count = count, .search = search };
	const char *words;
	int err;

	*count = (struct trigger_count){ 0 };
	err = dkl_triggers_message_events(log, &words);
	return err ? err : add_and_apply(&adding, words, action, condition);
}

int dkl_triggers_take(struct debuglog *log, const char *line, struct settings *set)
{
	struct trigger_count count;
	struct adding adding = { .log = log, .count = &count, .set = set, .keep = true };
	char *words __cleanup(free) = strdup(line);
	char *action, *condition;
	int err;

	if (!words)
		return -ENOMEM;
	action = words + strcspn(words, " \t");
	if (*action)
		*action++ = '\0';
	action += strspn(action, " \t");
	/* A saved trigger: its condition may be one that add_to() would extend. */
	if (dkl_entries_find(&set->triggers, words, action) < set->triggers.n)
		return 0;
	if (!*action)
		return dkt_fail(log->ctx, -EINVAL, "expected EVENTS ACTION [if EXPR]");
	condition = strstr(action, " if ");
	if (condition) {
		*condition = '\0';
		condition += strlen(" if ");
	}
	action[strcspn(action, " \t")] = '\0';
	err = add_to(&adding, words, action, condition);
	free(count.missed);
	return err;
}

/* ---- removing ---- */

struct removing {
	struct debuglog *log;
	struct settings *set;
	const char *action; /* NULL: all */
	size_t n;
	bool stopping; /* one of them stops the recording */
};

/* Accepts "traceoff", "enable_event", "enable_event:sched:sched_switch", also with a count. */
static bool is_selected(const char *action, const struct dkt_trigger *trigger)
{
	const char *target = action ? action + verb_len(action) : "";
	size_t len;

	if (!action)
		return true;
	if (!is_verb(action, trigger->action))
		return false;
	if (!*target || !strcmp(trigger->action, "hist"))
		return true;
	len = (size_t)(count_of(action) - target);
	return len < 2 || (trigger->target && strlen(trigger->target) == len - 1 &&
			   !strncmp(trigger->target, target + 1, len - 1));
}

/* Notes a trigger of another program in the current settings, so that a failed change restores it. */
static int adopt(struct debuglog *log, const struct dkt_event *event,
		 const struct dkt_trigger *trigger)
{
	char *name __cleanup(free) = dkl_event_full_name(event);

	return name ? dkl_entries_add(&log->set.triggers, name, trigger->text) : -ENOMEM;
}

static int remove_one(void *data, struct dkt_event *event, const struct dkt_trigger *trigger)
{
	struct removing *removing = data;
	struct entries *entries = &removing->set->triggers;
	size_t i;

	if (!is_selected(removing->action, trigger))
		return 0;
	removing->n++;
	removing->stopping |= !strcmp(trigger->action, "traceoff");
	i = find_same(removing->log->ctx, entries, event, trigger);
	if (i == entries->n)
		return adopt(removing->log, event, trigger);
	dkl_entries_remove(entries, i);
	return 0;
}

int dkl_triggers_remove(struct debuglog *log, const char *words, const char *action, size_t *n)
{
	struct select *select = NULL;
	struct settings set __cleanup(settings) = { 0 };
	struct removing removing = { .log = log, .set = &set, .action = action };
	struct dkt_event *const *events;
	size_t n_events;
	int err = dkl_debuglog_map(log);

	*n = 0;
	if (!err)
		err = dkl_settings_copy(&set, &log->set);
	if (!err)
		err = dkl_select_new(log->ctx, log->map, words, &select);
	if (!err)
		err = dkl_select_check(log->ctx, select);
	events = err ? NULL : dkl_select_events(select, &n_events);
	if (!err)
		err = dkl_triggers_each(log, events, n_events, remove_one, &removing);
	if (!err && !removing.n)
		err = dkt_fail(log->ctx, -ENOENT, "no trigger%s%s is set on '%s'",
			       action ? " " : "", action ? action : "", words);
	if (!err)
		err = dkl_debuglog_apply(log, &set, NULL);
	if (!err && removing.stopping)
		err = dkl_recording_set(log, true);
	*n = removing.n;
	dkl_select_free(select);
	return err;
}

/* ---- rearming ---- */

int dkl_triggers_rearm(struct debuglog *log, size_t *n)
{
	int err = dkl_debuglog_map(log);

	*n = log->set.triggers.n;
	if (!err && !*n)
		err = dkt_fail(log->ctx, -ENOENT, "dktrace has set no trigger");
	if (err)
		return err;
	log->rearm = true;
	err = dkl_debuglog_reapply(log);
	log->rearm = false;
	return err ? err : dkl_recording_set(log, true);
}
