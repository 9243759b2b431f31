/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings, stored in a file beside the instance. */
#pragma once

#include <dktrace/dktrace.h>

#include "log/entries.h"
#include "log/threads.h"
#include "lustre/mask.h"
#include "lustre/names.h"

/* A tracer of functions, and the functions and threads that it is narrowed to. */
struct settings_functions {
	char *tracer; /* NULL: none is set */
	struct names only, without,
		roots; /* globs; without only and roots it is about all functions */
	uint32_t depth; /* calls; 0: any */
	uint32_t threshold; /* us that a call takes at least; 0: any */
	struct threads threads;
	bool children; /* and the threads that these make */
};

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
	struct entries rules; /* filters on some events, by words */
	struct entries triggers; /* by event */
	struct entries placed; /* triggers that a change may have added */
	struct names switched; /* before a change: events that triggers switch, and which are on */
	struct threads threads; /* that are recorded; none: all */
	bool children; /* and those that they make */
	char *cpus; /* CPUs that are recorded, as 0-3,5; NULL: all */
	struct settings_functions functions;
	bool limited; /* threads or CPUs may be limited in the kernel */
	char *graph; /* modules whose functions' entry and exit is recorded, NULL: none */
	char *systems; /* of the events that were switched on */
	char *no_graph; /* why entry and exit of functions is not recorded, NULL: it is, or not wanted */
	char *no_probe; /* why Lustre's messages are not probed, NULL: nobody knows a reason */
	bool recording; /* the instance's tracing_on, before a change */
};

/* The settings of a machine before anything is set. */
void settings_init(struct settings *settings);
void settings_clear(struct settings *settings);

/* Copies what is asked for, without the events that it came to. Empty on failure. */
int settings_copy(struct settings *to, const struct settings *from);

/* The mask of that kind. */
uint32_t *settings_mask(struct settings *settings, enum mask_kind kind);

/* The same of the tracer of functions alone, in place of the one that was set. */
void settings_clear_functions(struct settings *settings);
int settings_copy_functions(struct settings *to, const struct settings *from);
bool settings_same_functions(const struct settings *one, const struct settings *other);

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
