/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket on which a flight recorder is asked for dumps. */
#pragma once

#include <dktrace/dktrace.h>

/* Bytes of a reason or an answer. */
#define FLIGHT_LINE_MAX 1024

/* Opens the recorder's end. Returns a descriptor or -errno. */
int flight_listen(struct dkt_ctx *ctx, const char *log);

/* Takes a request: fills the reason, and returns the descriptor for the answer, or -errno. */
int flight_accept(int listener, char reason[FLIGHT_LINE_MAX]);

/* Sends the name of the file, or the error if err is set, and closes the descriptor. */
void flight_answer(int fd, int err, const char *text);

/* Asks the running recorder for a dump and waits for its file, which the caller frees. */
int flight_ask(struct dkt_ctx *ctx, const char *log, const char *reason, char **file);
