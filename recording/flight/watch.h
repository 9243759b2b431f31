/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conditions of a flight recorder: an instance with only their events tells when one happens. */
#pragma once

#include "recording/flight/group.h"

struct message_reader;
struct rpc_times;

/* Slow calls that a watch remembers: those of one look, or some would count twice. */
#define FLIGHT_TOLD 1024

struct flight_watch {
	/* Its own context: whoever creates probes in a context makes its live sources invalid. */
	struct dkt_ctx *ctx;
	struct flight_group group;
	struct dkt_source *source;
	struct message_reader *messages; /* in it */
	const char *way; /* how the condition is tested, for the user */
	char *text; /* a glob for the texts of messages; NULL: the condition is no message */
	const char *name; /* of the latency; NULL: each record is an incident */
	uint64_t limit; /* ns */
	/* One of these measures the latency. */
	const struct dkt_field *lat; /* the kernel, which records only the slow ones */
	const struct dkt_field *by; /* of these: the number of the system call; NULL: it has none */
	bool calls; /* the latencies are those of system calls */
	struct dkt_expr *filter; /* of the pairs; NULL: none */
	struct dkt_intervals *pairs;
	struct rpc_times *rpcs;
	char *slow; /* the synthetic event of the kernel's; NULL: none */
	const struct dkt_event *begin; /* the only one of pairs that ends none; NULL: several */
	uint64_t count, sum; /* of the pairs so far, ns */
	/* The last slow calls that the kernel has measured for this watch. */
	struct flight_slow {
		int pid;
		uint64_t ns; /* how long it took; 0: none */
		uint64_t end; /* the time of its record */
	} told[FLIGHT_TOLD];
	size_t n_told; /* of all time; the next one has the place n_told % FLIGHT_TOLD */
};

/* True if it reads all records of its events, so that they must not fill the buffer. */
bool flight_watch_reads(const struct flight_watch *watch);

/*
 * Sets up the events that are conditions, as dkl_named_read() takes them, of the processes, programs and CPUs of
 * who, and with its filter if they have the fields. Remove it also after an error.
 */
int flight_watch_events(struct dkt_ctx *ctx, const char *log, const char *name, const char *events,
			const struct wanted_words *who, struct flight_watch *watch);

/* Returns the text of a condition "message TEXT"; NULL: it is another condition. */
const char *flight_message_words(const char *condition);

/* Sets up the messages of Lustre with these words. Remove it also after an error. */
int flight_watch_message(struct dkt_ctx *ctx, const char *log, const char *name, const char *words,
			 struct flight_watch *watch);

/*
 * Reads a condition "LATENCY > TIME". Returns false if the text is not of that form. TIME has a unit;
 * otherwise *limit is 0.
 */
bool flight_read_latency(const char *text, char **latency, uint64_t *limit);

/*
 * Sets up a latency: a ready-made pair, names of system calls separated by commas, or RPC_TIMES_NAME. who is as
 * for events, but not for RPC_TIMES_NAME. A time above limit ns is an incident. The
 * kernel measures it if it can. -ENOENT: the kernel lacks the events. Remove it also after an error.
 */
int flight_watch_latency(struct dkt_ctx *ctx, const char *log, const char *name,
			 const char *latency, uint64_t limit, const struct wanted_words *who,
			 struct flight_watch *watch);

/* The incidents of a look. */
struct flight_found {
	uint64_t n;
	uint64_t last; /* the time of the last one, CLOCK_MONOTONIC ns; UINT64_MAX: unknown */
	char *reason; /* the text of the first one, which the caller frees; NULL: there was none */
};

/*
 * Takes the records so far. The twin is another table of the kernel for the same latency, or NULL: calls that
 * it has reported already are left out. Free the reason also after an error.
 */
int flight_watch_look(struct dkt_ctx *ctx, struct flight_watch *watch, struct flight_watch *twin,
		      struct flight_found *found);

/* Removes the instance and what else was created for the condition. The error is in ctx. */
int flight_watch_remove(struct dkt_ctx *ctx, const char *log, struct flight_watch *watch);

/* Removes the instance of that name, and what else a recorder that was killed has created for it. */
int flight_watch_remove_left(struct dkt_ctx *ctx, const char *log, const char *name);
