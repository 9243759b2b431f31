/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads YAML as a walk over its events; every error starts with FILE:LINE:COLUMN. */
#pragma once

#include <yaml.h>

#include <dktrace/dktrace.h>

#include "base/arena.h"

struct reader {
	struct dkt_ctx *ctx; /* takes the words of a failure */
	struct dkt__arena *arena; /* holds the texts that are read */
	const char *file;
	const char *text;
	size_t len;
	yaml_parser_t yaml;
	yaml_event_t event; /* the current one */
};

/* The names that a mapping's keys are taken from. */
struct reader_keys {
	const char *what; /* is said to be unknown */
	int (*find)(const char *name); /* position of a name, below 32, or -ENOENT */
};

/* Is called with a value as the current event; leaves the value's last event as the current one. */
typedef int (*reader_fn)(struct reader *r, unsigned int key, void *data);

int reader_refuse_at(struct reader *r, const yaml_mark_t *mark, const char *fmt, ...)
	DKT_PRINTF(3, 4);

/* Refuses the current event. */
#define READER_REFUSE(r, ...) reader_refuse_at(r, &(r)->event.start_mark, __VA_ARGS__)

int reader_no_memory(struct reader *r);

/* Reads the text; fn is called with its one document, or not if there is none. */
int reader_file(struct reader *r, reader_fn fn, void *data);

/* The current event as text: without line breaks at the end, others become spaces. */
int reader_text(struct reader *r, const char *what, const char **text);
int reader_bool(struct reader *r, const char *what, bool *value);

/* Walks the current event, a mapping: fn gets each value with the position of its key. */
int reader_mapping(struct reader *r, const struct reader_keys *keys, reader_fn fn, void *data);

/* Walks the current event, a list: fn gets each value with the key given. */
int reader_list(struct reader *r, const char *what, unsigned int key, reader_fn fn, void *data);
