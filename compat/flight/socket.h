/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket of a flight recorder: it takes requests, and tells followers of incidents and dumps. */
#pragma once

#include <dktrace/dktrace.h>

#include "base/util.h"

/* Bytes of a request or an answer. */
#define FLIGHT_LINE_MAX 1024

/* A request is a line KIND TAB REASON. */
enum flight_request_kind {
	FLIGHT_DUMP = 'd', /* the answer is the file */
	FLIGHT_FREEZE = 'f', /* the same, of an incident elsewhere; there is no answer */
	FLIGHT_FOLLOW = 'w', /* lines follow until one side ends; see flight_followers_tell() */
};

struct flight_request {
	enum flight_request_kind kind;
	char reason[FLIGHT_LINE_MAX];
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
 * Sends each a line: WORD TAB TEXT, and another tab and the second text unless that is NULL. One that does
 * not read is dropped. The words are "recorder" with the directory of the dumps, first of all; "incident"
 * with the reason, as soon as a condition holds; "dump" with the file and its reasons; and "failed" with
 * the reason why there is no dump.
 */
void flight_followers_tell(struct flight_followers *followers, const char *word, const char *text,
			   const char *more);
void flight_followers_close(struct flight_followers *followers);

/* ---- the other end ---- */

/* Asks the running recorder for a dump and waits for its file, which the caller frees. */
int flight_ask(struct dkt_ctx *ctx, const char *log, const char *reason, char **file);

/* Has the running recorder stop recording at once, make a dump, and record again. Does not wait. */
int flight_freeze(struct dkt_ctx *ctx, const char *log, const char *reason);

/* Returns a descriptor from which the lines for followers can be read, or -errno. -ENOENT: nothing records. */
int flight_follow(struct dkt_ctx *ctx, const char *log);
