/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* load: shared by its files. */
#pragma once

#include "answers/load/load.h"
#include "ctl/app/app.h"

struct load_options {
	const char *ca, *clickhouse, *compression, *layout, *reconnect, *server_timeout;
	bool dry_run;
};
extern const struct opt_values load_values;

/* Fails if it is a pipe, which waits for a writer when it is opened. */
int load_refuse_pipe(const struct app *app, const char *path);

/* Sets a number that tells the contents of a file, or of the files of a directory. */
int load_digest(const struct app *app, const char *path, uint64_t *digest);

/* Reads the options of a load. Returns 0, or the exit status after a message. */
int load_read_opts(struct app *app, struct load_opts *opts);

/* Loads what the server lacks of a collection, and says so if it is anything. Returns the exit status. */
int load_rest(struct app *app, const char *dir);

/* ---- stream.c ---- */

/* The hosts that are loaded while they record are the first ones. */
#define LOAD_STREAMS 64

/*
 * Loads a collection while it is recorded, until the descriptor alive has no writer any more. It is for a
 * process of its own. Returns the exit status.
 */
int load_stream(struct app *app, const char *dir, int alive);
