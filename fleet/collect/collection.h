/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The description of a collection, DIR/collection.json: the command, and each host with its file, how the
 * command ended there, and the measurements of its clock.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "fleet/clock/clock.h"
#include "lib/base/strings.h"

#define COLLECTION_NAME "collection.json"

struct collection_host {
	char *name; /* as it was given to collect */
	char *file; /* in the directory */
	char *state; /* connecting, running, complete, broken or failed */
	char *message; /* why it failed; NULL: it did not */
	char *hostname, *boot, *version; /* as the host says; NULL: unknown */
	char *wall_error; /* ns that its wall clock may be wrong, by its kernel; "unknown", or NULL */
	char *load; /* the number of its file in databases, 16 hex digits; NULL: that of its contents */
	int64_t status; /* the command's exit status */
	uint64_t bytes;
	uint64_t breaks; /* connections that were lost */
	struct clock clock;
	struct dkt_clock_point *points; /* its lines */
	size_t n_points;
};

struct collection {
	struct dkt__strings command;
	int64_t began, ended; /* ns since the epoch; ended 0: it has not, or collect was killed */
	int64_t wall; /* CLOCK_REALTIME minus CLOCK_MONOTONIC of the host that collects */
	struct collection_host *hosts;
	size_t n;
};

/* Fits the lines of each host that has trips. */
int collection_fit(struct dkt_ctx *ctx, struct collection *about);

/* Replaces the file at path, whole or not at all. */
int collection_write(struct dkt_ctx *ctx, const struct collection *about, const char *path);

/*
 * Reads such a file. Everything in it is checked: files have plain names, hosts differ, numbers are numbers.
 * Clear it in either case.
 */
int collection_read(struct dkt_ctx *ctx, const char *path, struct collection *about);

/*
 * Returns the path of the description if path is a collection: its directory, or the description itself.
 * The caller frees it. NULL: it is something else.
 */
char *collection_find(const char *path);

/* Gets the number of the host's file in databases. False: it has none. */
bool collection_load(const struct collection_host *host, uint64_t *number);

/* False if collect did not live to write down how the command ended on the host. */
bool collection_knows_end(const struct collection *about, const struct collection_host *host);

/* Sets *words to why not all output of a host has come, which the caller frees; NULL: all has. -ENOMEM */
int collection_lack(const struct collection *about, const struct collection_host *host,
		    char **words);

/* The largest error on the lines of a host. -ENODATA: it has none. */
int collection_error(const struct collection_host *host, uint64_t *error);

void collection_clear(struct collection *about);
