/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the events that settings enable, and the filter of each. */
#include "compat/apply/event_filter.h"

#include "compat/apply/rules.h"
#include "compat/lustre/message.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/util.h"
#include "lib/inside.h"

bool dkl_event_filter_wants_class(const struct class_bits *bits, const struct settings *set)
{
	/* The filter tests the masks, because messages of some classes are always recorded. */
	if (bits->fields)
		return set->sources & MASK_FROM_LUSTRE;
	return bits->wanted || (set->sources & MASK_FROM_KERNEL &&
				dkl_class_bits_on(bits, set->debug, set->subsystem_debug));
}

int dkl_event_filter_named(struct dkt_ctx *ctx, const struct settings *set, struct named *named)
{
	int err = 0;

	*named = (struct named){ 0 };
	for (size_t i = 0; !err && i < set->events.n; i++)
		err = dkl_named_read(ctx, set->events.list[i], named);
	return err;
}

bool dkl_event_filter_wants(const struct event_filter *filter, const struct dkt_event *event)
{
	return dkl_named_has(&filter->named, event,
			     dkl_event_filter_wants_class(dkl_class_map_event(filter->map, event),
							  filter->set));
}

/* ---- filters ---- */

int dkl_event_filter_read(struct event_filter *filter)
{
	const struct settings *set = filter->set;
	int err = dkl_event_filter_named(filter->ctx, set, &filter->named);

	if (!err && set->filter)
		err = dkl_mask_expr(filter->ctx, set->filter, &filter->expr);
	return err ? err : dkl_rules_new(filter->ctx, filter->map, &set->rules, &filter->rules);
}

void dkl_event_filter_clear(struct event_filter *filter)
{
	dkl_named_clear(&filter->named);
	dkt_expr_free(filter->expr);
	dkl_rules_free(filter->rules);
	filter->expr = NULL;
	filter->rules = NULL;
}

static void note_missed(const struct event_filter *filter, const struct dkt_event *event)
{
	if (!filter->missed)
		return;
	fprintf(filter->missed, "%s%s:%s", filter->report->n_missed++ ? ", " : "",
		dkt_event_system(event), dkt_event_name(event));
}

/* Adds debug_filter if the event has its fields. */
static int add_user(const struct event_filter *filter, struct dkt_event *event,
		    struct conditions *all)
{
	char *text __cleanup(free) = NULL;
	int err = filter->expr ? dkt_expr_check(filter->expr, event) : 0;

	if (!filter->expr)
		return 0;
	if (err == -ENOENT || err == -EINVAL) {
		note_missed(filter, event);
		return 0;
	}
	if (!err)
		err = dkt_expr_text(filter->expr, event, &text);
	if (err)
		return dkt__fail_in(filter->ctx, err, "debug_filter");
	if (filter->report)
		filter->report->took++;
	return dkl_conditions_add(all, text);
}

/* ---- records that are never wanted ---- */

/* The prefixes of libcfs's console messages; older kernels record a time before them. */
#define CONSOLE_OF_LUSTRE                                                                          \
	"msg ~ \"*Lustre: *\" || msg ~ \"*LustreError: *\" || msg ~ \"*LNet: *\" ||"               \
	" msg ~ \"*LNetError: *\""

/* True if the log already has Lustre's console messages as messages. */
static bool is_console_of_lustre(const struct event_filter *filter, struct dkt_event *event)
{
	struct dkt_ctx *ctx = filter->ctx;

	return filter->set->sources & MASK_FROM_LUSTRE &&
	       !strcmp(dkt_event_system(event), "printk") &&
	       !strcmp(dkt_event_name(event), "console") && dkt_event_field(event, "msg") &&
	       (dkt_event_find(ctx, CDEBUG_GROUP, CDEBUG_NAME) ||
		dkt_event_find(ctx, "lustre_debug", "lustre_debug_msg"));
}

/* Each command locks the log. A log of locks would be full of that. */
#define LOCK_OF_DKTRACE "!(COMM == \"dktrace\" || COMM ~ \"lctl*\")"

static bool is_flock(const struct dkt_event *event)
{
	static const char *const names[] = { "sys_enter_flock", "sys_exit_flock",
					     "flock_lock_inode", "locks_get_lock_context" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(dkt_event_name(event), names[i]))
			return true;
	return false;
}

static const char *never_recorded(const struct event_filter *filter, struct dkt_event *event,
				  uint32_t classes)
{
	if (is_console_of_lustre(filter, event))
		return "!(" CONSOLE_OF_LUSTRE ")";
	return classes & MASK_DLMTRACE && is_flock(event) ? LOCK_OF_DKTRACE : "";
}

int dkl_event_filter_own(const struct event_filter *filter, struct dkt_event *event, char **text)
{
	const struct settings *set = filter->set;
	const struct class_bits *bits = dkl_class_map_event(filter->map, event);
	uint32_t classes = bits->classes & set->debug;

	if (bits->fields)
		return dkl_message_filter(set->debug, set->subsystem_debug, text);
	if (bits->filtered & classes || bits->narrowed & classes)
		return dkl_class_map_filter(filter->map, event, classes, filter->sites, text);
	*text = strdup(never_recorded(filter, event, classes));
	return *text ? 0 : -ENOMEM;
}

/* A name stands for all records of the event, or those of its filter, whatever a class selects. */
static int chosen_records(const struct event_filter *filter, struct dkt_event *event, char **text)
{
	const struct class_bits *bits = dkl_class_map_event(filter->map, event);
	const struct named_word *lacks;

	if (dkl_named_chooses(&filter->named, event))
		return dkl_named_filter(&filter->named, event, text, &lacks);
	if (dkl_event_filter_wants_class(bits, filter->set))
		return dkl_event_filter_own(filter, event, text);
	/* An event that only a trigger enables is not part of the classes. */
	return 0;
}

int dkl_event_filter(const struct event_filter *filter, struct dkt_event *event, char **text)
{
	char *own __cleanup(free) = NULL;
	struct conditions all = { 0 };
	int err = chosen_records(filter, event, &own);

	if (!err && own)
		err = dkl_conditions_add(&all, own);
	/* Events that only add to another record lack the fields; they print with that record. */
	if (!err && !dkl_message_is_part(event))
		err = add_user(filter, event, &all);
	if (!err && filter->rules && !dkl_message_is_part(event))
		err = dkl_rules_add(filter->rules, event, &all);
	*text = all.text;
	if (!err)
		return 0;
	free(all.text);
	*text = NULL;
	return err;
}
