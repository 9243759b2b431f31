/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings from what is on in the kernel, when their file is gone. */
#include "rebuild.h"

#include <errno.h>
#include <string.h>

#include "util.h"

/* Subsystems of which something is on, and those of which nothing could be. */
static uint32_t guess_subsystems(struct debuglog *log, struct dkt_event *const *on, size_t n)
{
	uint32_t mask = 0;
	unsigned int bit;
	size_t i;

	for (i = 0; i < n; i++)
		mask |= class_map_event(log->map, on[i])->subsystems;
	for (bit = 0; bit < MASK_BITS; bit++)
		if (!class_map_count(log->map, MASK_SUBSYSTEM, bit))
			mask |= 1u << bit;
	return n ? mask : UINT32_MAX;
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

/* Whether these masks want just the events that are on. */
static bool explains(struct debuglog *log, const bool *is_on)
{
	struct dkt_event *const *all;
	size_t n, i;

	if (dkt_events(log->ctx, &all, &n))
		return false;
	for (i = 0; i < n; i++)
		if (debuglog_wants(class_map_event(log->map, all[i]), &log->set) != is_on[i])
			return false;
	return true;
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
	/* Hardly anybody narrows the subsystems: it is so only if what is on says it. */
	log->set.subsystem_debug = mask_default(MASK_SUBSYSTEM);
	log->set.debug = guess_types(log, is_on, log->set.subsystem_debug);
	if (!explains(log, is_on)) {
		log->set.subsystem_debug = guess_subsystems(log, on, n);
		log->set.debug = guess_types(log, is_on, log->set.subsystem_debug);
	}
	if (!dkt_instance_get_size(log->in, &bytes))
		log->set.debug_mb = (uint32_t)(bytes >> 20);
	return guess_filters(log, on, n);
}
