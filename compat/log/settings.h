/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is set, as it is kept in a file beside the instance. */
#ifndef COMPAT_SETTINGS_H
#define COMPAT_SETTINGS_H

#include <dktrace/dktrace.h>

#include "lustre/mask.h"
#include "lustre/names.h"

struct settings {
	uint32_t debug;
	uint32_t subsystem_debug;
	uint32_t printk;
	uint32_t sources; /* debug_sources; as it is without or with Lustre if nobody has chosen */
	uint32_t debug_mb; /* asked for; 0: never */
	uint32_t chosen; /* masks that somebody has set: a bit for each enum mask_kind */
	bool made; /* there was an instance that this was true of */
	bool lustre; /* Lustre's libcfs was loaded when this was set */
	char *filter; /* debug_filter as written, NULL: none */
	struct names filtered; /* events that have a filter of ours: system:event */
	struct names rules; /* filters on some events: words of select_new(), a blank, expression */
	struct names triggers; /* system:event, a blank, the trigger */
	struct names placed; /* triggers that a change may have added, in the same form */
	struct names switched; /* before a change: events that triggers switch, and which are on */
	char *pids; /* threads that are recorded, blanks between; NULL: all */
	bool children; /* and those that they make */
	char *cpus; /* CPUs that are recorded, as 0-3,5; NULL: all */
	struct names functions; /* a tracer of functions: "KEY VALUE", see functions.h; n 0: none */
	bool limited; /* threads or CPUs may be limited in the kernel */
	char *graph; /* modules whose functions' entry and exit is recorded, NULL: none */
	char *systems; /* of the events that were switched on */
	char *no_graph; /* why entry and exit of functions is not recorded, NULL: it is, or not wanted */
	char *no_probe; /* why Lustre's messages are not probed, NULL: nobody knows a reason */
	bool recording; /* the instance's tracing_on, before a change */
};

/* What a machine has before anything is set. */
void settings_init(struct settings *settings);
void settings_clear(struct settings *settings);

/* Copies what is asked for, without the events that it came to. Empty on failure. */
int settings_copy(struct settings *to, const struct settings *from);

/* The mask of that kind. */
uint32_t *settings_mask(struct settings *settings, enum mask_kind kind);

/* What follows the first blank of a rule or trigger. */
const char *settings_rest(const char *line);

/* Remembers that the event has a filter. */
int settings_add_filtered(struct settings *settings, const struct dkt_event *event);

/*
 * Reads the file of that name. Empty on failure. -ENOENT: there is none; -EINVAL: it makes no sense, with the line
 * in dkt_error().
 */
int settings_load(struct dkt_ctx *ctx, int dirfd, const char *name, struct settings *settings);

/*
 * Writes the file so that it is there whole or not at all: first all that can fail, then the
 * moment from which it is true.
 */
int settings_stage(struct dkt_ctx *ctx, int dirfd, const char *name,
		   const struct settings *settings);
int settings_publish(struct dkt_ctx *ctx, int dirfd, const char *name);

/* Both in one. */
int settings_save(struct dkt_ctx *ctx, int dirfd, const char *name,
		  const struct settings *settings);

#endif
