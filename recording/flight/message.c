/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conditions on the text of Lustre's messages: the kernel tests their formats and arguments. */
#include "recording/flight/message.h"

#include "compat/apply/rules.h"
#include "compat/lustre/lustre_masks.h"
#include "compat/lustre/message/search.h"
#include "lib/base/memory.h"

#define KIND "message"

const char *flight_message_words(const char *condition)
{
	const size_t len = strlen(KIND);

	if (strncmp(condition, KIND, len) != 0 || condition[len] != ' ')
		return NULL;
	return condition + len + strspn(condition + len, " ");
}

/* Adds the condition of the search to the event's filter. -ENOENT: the event cannot have the words. */
static int restrict_event(struct wanted_event *one, const struct search *search)
{
	struct conditions all = { 0 };
	char *found __cleanup(free) = NULL;
	int err = dkl_search_condition(search, one->event, &found);

	if (!err && one->filter)
		err = dkl_conditions_add(&all, one->filter);
	if (!err)
		err = dkl_conditions_add(&all, found);
	if (err) {
		free(all.text);
		return err;
	}
	free(one->filter);
	one->filter = all.text;
	return 0;
}

/* Leaves the events that can have the words. */
static int restrict_events(struct wanted *wanted, const struct search *search)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < wanted->n; i++) {
		struct wanted_event *one = &wanted->list[i];
		int lacks = err ? err : restrict_event(one, search);

		if (lacks == -ENOENT) {
			free(one->filter);
			continue;
		}
		err = lacks;
		wanted->list[kept++] = *one;
	}
	wanted->n = kept;
	return dkt__with_words(wanted->ctx, err);
}

int flight_message_start(struct flight_watch *watch, const char *log, const char *name,
			 const char *words)
{
	const struct wanted_words messages = { .classes = "all", .sources = "lustre" };
	struct search search;
	int err;

	if (!dkl_lustre_is_loaded())
		return dkt_fail(watch->ctx, -ENOENT, "'" KIND "': Lustre is not loaded");
	err = dkl_search_modules(watch->ctx, words, &search);
	if (!err)
		err = flight_create_bare(watch->ctx, log, name, 0, &messages, &watch->group);
	if (!err)
		err = restrict_events(watch->group.wanted, &search);
	if (!err)
		err = flight_enable(&watch->group);
	watch->way = "the kernel compares formats and strings of Lustre's messages";
	dkl_search_clear(&search);
	return err;
}
