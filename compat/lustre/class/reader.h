/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads YAML as a walk over its events; every error starts with FILE:LINE:COLUMN. */
#pragma once

#include <yaml.h>

#include <dktrace/dktrace.h>

#include "lib/base/arena.h"

struct reader {
	struct dkt_ctx *ctx; /* for error messages */
	struct dkt__arena *arena; /* owns the texts that were read */
	const char *file;
	const char *text;
	size_t len;
	yaml_parser_t yaml;
	yaml_event_t event; /* the current one */
};

/* The possible keys of a mapping. */
struct reader_keys {
	const char *what; /* what a key is, for messages */
	int (*find)(const char *name); /* returns the number of the key, below 32, or -ENOENT */
};

/* Reads the value that begins at the current event, and stops at the value's last event. */
typedef int (*reader_fn)(struct reader *r, unsigned int key, void *data);

int dkl_reader_refuse_at(struct reader *r, const yaml_mark_t *mark, const char *fmt, ...)
	DKT_PRINTF(3, 4);

/* Refuses the current event with an error message. */
#define READER_REFUSE(r, ...) dkl_reader_refuse_at(r, &(r)->event.start_mark, __VA_ARGS__)

int dkl_reader_no_memory(struct reader *r);

/* Reads the text, and calls fn for its document, if it has one. */
int dkl_reader_file(struct reader *r, reader_fn fn, void *data);

/* Gets the text of the current event: line breaks at the end are removed, others become spaces. */
int dkl_reader_text(struct reader *r, const char *what, const char **text);
int dkl_reader_bool(struct reader *r, const char *what, bool *value);

/* Reads the mapping at the current event: calls fn for each value, with the number of its key. */
int dkl_reader_mapping(struct reader *r, const struct reader_keys *keys, reader_fn fn, void *data);

/* Reads the list at the current event: calls fn for each value, with `key`. */
int dkl_reader_list(struct reader *r, const char *what, unsigned int key, reader_fn fn, void *data);
