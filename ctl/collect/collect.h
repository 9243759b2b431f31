/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect: shared by its files. */
#pragma once

#include "ctl/app/app.h"
#include "ctl/remote/actions.h"
#include "fleet/collect/alarms.h"
#include "fleet/collect/collection.h"
#include "fleet/collect/fleet.h"
#include "lib/base/strings.h"

struct collect_options {
	const char *delay, *fanout, *far_program, *hosts, *keep_size, *max_dumps, *nodes,
		*reconnect, *ssh, *timeout;
};
extern const struct opt_values collect_values;

/* A process beside a collection. */
struct collect_child {
	pid_t pid;
	int end; /* a byte in this pipe ends it: a confined process may not send signals */
};

/* One run of the command. */
struct collect {
	struct app *app;
	const struct action *action;
	struct dkt__strings hosts; /* as given to ssh */
	struct dkt__strings ssh; /* the program that connects, and its arguments */
	struct dkt__strings args; /* the command for each host */
	char **ssh_argv, **args_argv; /* the same, with NULL behind */
	const char *suffix; /* of the files */
	bool confined; /* already, as the process that has started this one is */
	bool raw; /* the hosts send control characters as they are */
	int dir; /* the directory of the files; -1: they have no names, and are printed at the end */
	struct collection about; /* what is written as collection.json */
	struct dialer dialer;
	uint32_t *places; /* of the hosts among the dialer's; NULL: they are the same */
	struct fleet fleet;
	uint64_t began; /* ns */
	uint64_t described; /* when collection.json was last written, ns */
	uint64_t looked; /* when the line of progress was last shown, ns */
	uint64_t looked_bytes;
	bool shown; /* a line of progress stands on the terminal */
	struct dkt__strings
		dumps; /* for each host the name of the dump to fetch; none: of all the last one */
	uint64_t delay; /* of follow: a line waits so long for earlier ones, ns */
	/* For flight follow: */
	int max_dumps; /* in an hour */
	struct alarms *alarms;
	struct collect_child *children; /* processes beside it */
	size_t n_children;
	int worst; /* of their exit statuses */
	/* For --load: */
	uint64_t *numbers; /* of the hosts' files in databases; NULL: nothing is loaded */
	int loading; /* the end of a pipe that is open while the hosts record */
	struct collect_child rest; /* loads what is left at the end */
	int rest_begins; /* the end of a pipe: a byte lets it begin */
};

/* Returns the names with a NULL behind. Free it; the names stay those of the list. */
char **collect_argv(const struct dkt__strings *names);

/* Runs the command on the hosts, and prints what came or a table. Returns the exit status. */
int collect_run(struct collect *collect);

/* ---- hosts.c ---- */

/* Reads --nodes and --hosts. Returns 0, or the exit status after a message. */
int collect_hosts(struct app *app, struct dkt__strings *hosts);

/* Returns the names in short, as a node set if ClusterShell is there. NULL: out of memory. */
char *collect_fold(const struct collect *collect, uint32_t *hosts, size_t n);

/* The dialer's part of it. data: the names. NULL: there is no ClusterShell. */
char *collect_node_set(void *data, const uint32_t *hosts, size_t n);

/* ---- confine.c ---- */

/* Starts the process that starts ssh, and prepares for it. Call it before anything of a host is read. */
int collect_dial(struct collect *collect);

/* Confines the process to what is open, and to the directory of the output. */
int collect_confine(struct collect *collect);

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
pid_t collect_fork(struct collect_child *child);

/* Lets collect_reap() take its exit status. */
void collect_watch(struct collect *collect, const struct collect_child *child);

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
