/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run that has lost its connection is found again by its ID: the new process that the other side has
 * started hands its connection over to the one that has the run.
 */
#pragma once

#include <dktrace/dktrace.h>

/* An ID, 128 random bits in hexadecimal digits, with its NUL. */
#define RESUME_ID_SIZE 33

/* A connection that has been handed over. */
struct resume {
	int in, out; /* frames are read from in and written to out */
	int giver; /* the process that handed it over lives until this is closed */
	uint64_t at; /* the bytes of output that the other side has */
};

/*
 * Makes an ID, and a socket in /run/dktrace-remote where the run is found by it. Returns the socket, or -errno: the run
 * cannot be resumed.
 */
int resume_listen(char id[RESUME_ID_SIZE]);

/* Takes a connection, if one is handed over. Returns 0 or -errno. */
int resume_accept(int listener, struct resume *resume);

/* Closes the socket and removes its name. */
void resume_close(int listener, const char *id);

/*
 * Hands the connection over to the process that has the run, and waits until that does not need it any
 * more. -ENOENT: there is no such run.
 */
int resume_hand_over(struct dkt_ctx *ctx, const char *id, int in, int out, uint64_t at);
