/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The dialer of a fleet: a process that is forked before anything of a host is read. It alone starts ssh, with
 * arguments that are known then, and ends it. The process that reads what hosts send names a host by its number,
 * and can confine itself.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/pass.h"

struct dialer_opts {
	char *const *ssh; /* the program that connects, and its arguments; ends with NULL */
	const char *far_program; /* to run on the host */
	char *const *names; /* of the hosts */
	size_t n;
	/*
	 * Called in the dialer for dialer_name(): returns a short name for hosts, which the dialer frees, or
	 * NULL.
	 */
	char *(*name)(void *data, const uint32_t *hosts, size_t n);
	void *data;
};

struct dialer {
	int fd; /* -1: there is none */
	pid_t pid; /* 0: another process waits for it */
};

int dialer_begin(struct dkt_ctx *ctx, const struct dialer_opts *opts, struct dialer *dialer);

/* Gets a dialer for a process that is forked next. */
int dialer_another(struct dkt_ctx *ctx, const struct dialer *dialer, struct dialer *another);

/* The pipe to ssh, the one from it, and its standard error. */
enum { DIALER_OUT, DIALER_IN, DIALER_ERR, DIALER_FDS };

/* Starts the ssh of a host. Returns 0 or -errno. */
int dialer_connect(const struct dialer *dialer, uint32_t host, int fds[DIALER_FDS]);

/* Returns whether the ssh of a host has ended; now: kills it first. */
bool dialer_reap(const struct dialer *dialer, uint32_t host, bool now);

/* Returns a short name for hosts, which the caller frees; NULL: there is none. */
char *dialer_name(const struct dialer *dialer, uint32_t *hosts, size_t n);

/* Closes the connection to it, which ends it. */
void dialer_end(struct dialer *dialer);
