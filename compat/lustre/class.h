/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class map: the events of this kernel that belong to each debug type and subsystem. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/mask.h"

struct class_map;

/* The classes and subsystems of an event of this kernel. */
struct class_bits {
	uint32_t classes; /* of MASK_DEBUG */
	uint32_t subsystems; /* of MASK_SUBSYSTEM; never 0: undefined if no other */
	uint32_t filtered; /* the classes for which dkl_class_map_filter() has a filter */
	uint32_t narrowed; /* classes that need a call site in a module of the chosen subsystems */
	uint32_t sites; /* if narrowed: the subsystems that have modules */
	bool wanted; /* enabled with any mask: dkl_class_map_want() */
	bool fields; /* each record has its class in msg_mask and msg_subsys; all bits are set */
};

enum class_glob_kind {
	CLASS_EVENT, /* system:event */
	CLASS_SYSCALL, /* syscalls:sys_enter_NAME and sys_exit_NAME */
};

struct class_glob {
	const char *text; /* as in the file, without the minus of a negative glob */
	enum class_glob_kind kind;
	bool negative;
	const char *system; /* pattern for the event system */
	const char *names[2]; /* patterns for its events; the second can be NULL */
};

/* One entry of a class or subsystem: the events, functions and modules that belong to it. */
struct class_entry {
	struct class_glob *globs;
	size_t n_globs;
	const char **functions;
	size_t n_functions;
	const char **modules;
	size_t n_modules;
	const char *filter; /* NULL: none */
	bool narrow; /* only records whose call_site is in a module of the chosen subsystems */
	bool graph; /* also trace entry and exit of the functions of the subsystems' modules */
	bool remove; /* removes its events from the class, to which earlier entries added them */
};

/*
 * Reads the map from the directories in DKTRACE_CLASSES (separated by colons), otherwise from the
 * shipped directory and the site's. The error message begins with FILE:LINE:COLUMN.
 */
int dkl_class_map_load(struct dkt_ctx *ctx, struct class_map **map);

/* Reads the map from directories. A file replaces those of the same name in earlier directories. */
int dkl_class_map_load_dirs(struct dkt_ctx *ctx, const char *const *dirs, size_t n,
			    struct class_map **map);

/* Reads the map from text; file is its name in error messages. */
int dkl_class_map_load_text(struct dkt_ctx *ctx, const char *file, const char *text, size_t len,
			    struct class_map **map);
void dkl_class_map_free(struct class_map *map);

/*
 * Finds the classes and subsystems of each event. The events are sorted, as dkt_events() has them.
 */
int dkl_class_map_resolve(struct class_map *map, struct dkt_event *const *events, size_t n);

/*
 * Reads the map, or shares what another map has read, which must outlive this one, and resolves it
 * for the events of the context. *map is NULL after a failure.
 */
int dkl_class_map_open(struct dkt_ctx *ctx, const struct class_map *like, struct class_map **map);

/* ---- after dkl_class_map_resolve() ---- */

const struct class_bits *dkl_class_map_event(const struct class_map *map,
					     const struct dkt_event *event);

/* Marks the event as enabled with any mask. */
void dkl_class_map_want(struct class_map *map, const struct dkt_event *event);

/*
 * True if the masks enable the event: one of its classes and one of its subsystems, as in Lustre.
 */
bool dkl_class_bits_on(const struct class_bits *bits, uint32_t debug, uint32_t subsystem_debug);

/* Returns the number of events of this kernel in the class or subsystem. */
size_t dkl_class_map_count(const struct class_map *map, enum mask_kind kind, unsigned int bit);

/*
 * Gets the filter for the records of the event that belong to these classes; "" if one of the
 * classes has all of them. sites is an expression over call_site that is true inside the modules of
 * the chosen subsystems; NULL does not narrow. The caller frees the filter.
 */
int dkl_class_map_filter(const struct class_map *map, const struct dkt_event *event,
			 uint32_t classes, const char *sites, char **filter);

/* Returns the subsystems of the module; 0: none. */
uint32_t dkl_class_map_module(const struct class_map *map, const char *module);

/* ---- content of the files ---- */

/* Returns the description of the class or subsystem, one line or "". */
const char *dkl_class_map_about(const struct class_map *map, enum mask_kind kind, unsigned int bit);

/* Returns the reason why the class has no events on a stock kernel; NULL if it has some. */
const char *dkl_class_map_none(const struct class_map *map, enum mask_kind kind, unsigned int bit);

/* Returns the entries in the order in which they apply; valid as long as the map. */
const struct class_entry *dkl_class_map_entries(const struct class_map *map, enum mask_kind kind,
						unsigned int bit, size_t *n);

/* Returns the events whose records have their own class (`messages`). */
const struct class_entry *dkl_class_map_messages(const struct class_map *map, size_t *n);

/*
 * Gets the names of the subsystems' modules, each once. The caller frees the array, not the names.
 */
int dkl_class_map_modules(const struct class_map *map, uint32_t subsystems, const char ***modules,
			  size_t *n);
