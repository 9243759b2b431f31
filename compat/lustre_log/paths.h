/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The way of each call of a program through Lustre: on the client, the network, the server, its locks and disks.
 *
 * A call begins and ends with its system call, if the file has that, or with the client's messages of the class
 * vfstrace or iotrace. A request belongs to the call of the thread that sends it. One that a daemon of the client
 * sends belongs to the call that a thread with the job of the request is in, if there is only one. A request that
 * belongs to no call is a way of its own.
 */
#pragma once

#include "compat/lustre_log/locks.h"
#include "compat/lustre_log/path_spans.h"

enum path_by {
	PATH_BY_OPCODE, /* of the request that took longest */
	PATH_BY_CALL,
	PATH_BY_JOB,
	PATH_BY_CLIENT,
	PATH_BY_TARGET,
	PATH_BY_NONE,
};

/* Names are numbers of paths.rpcs.names; 0: unknown. */
struct path {
	uint64_t from, to; /* ns */
	uint32_t host; /* of the client, or of the server if its log is alone */
	uint32_t call, file, fid; /* call 0: a request without a call */
	uint32_t opcode, job, client, target; /* of the request that took longest */
	uint64_t xid; /* of the same */
	size_t requests;
	struct path_spans spans;
};

struct path_group {
	uint32_t key;
	uint64_t count;
	struct dkt__dist whole;
	struct dkt__dist parts[PATH_PARTS]; /* of the paths that have such a part */
};

/* Which paths count. */
struct path_wants {
	uint32_t opcode; /* OPCODE_UNKNOWN: all */
	const char *job, *file; /* NULL: all; the file is a name or a FID in brackets */
};

struct paths {
	struct dkt_ctx *ctx;
	struct path_wants wants;
	enum path_by by;
	struct rpcs rpcs;
	struct locks locks;
	struct dkt__keyed threads; /* host, PID */
	struct dkt__keyed works; /* serial of an RPC */
	struct dkt__keyed calls; /* number */
	uint64_t n_calls; /* that began */
	struct path_events *events; /* of the kernel */
	struct dkt__keymap group_map;
	struct path_group *groups; /* by entry of group_map */
	size_t n_groups;
	struct path *slowest; /* the slowest first; most_slowest + 1 places */
	size_t n_slowest, most_slowest;
	uint64_t count; /* of all paths that are wanted */
	uint64_t with_call; /* of them */
	uint64_t one_sided; /* requests of which only one side is there */
	uint64_t open_ends; /* calls whose end no message tells */
	uint64_t lost_parts; /* calls with requests that did not end in the files */
	bool clients, servers; /* there are messages of these sides */
	bool completes; /* there are messages about the ends of calls */
	bool locks_told, disks_told,
		cpu_told; /* there are messages about locks, events of disks, switches */
};

/*
 * slowest: how many of the slowest paths to keep; singles: how many of the slowest requests, and of locks, which
 * a waterfall needs. by has the key of the groups.
 */
int dkl_paths_init(struct paths *paths, struct dkt_ctx *ctx, enum path_by by,
		   const struct path_wants *wants, size_t slowest, size_t singles);
void dkl_paths_clear(struct paths *paths);

/* Takes the next message in order of time. */
int dkl_paths_add(struct paths *paths, const struct log_line *line);

/* Takes the next record that is not a message. comm: of its thread; NULL: unknown. */
int dkl_paths_record(struct paths *paths, uint32_t host, const struct dkt_record *record,
		     const char *comm);

/* Records of a host were lost, or it was started again: no path crosses that. */
void dkl_paths_cut(struct paths *paths, uint32_t host, bool restart);

/* After the last record. */
int dkl_paths_finish(struct paths *paths);

static inline const char *path_name(const struct paths *paths, uint32_t number)
{
	return name_text(&paths->rpcs.names, number);
}
