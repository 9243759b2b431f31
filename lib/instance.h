/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An instance: a private ring buffer of the kernel's tracer. */
#pragma once

#include "lib/ctx.h"

/* How many bytes the kernel records of each string and buffer that a system call points to. */
#define DKT__USER_DATA "syscall_user_buf_size"

struct dkt_instance {
	struct dkt_ctx *ctx;
	char *name; /* NULL: the top instance */
	char *prefix; /* "instances/NAME/" or "" */
	char *spool; /* the directory for records that are saved but not yet printed, or NULL */
	char *clock; /* of the last dkt_instance_info() */
	bool is_new;
	int cpus;
};

/* True if the event is enabled. An event that only a trigger watches is disabled. */
bool dkt__event_is_on(const struct dkt_instance *in, const struct dkt_event *event);

/* Empties the buffers, as dkt_instance_clear() without a spool. */
int dkt__buffers_clear(struct dkt_instance *in);

/* ---- instance/own.c: instances for one process only, with names of base/own_name.h ---- */

/* Removes an instance that was created for one process only, then its probes and synthetic events. */
int dkt__own_remove(struct dkt_ctx *ctx, const char *name);
