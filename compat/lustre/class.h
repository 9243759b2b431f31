/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class map: the events of this kernel that belong to each debug type and subsystem. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/mask.h"

struct class_map;

/* The classes and subsystems of an event of this kernel. */
struct class_bits {
	uint32_t types; /* of MASK_DEBUG */
	uint32_t subsystems; /* of MASK_SUBSYSTEM; never 0: undefined if no other */
	uint32_t filtered; /* those of types for which class_map_filter() has a filter */
	uint32_t narrowed; /* those for which only call sites in the subsystems' modules count */
	uint32_t sites; /* if narrowed: the subsystems whose modules a call site can lie in */
	bool wanted; /* whatever the masks say: class_map_want() */
	bool fields; /* each record says its class in msg_mask and msg_subsys; all bits are set */
};

enum class_glob_kind {
	CLASS_EVENT, /* system:event */
	CLASS_SYSCALL, /* syscalls:sys_enter_NAME and sys_exit_NAME */
};

struct class_glob {
	const char *text; /* as in the file, without the minus of a negative one */
	enum class_glob_kind kind;
	bool negative;
	const char *system; /* patterns: of the event system, */
	const char *names[2]; /* of its events, the second one NULL if there is no other */
};

/* One entry of a class or subsystem: any of its events, functions and modules stand for it. */
struct class_entry {
	struct class_glob *globs;
	size_t n_globs;
	const char **functions;
	size_t n_functions;
	const char **modules;
	size_t n_modules;
	const char *filter; /* NULL: none */
	bool narrow; /* only if call_site lies in a module of the chosen subsystems */
	bool graph; /* also entry and exit of the functions of the subsystems' modules */
	bool remove; /* its events stop standing for the class: of earlier entries */
};

/*
 * Reads the map: the directories of DKTRACE_CLASSES in the environment (colons between), else the
 * shipped one and the site's. -EINVAL and others: dkt_error() says FILE:LINE:COLUMN and the words.
 */
int class_map_load(struct dkt_ctx *ctx, struct class_map **map);

/* The same from given directories; a file replaces one of the same name of an earlier directory. */
int class_map_load_dirs(struct dkt_ctx *ctx, const char *const *dirs, size_t n,
			struct class_map **map);

/* The same from text; file is for the words of an error. */
int class_map_load_text(struct dkt_ctx *ctx, const char *file, const char *text, size_t len,
			struct class_map **map);
void class_map_free(struct class_map *map);

/* Finds what each event stands for; events as from dkt_events(), sorted by system and name. */
int class_map_resolve(struct class_map *map, struct dkt_event *const *events, size_t n);

/*
 * Reads the map, or takes what is read from another one, which outlives it, and resolves it for the events
 * of the context. *map is NULL after a failure.
 */
int class_map_open(struct dkt_ctx *ctx, const struct class_map *like, struct class_map **map);

/* ---- after class_map_resolve() ---- */

const struct class_bits *class_map_event(const struct class_map *map,
					 const struct dkt_event *event);

/* The event is wanted whatever the masks say. */
void class_map_want(struct class_map *map, const struct dkt_event *event);

/* Whether these masks switch it on: a type of it and a subsystem of it, as in Lustre. */
bool class_bits_on(const struct class_bits *bits, uint32_t debug, uint32_t subsystem_debug);

/* How many events of this kernel stand for the class or subsystem. */
size_t class_map_count(const struct class_map *map, enum mask_kind kind, unsigned int bit);

/*
 * The filter under which the event stands for these types: "" if one of them wants every record of
 * it. sites is an expression over call_site that is true inside the modules of the chosen
 * subsystems; NULL does not narrow. The caller frees it.
 */
int class_map_filter(const struct class_map *map, const struct dkt_event *event, uint32_t types,
		     const char *sites, char **filter);

/* The subsystems that the module belongs to, 0: none. */
uint32_t class_map_module(const struct class_map *map, const char *module);

/* ---- what the files say ---- */

/* One line about the class or subsystem, "" if there is none. */
const char *class_map_about(const struct class_map *map, enum mask_kind kind, unsigned int bit);

/* Why a stock kernel has nothing for it, NULL if something stands for it. */
const char *class_map_none(const struct class_map *map, enum mask_kind kind, unsigned int bit);

/* The entries in the order in which they apply; valid as long as the map. */
const struct class_entry *class_map_entries(const struct class_map *map, enum mask_kind kind,
					    unsigned int bit, size_t *n);

/* The events whose records say their class themselves (`messages`). */
const struct class_entry *class_map_messages(const struct class_map *map, size_t *n);

/* Names of the modules of these subsystems, each once; the caller frees the array only. */
int class_map_modules(const struct class_map *map, uint32_t subsystems, const char ***modules,
		      size_t *n);
