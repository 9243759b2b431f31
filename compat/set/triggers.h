/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets triggers as a user writes them: on classes, subsystems, globs of events. */
#pragma once

#include "compat/log/debuglog.h"
#include "compat/lustre/message/search.h"
#include "compat/lustre/select.h"

/* The word for the events of Lustre's messages. */
#define TRIGGERS_MESSAGE "message"

/* The result of adding a trigger. */
struct trigger_count {
	size_t added; /* triggers */
	size_t events; /* events that have the triggers */
	size_t lacking; /* events without a field of the condition, or with one of another type */
	char *missed; /* names of the lacking events, separated by ", "; NULL: none */
};

/*
 * Gets the words that select the events of Lustre's messages on this kernel. -ENOENT: Lustre is not
 * loaded, or its messages have no events.
 */
int dkl_triggers_message_events(struct debuglog *log, const char **words);

/* Checks the form of an action, and of the words that it has for its target. -EINVAL: no kernel takes it. */
int dkl_triggers_check_action(struct dkt_ctx *ctx, const char *action);

/*
 * Adds the trigger to each event that the words select, all or nothing. action is in the kernel's
 * language, but the target of enable_event and disable_event may also be words. condition NULL:
 * always. The log must be open for a change. -EEXIST and -EBUSY: one of the events already has such
 * a trigger, or one that excludes it. The caller frees count->missed.
 */
int dkl_triggers_add(struct debuglog *log, const char *words, const char *action,
		     const char *condition, struct trigger_count *count);

/*
 * Adds the trigger to the events of Lustre's messages, for messages that match the search. If an
 * event already has a trigger with that action and count, the trigger then acts on both messages.
 */
int dkl_triggers_add_message(struct debuglog *log, const struct search *search, const char *action,
			     const char *condition, struct trigger_count *count);

/*
 * Like dkl_triggers_add(), but reads "WORDS ACTION [if CONDITION]" into the settings without applying
 * them, and accepts a trigger that already exists.
 */
int dkl_triggers_take(struct debuglog *log, const char *line, struct settings *set);

/*
 * Removes the triggers with that action, and target if one is given; NULL: all. Restores the events
 * that they enabled or disabled, and starts recording if one of them may have stopped it. -ENOENT:
 * no such trigger.
 */
int dkl_triggers_remove(struct debuglog *log, const char *words, const char *action, size_t *n);

/* Restarts the counts of all triggers, and restores the events that they enabled or disabled. */
int dkl_triggers_rearm(struct debuglog *log, size_t *n);
