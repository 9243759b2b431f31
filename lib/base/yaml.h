/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads YAML as a walk over its events; every error starts with FILE:LINE:COLUMN. */
#pragma once

#include <stdbool.h>
#include <yaml.h>

#include "lib/base/arena.h"

struct dkt__yaml {
	struct dkt__arena *arena; /* owns the texts that were read */
	const char *file;
	const char *text;
	size_t len;
	yaml_parser_t yaml;
	yaml_event_t event; /* the current one */
	char *why; /* after a failure: its message, which the caller of dkt__yaml_file() frees */
};

/* The possible keys of a mapping, at most 32; the number of a key is its place in words. */
struct dkt__yaml_keys {
	const char *what; /* what a key is, for messages */
	const char *const *words;
	size_t n;
	int (*find)(const char *name); /* in place of words: returns the number, or -ENOENT */
};

/* Reads the value that begins at the current event, and stops at the value's last event. */
typedef int (*dkt__yaml_fn)(struct dkt__yaml *r, unsigned int key, void *data);

int dkt__yaml_refuse_at(struct dkt__yaml *r, const yaml_mark_t *mark, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Refuses the current event with a message. */
#define DKT__YAML_REFUSE(r, ...) dkt__yaml_refuse_at(r, &(r)->event.start_mark, __VA_ARGS__)

int dkt__yaml_no_memory(struct dkt__yaml *r);

/* Reads the text, and calls fn for its document, if it has one. Returns 0, or -errno and r->why. */
int dkt__yaml_file(struct dkt__yaml *r, dkt__yaml_fn fn, void *data);

/* Gets the text of the current event: line breaks at the end are removed, others become spaces. */
int dkt__yaml_text(struct dkt__yaml *r, const char *what, const char **text);
int dkt__yaml_bool(struct dkt__yaml *r, const char *what, bool *value);

/* Reads the mapping at the current event: calls fn for each value, with the number of its key. */
int dkt__yaml_mapping(struct dkt__yaml *r, const struct dkt__yaml_keys *keys, dkt__yaml_fn fn,
		      void *data);

/* Reads the value of a name, as dkt__yaml_fn does of a key. */
typedef int (*dkt__yaml_name_fn)(struct dkt__yaml *r, const char *name, void *data);

/* Reads the mapping at the current event, whose keys are names that the file gives; fn refuses them. */
int dkt__yaml_names(struct dkt__yaml *r, const char *what, dkt__yaml_name_fn fn, void *data);

/* Reads the list at the current event: calls fn for each value, with `key`. */
int dkt__yaml_list(struct dkt__yaml *r, const char *what, unsigned int key, dkt__yaml_fn fn,
		   void *data);
