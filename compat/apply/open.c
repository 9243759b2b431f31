/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the debug log, and first repairs the state that killed commands left. */
#include "compat/apply/apply.h"
#include "compat/apply/applying.h"
#include "compat/apply/event_filter.h"
#include "compat/log/debuglog.h"
#include "compat/log/directory.h"
#include "compat/lustre/event_names.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/lustre/modules.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* Bits that must have been set, and bits that cannot have been. */
struct known {
	uint32_t on;
	uint32_t off;
};

static uint32_t single_bit(uint32_t bits)
{
	return bits & (bits - 1) ? 0 : bits;
}

/* An enabled event has a class and a subsystem that are set; a disabled event lacks one of them. */
static void learn(const struct class_bits *bits, bool is_on, struct known *classes,
		  struct known *subsystems)
{
	if (is_on) {
		classes->on |= single_bit(bits->classes & ~classes->off);
		subsystems->on |= single_bit(bits->subsystems & ~subsystems->off);
		return;
	}
	if (bits->classes & classes->on)
		subsystems->off |= bits->subsystems & ~subsystems->on;
	if (bits->subsystems & subsystems->on)
		classes->off |= bits->classes & ~classes->on;
}

/* Repeats over all events until nothing new follows from them. */
static int learn_all(struct debuglog *log, const bool *is_on, struct known *classes,
		     struct known *subsystems)
{
	struct dkt_event *const *all;
	struct known c, s;
	size_t n;
	int err = dkt_events(log->ctx, &all, &n);

	if (err)
		return err;
	do {
		c = *classes;
		s = *subsystems;
		for (size_t i = 0; i < n; i++) {
			const struct class_bits *bits = dkl_class_map_event(log->map, all[i]);

			if (!bits->fields)
				learn(bits, is_on[i], classes, subsystems);
		}
	} while (memcmp(&c, classes, sizeof(c)) || memcmp(&s, subsystems, sizeof(s)));
	return 0;
}

/* Returns the classes with an enabled event, and without a disabled one, in these subsystems. */
static uint32_t guess_classes(struct debuglog *log, const bool *is_on, uint32_t subsystems)
{
	struct dkt_event *const *all;
	uint32_t some = 0, missing = 0;
	size_t n;

	if (dkt_events(log->ctx, &all, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct class_bits *bits = dkl_class_map_event(log->map, all[i]);

		if (bits->fields || !(bits->subsystems & subsystems))
			continue;
		if (is_on[i])
			some |= bits->classes;
		else
			missing |= bits->classes;
	}
	return some & ~missing;
}

/* Only its name, or a trigger, can have enabled an event that is in no class. */
static bool is_named(const struct class_bits *bits)
{
	return !bits->classes && !bits->fields && !bits->wanted;
}

static int guess_named(struct debuglog *log, struct dkt_event *const *on, size_t n)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		if (is_named(dkl_class_map_event(log->map, on[i])))
			err = dkt__strings_take(&log->set.events, dkl_event_full_name(on[i]));
	return err;
}

/* An enabled event of the kernel was set, even if with Lustre the default is its messages alone. */
static void guess_sources(struct debuglog *log, const bool *is_on)
{
	struct dkt_event *const *all;
	uint32_t sources = 0;
	size_t n;

	if (dkt_events(log->ctx, &all, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct class_bits *bits = dkl_class_map_event(log->map, all[i]);

		if (is_on[i] && !bits->wanted && !is_named(bits))
			sources |= bits->fields ? MASK_FROM_LUSTRE : MASK_FROM_KERNEL;
	}
	if (!(sources & ~log->set.sources))
		return;
	log->set.sources |= sources;
	log->set.chosen |= 1u << MASK_SOURCES;
}

/* ---- filters ---- */

/* Returns the end of the parenthesis at the start of the text; NULL: none, or not closed. */
static const char *closing(const char *text)
{
	int depth = 0;
	char quote = '\0';

	if (*text != '(')
		return NULL;
	for (; *text; text++) {
		if (quote)
			quote = *text == quote ? '\0' : quote;
		else if (*text == '"' || *text == '\'')
			quote = *text;
		else
			depth += (*text == '(') - (*text == ')');
		if (!depth)
			return text;
	}
	return NULL;
}

/* Gets the user's part of an event's filter, after that of the class map; "": none. */
static int user_part(const char *filter, const char *own, char **user)
{
	static const char join[] = ") && (";
	const size_t len = strlen(own);
	const char *end;

	*user = NULL;
	if (len && filter[0] == '(' && !strncmp(filter + 1, own, len) &&
	    !strncmp(filter + 1 + len, join, strlen(join)))
		filter += 1 + len + strlen(join) - 1;
	else if (len)
		filter = "";
	end = closing(filter);
	*user = end && !end[1] ? strndup(filter + 1, (size_t)(end - filter - 1)) : strdup(filter);
	return *user ? 0 : -ENOMEM;
}

/* There is one rule for each event. If all have the same text, it was debug_filter. */
static int join_rules(struct settings *set)
{
	struct entries *rules = &set->rules;

	for (size_t i = 1; i < rules->n; i++)
		if (strcmp(rules->list[i].text, rules->list[0].text) != 0)
			return 0;
	if (!rules->n)
		return 0;
	set->filter = strdup(rules->list[0].text);
	dkl_entries_clear(rules);
	return set->filter ? 0 : -ENOMEM;
}

static int add_entry(struct entries *entries, const struct dkt_event *event, const char *text)
{
	char *name __cleanup(free) = dkl_event_full_name(event);

	return name ? dkl_entries_add(entries, name, text) : -ENOMEM;
}

static int guess_filter(struct debuglog *log, const struct event_filter *map,
			struct dkt_event *event)
{
	char *filter __cleanup(free) = NULL;
	char *own __cleanup(free) = NULL;
	char *user __cleanup(free) = NULL;
	int err = dkt_instance_get_filter(log->in, event, &filter);

	if (err || !*filter)
		return err;
	err = dkl_settings_add_filtered(&log->set, event);
	if (!err)
		err = dkl_event_filter_own(map, event, &own);
	if (!err)
		err = user_part(filter, own, &user);
	if (err || !*user)
		return err;
	return add_entry(&log->set.rules, event, user);
}

static int guess_filters(struct debuglog *log, struct dkt_event *const *on, size_t n)
{
	struct event_filter map = { .ctx = log->ctx, .map = log->map, .set = &log->set };
	struct modules modules = { 0 };
	char *sites __cleanup(free) = NULL;
	int err = dkl_modules_read(log->map, log->set.subsystem_debug, &modules);

	if (!err)
		err = dkl_modules_sites(&modules, &sites);
	map.sites = sites;
	for (size_t i = 0; !err && i < n; i++)
		err = guess_filter(log, &map, on[i]);
	dkl_modules_clear(&modules);
	return err ? err : join_rules(&log->set);
}

/* ---- triggers, threads and CPUs ---- */

/* A histogram may belong to another program: leave it alone. */
static int add_trigger(void *data, struct dkt_event *event, const struct dkt_trigger *trigger)
{
	struct settings *set = data;

	if (strstr(trigger->action, "hist"))
		return 0;
	return add_entry(&set->triggers, event, trigger->text);
}

static int find_limits(struct debuglog *log)
{
	struct settings *set = &log->set;
	int err = dkt__instance_get_pids(log->in, &set->threads.list, &set->threads.n,
					 &set->children);

	if (!err)
		err = dkt__instance_get_cpus(log->in, &set->cpus);
	set->limited = set->threads.n || set->cpus;
	return err;
}

/*
 * Guesses the settings from the instance: a class is set if all its events in the set subsystems
 * are enabled. printk and classes without events, which the kernel does not know, get their
 * defaults. The map must be loaded.
 */
static int rebuild(struct debuglog *log)
{
	struct dkt_event **on __cleanup(free) = NULL;
	struct dkt_event *const *all;
	struct known classes = { 0 }, subsystems = { 0 };
	bool *is_on __cleanup(free) = NULL;
	size_t n, n_all;
	uint64_t bytes;
	int err = dkt_events(log->ctx, &all, &n_all);

	if (!err)
		err = dkt_instance_get_events(log->in, &on, &n);
	if (err)
		return err;
	is_on = calloc(n_all + 1, sizeof(*is_on));
	if (!is_on)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		is_on[dkt__event_index(on[i])] = true;
	err = learn_all(log, is_on, &classes, &subsystems);
	if (err)
		return err;
	/* Unknown subsystems count as enabled, because users hardly ever narrow them. */
	log->set.subsystem_debug = dkl_mask_initial(MASK_SUBSYSTEM) & ~subsystems.off;
	log->set.debug = classes.on |
			 (guess_classes(log, is_on, log->set.subsystem_debug) & ~classes.off);
	log->set.chosen = 1u << MASK_DEBUG | 1u << MASK_SUBSYSTEM;
	guess_sources(log, is_on);
	/* Without events of the kernel nothing tells the masks. */
	if (!(log->set.sources & MASK_FROM_KERNEL))
		dkl_follow_masks(&log->set);
	if (!dkt__instance_get_size(log->in, &bytes))
		log->set.debug_mb = (uint32_t)(bytes >> 20);
	err = guess_named(log, on, n);
	if (!err)
		err = guess_filters(log, on, n);
	if (!err)
		err = dkl_triggers_each(log, all, n_all, add_trigger, &log->set);
	return err ? err : find_limits(log);
}

static int load_settings(struct debuglog *log)
{
	int err = -ENOENT;

	if (log->dirfd >= 0)
		err = dkl_settings_load(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (err != -ENOENT && err != -EINVAL)
		return err;
	dkl_settings_init(&log->set);
	if (!log->in || log->interrupted)
		return 0;
	/* The instance exists without its file: take the settings from the kernel. */
	log->rebuilt = true;
	err = dkl_debuglog_map(log);
	return err ? err : rebuild(log);
}

/* ---- recovery ---- */

/* Cleans up after killed commands: removes their instances, restarts a log that they stopped. */
static int clean_up(struct debuglog *log)
{
	int err;

	/* An instance that another process reads stays: a later command removes it, status lists it. */
	dkl_leftovers_remove(log->ctx, log->name);
	err = dkl_debuglog_open_instance(log, 0);
	return err ? err : dkt__instance_start_stopped(log->in);
}

/* Undoes a change that was to create the instance. */
static int undo_first(struct debuglog *log, const struct settings *before)
{
	int err = dkl_debuglog_return_top(log);

	if (!err && log->in)
		err = dkt_instance_remove(log->ctx, log->name);
	if (err)
		return err;
	dkt_instance_close(log->in);
	log->in = NULL;
	return dkl_settings_save(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, before);
}

/* Undoes an interrupted change: DEBUGLOG_BEFORE holds the settings before it. */
static int undo_interrupted(struct debuglog *log)
{
	struct settings before;
	int err;

	if (!log->interrupted)
		return 0;
	err = dkl_settings_load(log->ctx, log->dirfd, DEBUGLOG_BEFORE, &before);
	if (!err) {
		/* They also name every event on which the change may have set a filter. */
		dkl_settings_clear(&log->set);
		log->set = before;
		err = before.has_instance ? dkl_debuglog_reapply(log) : undo_first(log, &before);
	}
	if (err && err != -EINVAL)
		return dkt__fail_in(log->ctx, err, "undo an interrupted change");
	dkl_log_dir_forget_before(log);
	log->interrupted = false;
	if (!err)
		return 0;
	/* dktrace writes the file all or nothing, so it did not write an invalid one: ignore it. */
	dkl_settings_clear(&log->set);
	return load_settings(log);
}

/* Everything else works without the probes, so a failure is only noted for the user. */
static int create_probes(struct debuglog *log)
{
	int err = dkl_cdebug_create(log->ctx, &log->messages_new);

	if (!err || err == -ENOMEM)
		return err;
	log->no_probe = dkt__format("messages of Lustre are not recorded: %s", dkt_error(log->ctx));
	return log->no_probe ? 0 : -ENOMEM;
}

int dkl_debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags,
		      struct debuglog **out)
{
	struct debuglog *log;
	int err = dkl_debuglog_new(ctx, name, &log);

	*out = NULL;
	if (!err && flags & DEBUGLOG_CHANGE)
		err = dkt__caps_check_instance(ctx, name);
	if (!err)
		err = flags & DEBUGLOG_CHANGE ? dkl_log_dir_enter(log) : dkl_log_dir_open(log);
	if (!err)
		err = dkl_log_mount(ctx, flags);
	if (!err) {
		err = flags & DEBUGLOG_CHANGE ? clean_up(log) : dkl_debuglog_open_instance(log, 0);
		err = err == -ENOENT ? 0 : err;
	}
	if (!err && flags & DEBUGLOG_CHANGE)
		err = create_probes(log);
	log->interrupted = !err && dkl_log_dir_was_interrupted(log);
	if (!err)
		err = load_settings(log);
	if (!err && log->rebuilt && flags & DEBUGLOG_CHANGE)
		err = dkl_settings_save(ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (!err && flags & DEBUGLOG_CHANGE)
		err = undo_interrupted(log);
	/* A change starts from Lustre's masks; otherwise the masks are those of the enabled events. */
	if (!err && !log->in)
		dkl_follow_masks(&log->set);
	else if (!err && flags & DEBUGLOG_CHANGE)
		log->followed = dkl_follow_masks(&log->set);
	if (err) {
		dkl_debuglog_close(log);
		return err;
	}
	*out = log;
	return 0;
}
