/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration file: lines of `key = value`, and comments. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/strings.h"

#define CONF_FILE CONFDIR "/dktrace.conf"

/* Keys other than parameters; the last four may occur several times. */
#define CONF_INSTANCE  "instance"
#define CONF_REAL_LCTL "real_lctl"
#define CONF_CPUS      "cpus"
#define CONF_PIDS      "pids"
#define CONF_FUNCTION  "function"
#define CONF_GRAPH     "graph"
#define CONF_PROBE     "probe"
#define CONF_EVENT     "event"
#define CONF_FILTER    "filter"
#define CONF_TRIGGER   "trigger"

struct conf_line {
	const char *key; /* NULL: a comment or an empty line */
	char *text; /* the whole line without its newline */
	const char *value; /* in text, without spaces around it */
	unsigned int nr, column; /* place of the value, counted from 1 */
};

struct conf {
	char *file; /* its name as given */
	struct conf_line *lines;
	size_t n;
};

/*
 * Parses text; file is the name for error messages. -EINVAL: the message begins with FILE:LINE:COLUMN
 * of the first invalid line; the others are parsed nevertheless.
 */
int dkl_conf_parse(struct dkt_ctx *ctx, const char *file, const char *text, size_t len,
		   struct conf *conf);

/* Reads a file, whose text the caller frees. A NUL follows the len bytes. */
int dkl_conf_read(struct dkt_ctx *ctx, const char *file, char **text, size_t *len);

/* Reads and parses a file. */
int dkl_conf_load(struct dkt_ctx *ctx, const char *file, struct conf *conf);
void dkl_conf_clear(struct conf *conf);

bool dkl_conf_is_list(const char *key);

/* Returns the i-th key that is not a parameter, in the order of application; NULL at the end. */
const char *dkl_conf_key(size_t i);

/* Returns the first line of the key; NULL: none. */
const struct conf_line *dkl_conf_find(const struct conf *conf, const char *key);

/* Returns the key's next line after line, or with NULL the first; NULL at the end. */
const struct conf_line *dkl_conf_next(const struct conf *conf, const char *key,
				      const struct conf_line *line);

/*
 * Sets the value in the key's line, or in a new line at the end; NULL removes the line. Frees the
 * values of lines that were found before.
 */
int dkl_conf_set(struct conf *conf, const char *key, const char *value);

/*
 * The same for a key that may occur several times. Keeps lines for which keep returns true, with a
 * comment before them that gives the reason. keep may be NULL.
 */
int dkl_conf_set_list(struct conf *conf, const char *key, const struct dkt__strings *values,
		      bool (*keep)(void *data, const struct conf_line *line), void *data);

/*
 * Writes the file, all or nothing, with group and mode of an existing one; follows a symbolic link.
 * Creates its directory.
 */
int dkl_conf_save(struct dkt_ctx *ctx, const struct conf *conf);
