/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings from what is on in the kernel, when their file is gone. */
#include "rebuild.h"

#include <errno.h>
#include <string.h>

#include "util.h"

/* Bits that must have been on, and those that cannot have been. */
struct known {
	uint32_t on;
	uint32_t off;
};

static uint32_t single_bit(uint32_t bits)
{
	return bits & (bits - 1) ? 0 : bits;
}

/* An event that is on has a type and a subsystem that are on; one that is off lacks one of them. */
static void learn(const struct class_bits *bits, bool is_on, struct known *types,
		  struct known *subsystems)
{
	if (is_on) {
		types->on |= single_bit(bits->types & ~types->off);
		subsystems->on |= single_bit(bits->subsystems & ~subsystems->off);
		return;
	}
	if (bits->types & types->on)
		subsystems->off |= bits->subsystems & ~subsystems->on;
	if (bits->subsystems & subsystems->on)
		types->off |= bits->types & ~types->on;
}

/* What all events together say, until they say nothing new. */
static int learn_all(struct debuglog *log, const bool *is_on, struct known *types,
		     struct known *subsystems)
{
	struct dkt_event *const *all;
	struct known t, s;
	size_t n, i;
	int err = dkt_events(log->ctx, &all, &n);

	if (err)
		return err;
	do {
		t = *types;
		s = *subsystems;
		for (i = 0; i < n; i++) {
			const struct class_bits *bits = class_map_event(log->map, all[i]);

			if (!bits->fields)
				learn(bits, is_on[i], types, subsystems);
		}
	} while (memcmp(&t, types, sizeof(t)) || memcmp(&s, subsystems, sizeof(s)));
	return 0;
}

/* Classes with an event on, less those with an event of these subsystems that is off. */
static uint32_t guess_types(struct debuglog *log, const bool *is_on, uint32_t subsystems)
{
	struct dkt_event *const *all;
	uint32_t some = 0, missing = 0;
	size_t n, i;

	if (dkt_events(log->ctx, &all, &n))
		return 0;
	for (i = 0; i < n; i++) {
		const struct class_bits *bits = class_map_event(log->map, all[i]);

		if (bits->fields || !(bits->subsystems & subsystems))
			continue;
		if (is_on[i])
			some |= bits->types;
		else
			missing |= bits->types;
	}
	return some & ~missing;
}

/* The part of an event's filter that debug_filter is, if the map put another before it. */
static const char *user_part(const char *filter)
{
	const char *join = strstr(filter, ") && (");

	return join ? join + strlen(") && (") : filter;
}

static int guess_filters(struct debuglog *log, struct dkt_event *const *on, size_t n)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		const struct class_bits *bits = class_map_event(log->map, on[i]);
		char *filter __cleanup(free) = NULL;
		bool own;

		err = dkt_instance_get_filter(log->in, on[i], &filter);
		if (err || !*filter)
			continue;
		err = settings_add_filtered(&log->set, on[i]);
		own = bits->fields || (bits->filtered | bits->narrowed) & log->set.debug;
		if (err || log->set.filter || (own && user_part(filter) == filter))
			continue;
		log->set.filter = strdup(user_part(filter));
		if (!log->set.filter)
			return -ENOMEM;
		if (user_part(filter) != filter)
			log->set.filter[strlen(log->set.filter) - 1] = '\0';
	}
	return err;
}

int debuglog_rebuild(struct debuglog *log)
{
	struct dkt_event **on __cleanup(free) = NULL;
	struct dkt_event *const *all;
	struct known types = { 0 }, subsystems = { 0 };
	bool *is_on __cleanup(free) = NULL;
	size_t n, n_all, i;
	uint64_t bytes;
	int err = dkt_events(log->ctx, &all, &n_all);

	if (!err)
		err = dkt_instance_get_events(log->in, &on, &n);
	if (err)
		return err;
	is_on = calloc(n_all + 1, sizeof(*is_on));
	if (!is_on)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		is_on[dkt_event_index(on[i])] = true;
	err = learn_all(log, is_on, &types, &subsystems);
	if (err)
		return err;
	/* Of what nothing is known, subsystems are on, as hardly anybody narrows them. */
	log->set.subsystem_debug = mask_default(MASK_SUBSYSTEM) & ~subsystems.off;
	log->set.debug = types.on |
			 (guess_types(log, is_on, log->set.subsystem_debug) & ~types.off);
	log->set.chosen = 1u << MASK_DEBUG | 1u << MASK_SUBSYSTEM;
	if (!dkt_instance_get_size(log->in, &bytes))
		log->set.debug_mb = (uint32_t)(bytes >> 20);
	return guess_filters(log, on, n);
}
