/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets triggers as a user writes them: on classes, subsystems, globs of events. */
#pragma once

#include "log/debuglog.h"
#include "lustre/message/search.h"
#include "lustre/select.h"

/* Stands for the events of Lustre's messages. */
#define TRIGGERS_MESSAGE "message"

/* The result of adding a trigger. */
struct trigger_count {
	size_t added; /* triggers */
	size_t events; /* that have them */
	size_t lacking; /* that lack a field of the condition, or whose field does not fit */
	char *missed; /* names of those, ", " between; NULL: none */
};

/*
 * The words for the events of Lustre's messages on this kernel. -ENOENT: Lustre is not loaded, or
 * its messages have no events.
 */
int triggers_message_events(struct debuglog *log, const char **words);

/*
 * Puts the trigger on each event of the words; action as the kernel has it, but what an
 * enable_event or disable_event is about may also be words. condition NULL: always. The log is
 * open for a change. -EEXIST and -EBUSY: one of the events has such a trigger, or one that excludes
 * it; nothing is changed. The caller frees count->missed.
 */
int triggers_add(struct debuglog *log, const char *words, const char *action, const char *condition,
		 struct trigger_count *count);

/*
 * Puts the trigger on the events of Lustre's messages, for those that have what was searched for.
 * Where one of them has a trigger of that action and count already, it acts on the messages of both.
 */
int triggers_add_message(struct debuglog *log, const struct search *search, const char *action,
			 const char *condition, struct trigger_count *count);

/*
 * "WORDS ACTION [if CONDITION]" into the settings, without a change yet. As triggers_add() otherwise,
 * but one that is there stays.
 */
int triggers_take(struct debuglog *log, const char *line, struct settings *set);

/*
 * Removes those of that action, and target if it says one; NULL: all. What they had switched is as
 * the settings say, and recording goes on if one of them can have stopped it. -ENOENT: there is none.
 */
int triggers_remove(struct debuglog *log, const char *words, const char *action, size_t *n);

/* Lets all of ours act again as often as they were to, and puts back what they had switched. */
int triggers_rearm(struct debuglog *log, size_t *n);
