/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads, calls and requests that are under way, from which the ways of calls are made. */
#pragma once

#include "compat/lustre_log/paths.h"

/* A thread of a client or a server. */
struct path_thread {
	uint64_t serial; /* of the RPC that it serves; 0: none */
	uint64_t call; /* number of the call that it is in; 0: none */
	uint64_t off; /* since when it does not have a CPU; 0: it has one, or that is unknown */
	uint32_t job; /* of its last request, or its program */
};

/* An RPC, as far as the messages about it do not tell. */
struct path_work {
	uint64_t call; /* that it belongs to; 0: none */
	bool cpu; /* the times without a CPU are known */
	struct path_spans served; /* what the server's thread waited for */
};

struct path_call {
	uint32_t host;
	int32_t pid;
	uint64_t from, to; /* to: of the last message of the thread */
	uint32_t name, file, fid, job;
	uint32_t function; /* that told of its beginning; 0: a system call */
	bool system_call; /* begun by one */
	bool paired; /* a message tells of its end */
	bool marked; /* a message or a system call ended it */
	bool ended;
	bool lacks; /* a request did not end, or its records were lost */
	uint64_t pending; /* requests that have not ended */
	struct path_spans grants; /* waits for locks, on the client */
	struct path *requests;
	size_t n;
};

/* Returns NULL if the thread is not known. */
struct path_thread *dkl_path_thread(const struct paths *paths, uint32_t host, int32_t pid);

/* The same, added if necessary. NULL: memory is out. */
struct path_thread *dkl_path_thread_add(struct paths *paths, uint32_t host, int32_t pid);

/* Returns NULL if nothing was remembered of the RPC. */
struct path_work *dkl_path_work(const struct paths *paths, uint64_t serial);

/* Begins a call of the thread, and ends the one before. */
int dkl_path_call_begin(struct paths *paths, uint32_t host, int32_t pid, uint64_t time,
			struct part name, uint64_t *number);
int dkl_path_call_end(struct paths *paths, uint32_t host, int32_t pid, uint64_t time);

/* The call that has the number; NULL: none. */
struct path_call *dkl_path_call(const struct paths *paths, uint64_t number);

void dkl_path_call_clear(struct path_call *call);

/* Counts a path, and keeps or frees its spans. */
int dkl_path_put(struct paths *paths, struct path *path);

/* Makes the path of a call whose requests have ended, and forgets the call. */
int dkl_path_call_put(struct paths *paths, uint64_t number);

/* ---- events of the kernel ---- */

int dkl_path_events_new(struct dkt_ctx *ctx, struct path_events **events);
void dkl_path_events_free(struct path_events *events);

/* Takes a record. */
int dkl_path_events_add(struct paths *paths, uint32_t host, const struct dkt_record *record,
			const char *comm);

/* Forgets what is under way on the host. */
void dkl_path_events_cut(struct path_events *events, uint32_t host);
