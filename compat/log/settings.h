/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings, stored in a file beside the instance. */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>
#include <stddef.h>

#include "compat/log/threads.h"
#include "compat/lustre/mask.h"
#include "lib/base/strings.h"

struct entry {
	char *events; /* words of dkl_select_new() or SYSTEM:EVENT, without spaces */
	char *text; /* an expression, or a trigger in the kernel's language */
};

struct entries {
	struct entry *list;
	size_t n;
};

/* Adds copies. -ENOMEM. */
int dkl_entries_add(struct entries *entries, const char *events, const char *text);

/* Returns the index of the first entry with these events and that text, or n. text NULL: any. */
size_t dkl_entries_find(const struct entries *entries, const char *events, const char *text);

/* True if the list has an equal entry. */
bool dkl_entries_have(const struct entries *entries, const struct entry *entry);

int dkl_entries_copy(struct entries *to, const struct entries *from);
void dkl_entries_remove(struct entries *entries, size_t i);
void dkl_entries_clear(struct entries *entries);

/* A function tracer, and the functions and threads that it records. */
struct settings_functions {
	char *tracer; /* NULL: none is set */
	struct dkt__strings only, without,
		roots; /* globs; if only and roots are empty: all functions */
	uint32_t depth; /* calls; 0: any */
	uint32_t threshold; /* the shortest call that is recorded, in us; 0: any */
	struct threads threads;
	bool children; /* also the threads that these create */
};

struct settings {
	uint32_t debug;
	uint32_t subsystem_debug;
	uint32_t printk;
	uint32_t sources; /* debug_sources; if not chosen, the default with or without Lustre */
	uint32_t debug_mb; /* the size that was set; 0: none */
	uint32_t user_data; /* debug_user_data: bytes of what system calls point to */
	uint32_t chosen; /* masks that were set explicitly: 1 << enum mask_kind */
	bool has_instance; /* the settings were applied to an instance */
	bool lustre; /* Lustre's libcfs was loaded at that time */
	struct dkt__strings events; /* recorded with any masks: words of dkl_named_read() */
	char *filter; /* debug_filter as written; NULL: none */
	struct dkt__strings filtered; /* events on which dktrace set a filter: system:event */
	struct entries rules; /* filters on sets of events */
	struct entries triggers; /* by event */
	struct entries placed; /* triggers that an interrupted change may have added */
	struct dkt__strings
		switched; /* before a change: enabled events that triggers enable or disable */
	struct threads threads; /* recorded threads; none: all */
	bool children; /* also the threads that these create */
	char *cpus; /* recorded CPUs, as 0-3,5; NULL: all */
	struct settings_functions functions;
	bool limited; /* the kernel may have a list of threads or CPUs */
	char *graph; /* modules whose functions' entry and exit are recorded; NULL: none */
	char *systems; /* of the events that were enabled */
	char *no_graph; /* why entry and exit of functions are not recorded; NULL: no reason */
	char *no_probe; /* why Lustre's messages have no probe; NULL: unknown */
	bool recording; /* the instance's tracing_on before a change */
};

/* Sets the defaults. */
void dkl_settings_init(struct settings *settings);

/* Returns debug_mb of a new log on so many CPUs. */
uint32_t dkl_settings_default_mb(int cpus);
void dkl_settings_clear(struct settings *settings);

static inline void dkt__settingsp(struct settings *settings)
{
	dkl_settings_clear(settings);
}

/* Copies the settings that a user can make, without their results. Empty on failure. */
int dkl_settings_copy(struct settings *to, const struct settings *from);

uint32_t *dkl_settings_mask(struct settings *settings, enum mask_kind kind);

/* A setting that a user can make, by its name in the file, with both values as text; "" for none. */
typedef void settings_difference(const char *name, const char *before, const char *after,
				 void *arg);

/* Calls fn for each setting that differs. -ENOMEM. */
int dkl_settings_compare(const struct settings *before, const struct settings *after,
			 settings_difference *fn, void *arg);

/* For the function tracer alone; the copy replaces the tracer of to. */
void dkl_settings_clear_functions(struct settings *settings);
int dkl_settings_copy_functions(struct settings *to, const struct settings *from);
bool dkl_settings_same_functions(const struct settings *one, const struct settings *other);

/* Notes that dktrace sets a filter on the event. */
int dkl_settings_add_filtered(struct settings *settings, const struct dkt_event *event);

/*
 * Reads the file of that name in the directory. Empty on failure. -ENOENT: no such file; -EINVAL: an
 * invalid line, whose number is in dkt_error().
 */
int dkl_settings_load(struct dkt_ctx *ctx, int dirfd, const char *name, struct settings *settings);

/*
 * Write the file, all or nothing, in two steps: dkl_settings_stage() writes a temporary file and meets
 * all likely errors, dkl_settings_publish() renames it.
 */
int dkl_settings_stage(struct dkt_ctx *ctx, int dirfd, const char *name,
		       const struct settings *settings);
int dkl_settings_publish(struct dkt_ctx *ctx, int dirfd, const char *name);

/* Both steps. */
int dkl_settings_save(struct dkt_ctx *ctx, int dirfd, const char *name,
		      const struct settings *settings);
