/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends statements to a server of ClickHouse over HTTP. */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/load/curl.h"
#include "lib/base/util.h"

/* Its address, and the account there. */
struct server {
	char *url; /* without user, password and database */
	char *user, *password, *database; /* NULL: none */
	struct curl curl;
	const char *ca; /* a file of certificates; NULL: those of the system */
	double limit; /* seconds for an answer, see link_run() */
};

/*
 * Reads http[s]://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]. The environment has the user and the password
 * that the URL lacks.
 */
int server_parse(struct dkt_ctx *ctx, const char *url, const char *ca, struct server *server);
void server_clear(struct server *server);

/* A part of what is sent. */
struct statement_piece {
	const void *data;
	size_t len;
};

struct statement {
	const char *text;
	const char *settings; /* "&NAME=VALUE..."; NULL: none */
	const char *id; /* by which the server lists it while it runs; NULL: none */
	const struct statement_piece *pieces; /* rows for an INSERT; NULL: none */
	size_t n_pieces;
	bool squeezed; /* the pieces are compressed, as HTTP's deflate */
};

/* True if the server is on this machine, as its address tells. */
bool server_is_here(const struct server *server);

/* A connection, for one thread: it needs no context. */
struct link;

int link_new(const struct server *server, struct link **link);
void link_free(struct link *link);

/*
 * Runs a statement. Returns 0; -EAGAIN: it may succeed later, or the answer, or the next 64 KiB of it or of the
 * rows, took longer than the server's limit; -EINPROGRESS: servers that do not run now will run it when they come
 * back; another error: it cannot. Then link_words() says why.
 */
int link_run(struct link *link, const struct statement *statement);

/* Returns the answer to the last statement. */
const char *link_answer(const struct link *link, size_t *len);

/* The last statement succeeded, and its answer is not what was asked for. Sets the words; -EPROTO or -ENOMEM. */
int link_no_answer(struct link *link);

/* Returns why the last statement failed, valid until the next one. */
const char *link_words(const struct link *link);

/* True if an answer's error number is of a state that passes, such as a server that ends or is full. */
bool link_may_pass(long status, const char *answer);
