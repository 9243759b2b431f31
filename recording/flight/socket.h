/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket of a flight recorder: it takes requests, and tells followers of incidents and dumps. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/incident.h"
#include "lib/base/util.h"

/* Bytes of a request or an answer. */
#define FLIGHT_LINE_MAX 1024

/* The incident elsewhere for which recorders are frozen. */
struct flight_elsewhere {
	char *id; /* NULL: unknown */
	/*
	 * The last incident of this recorder that whoever freezes has heard of; NULL: unknown. A later one
	 * is the same incident: the condition held on both hosts before either knew of the other.
	 */
	char *heard;
};

/* Reads REASON, and perhaps a tab and the identity, and another tab and heard. Leaves the reason in the line. */
void flight_elsewhere_read(char *line, struct flight_elsewhere *elsewhere);

/* A request is a line KIND TAB REASON, which for FLIGHT_FREEZE ends as flight_elsewhere_read() has it. */
enum flight_request_kind {
	FLIGHT_DUMP = 'd', /* the answer is the file */
	FLIGHT_FREEZE = 'f', /* the same, of an incident elsewhere; there is no answer */
	FLIGHT_FOLLOW = 'w', /* lines follow until one side ends; see flight_followers_tell() */
};

struct flight_request {
	enum flight_request_kind kind;
	char reason[FLIGHT_LINE_MAX];
	struct flight_elsewhere elsewhere; /* in the reason */
	int fd; /* for the answer */
};

/* ---- the recorder's end ---- */

/* Opens it. Returns a descriptor or -errno. */
int flight_listen(struct dkt_ctx *ctx, const char *log);

/* Takes a request. Returns 0. -EAGAIN: there is none; -EBADMSG: it is not complete. */
int flight_accept(int listener, struct flight_request *request);

/* Sends the name of the file, or the error if err is set, and closes the descriptor. */
void flight_answer(int fd, int err, const char *text);

#define FLIGHT_FOLLOWERS 16

struct flight_followers {
	int fds[FLIGHT_FOLLOWERS];
	size_t n;
};

/* Takes the descriptor of a FLIGHT_FOLLOW; more than FLIGHT_FOLLOWERS are turned away. */
void flight_followers_add(struct flight_followers *followers, int fd);

/*
 * Sends each a line of texts, which ends with NULL, with a tab between two. One that does not read is dropped.
 * The first text is a word: "recorder" before the directory of the dumps and the last incident, first of all; "incident" before the
 * reason and the identity, as soon as a condition holds; "dump" before the file, its reasons and the identities
 * of its incidents; and "failed" before the same, with why there is no dump in place of the file.
 */
void flight_followers_tell(struct flight_followers *followers, const char *const *texts);
void flight_followers_close(struct flight_followers *followers);

/* ---- the other end ---- */

/* Asks the running recorder for a dump and waits for its file, which the caller frees. */
int flight_ask(struct dkt_ctx *ctx, const char *log, const char *reason, char **file);

/*
 * Has the running recorder stop recording at once, make a dump, and record again, for an incident elsewhere.
 * Does not wait. If its own dump has the same incident, it only tells its followers so.
 */
int flight_freeze(struct dkt_ctx *ctx, const char *log, const char *reason,
		  const struct flight_elsewhere *elsewhere);

/* Returns a descriptor from which the lines for followers can be read, or -errno. -ENOENT: nothing records. */
int flight_follow(struct dkt_ctx *ctx, const char *log);
