/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect: shared by its files. */
#pragma once

#include "app/app.h"
#include "fleet/alarms.h"
#include "fleet/collection.h"
#include "fleet/fleet.h"
#include "lustre/names.h"
#include "remote/actions.h"

/* One run of the command. */
struct collect {
	struct app *app;
	const struct action *action;
	struct names hosts; /* as given to ssh */
	struct names ssh; /* the program that connects, and its arguments */
	struct names args; /* the command for each host */
	char **ssh_argv, **args_argv; /* the same, with NULL behind */
	const char *suffix; /* of the files */
	bool raw; /* the hosts send control characters as they are */
	int dir; /* the directory of the files; -1: they have no names, and are printed at the end */
	struct collection about; /* what is written as collection.json */
	struct fleet fleet;
	uint64_t began; /* ns */
	uint64_t described; /* when collection.json was last written, ns */
	uint64_t looked; /* when the line of progress was last shown, ns */
	uint64_t looked_bytes;
	bool shown; /* a line of progress stands on the terminal */
	struct names
		dumps; /* for each host the name of the dump to fetch; none: of all the last one */
	uint64_t delay; /* of follow: a line waits so long for earlier ones, ns */
	/* For flight follow: */
	int max_dumps; /* in an hour */
	struct alarms *alarms;
	pid_t *children; /* processes beside it */
	size_t n_children;
	int worst; /* of their exit statuses */
	/* For --load: */
	uint64_t *numbers; /* of the hosts' files in databases; NULL: nothing is loaded */
	int loading; /* the end of a pipe that is open while the hosts record */
};

/* Returns the names with a NULL behind. Free it; the names stay those of the list. */
char **collect_argv(const struct names *names);

/* Runs the command on the hosts, and prints what came or a table. Returns the exit status. */
int collect_run(struct collect *collect);

/* ---- hosts.c ---- */

/* Reads --nodes and --hosts. Returns 0, or the exit status after a message. */
int collect_hosts(struct app *app, struct names *hosts);

/* Returns the names in short, as a node set if ClusterShell is there. NULL: out of memory. */
char *collect_fold(const struct names *hosts);

/* ---- files.c ---- */

/* Creates the directory of --output and a file for each host in it, or files without names. */
int collect_open(struct collect *collect);

/* Writes collection.json, if there is a directory; ended: with the lines of the clocks. */
int collect_describe(struct collect *collect, bool ended);

/* Returns this host's CLOCK_REALTIME minus CLOCK_MONOTONIC, in ns. */
int64_t collect_wall_offset(void);

/* Frees the description. */
void collect_forget(struct collect *collect);

/* ---- children.c ---- */

/* Starts a process, which Ctrl-C does not end. Returns as fork() does. */
pid_t collect_fork(struct collect *collect);

/* Takes the exit statuses of processes; wait: of all of them. */
void collect_reap(struct collect *collect, bool wait);

/* ---- stream.c ---- */

/* Gives the files numbers before they have contents. Call it before they are described. */
int collect_number(struct collect *collect);

/* Begins to load the files into ClickHouse as they come. */
int collect_stream(struct collect *collect);

/* When all is here: waits until it is loaded, and loads the rest. Returns the exit status. */
int collect_stream_end(struct collect *collect);

/* ---- alarms.c ---- */

/* Follows the flight recorders of all hosts until the user ends it. */
int collect_alarms(struct collect *collect);

/* ---- follow.c ---- */

/* Prints the lines of all hosts as they come, until the user ends it. */
int collect_follow(struct collect *collect);

/* ---- show.c ---- */

/* Show progress, and a host that is over. They are struct fleet's functions. */
void collect_look(void *data, struct fleet *fleet);
void collect_over(void *data, struct fleet_host *host);

/* Removes the line of progress. */
void collect_unshow(struct collect *collect);

/* Prints what the hosts have written, those with the same text together. */
int collect_print(struct collect *collect);

/* Prints a table of the hosts. */
int collect_table(struct collect *collect);
