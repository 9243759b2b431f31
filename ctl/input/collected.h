/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collections as inputs: each becomes the files of its hosts. */
#pragma once

#include "ctl/input/inputs.h"
#include "fleet/collect/collection.h"

/* The collections among the arguments of a command. */
struct collected {
	struct collection *list;
	size_t n;
	struct dkt__strings paths; /* of the files */
	struct pipeline_absent *absent; /* hosts that have sent nothing, by their files' paths */
	size_t n_absent;
	bool incomplete; /* a host is missing, or its file is not whole */
};

/* True if path is a collection. */
bool collected_is(const char *path);

/*
 * Adds the files of a collection to the inputs, and says which hosts are missing. *is: path is a collection.
 * Returns 0, or the exit status after a message.
 */
int collected_add(struct inputs *inputs, const char *path, bool *is);

/*
 * Makes the inputs of a collection that is still recorded: all its hosts, also those that have sent nothing yet.
 * Opens nothing. Clear them in either case.
 */
int collected_begin(struct app *app, const char *path, struct inputs *inputs);

/* Reads the measurements again, and forgets how files were related. */
int collected_renew(struct inputs *inputs, const char *path);

/*
 * Calls fn for each host of the collections whose output has not all come, with the reason. Returns the number
 * of all hosts.
 */
size_t collected_lacks(const struct inputs *inputs,
		       void (*fn)(void *data, const struct collection_host *host,
				  const char *words),
		       void *data);

/* Relates file i to file first by the measurements of their collection. Returns 1 if there are none. */
int collected_relate(struct inputs *inputs, size_t i, size_t first);

/* Sets how far the merged times of file i can be off. The caller frees the points. */
int collected_clock(const struct inputs *inputs, size_t i, struct dkt_source_clock *clock);

/* True if the files are of different boots, as their hosts have said. */
bool collected_differ(const struct inputs *inputs, size_t i, size_t j);

/* Frees the collections; NULL: nothing. */
void collected_free(struct collected *collected);
