/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration file: lines of `key = value`, and comments. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/names.h"

#define CONF_FILE CONFDIR "/dktrace.conf"

/* The parameters of Lustre's names, and these; the last three come as often as they like. */
#define CONF_INSTANCE  "instance"
#define CONF_REAL_LCTL "real_lctl"
#define CONF_CPUS      "cpus"
#define CONF_PIDS      "pids"
#define CONF_FUNCTION  "function"
#define CONF_GRAPH     "graph"
#define CONF_PROBE     "probe"
#define CONF_FILTER    "filter"
#define CONF_TRIGGER   "trigger"

struct conf_line {
	const char *key; /* NULL: a comment, or blank */
	char *text; /* the whole line, without its end */
	const char *value; /* in text, without blanks around it */
	unsigned int nr, column; /* where the value begins, both counted from 1 */
};

struct conf {
	char *file; /* as it was named */
	struct conf_line *lines;
	size_t n;
};

/*
 * Reads text; file is for the words of an error. -EINVAL: the first line that makes no sense is in
 * the words, as FILE:LINE:COLUMN; what the others say is there all the same.
 */
int conf_parse(struct dkt_ctx *ctx, const char *file, const char *text, size_t len,
	       struct conf *conf);

/* Reads a file. -ENOENT and others: it cannot be read. */
int conf_load(struct dkt_ctx *ctx, const char *file, struct conf *conf);
void conf_clear(struct conf *conf);

bool conf_is_list(const char *key);

/* The keys that are no parameters, in the order in which they are applied; NULL at the end. */
const char *conf_key(size_t i);

/* NULL: it is not there. */
const struct conf_line *conf_find(const struct conf *conf, const char *key);

/* The line of the key behind that one, NULL: the first. NULL at the end. */
const struct conf_line *conf_next(const struct conf *conf, const char *key,
				  const struct conf_line *line);

/*
 * Sets a value in its place, or behind the last line; NULL takes the line away. Comments stay.
 * The values of lines found before are freed.
 */
int conf_set(struct conf *conf, const char *key, const char *value);

/*
 * The same for a key that comes as often as it likes: its lines become these values. Those that
 * keep says stay, behind a comment that says why; one from before goes. keep may be NULL.
 */
int conf_set_list(struct conf *conf, const char *key, const struct names *values,
		  bool (*keep)(void *data, const struct conf_line *line), void *data);

/*
 * Writes it to the file so that it is there whole or not at all, with owner and mode of the one
 * that was there; through a link, to where that leads. Its directory is made.
 */
int conf_save(struct dkt_ctx *ctx, const struct conf *conf);
