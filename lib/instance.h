/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An instance: a private ring buffer of the kernel's tracer. */
#pragma once

#include "ctx.h"

struct dkt_instance {
	struct dkt_ctx *ctx;
	char *name; /* NULL: the top instance */
	char *prefix; /* "instances/NAME/" or "" */
	char *spool; /* the directory for records that are saved but not yet printed, or NULL */
	bool is_new;
	int cpus;
};

/* True if the event is enabled. An event that only a trigger watches is disabled. */
bool dkt__event_is_on(struct dkt_instance *in, const struct dkt_event *event);

/* Empties the buffers, as dkt_instance_clear() without a spool. */
int dkt__buffers_clear(struct dkt_instance *in);

/* ---- instance/own.c: instances for one process only ---- */

/*
 * Returns 1 if the name is that of an instance whose process has exited, 0 if the process lives.
 * -EINVAL: the instance is not one for a process only.
 */
int dkt__own_exited(const char *name);

/* Returns the process for which the instance of that name was created, if it lives; 0: there is none. */
pid_t dkt__own_process(const char *name);

/* Removes such an instance, then its probes and synthetic events. */
int dkt__own_remove(struct dkt_ctx *ctx, const char *name);
