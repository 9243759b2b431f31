/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs one command on many hosts at once. */
#pragma once

#include "fleet/collect/host.h"

struct fleet {
	struct fleet_opts opts;
	struct fleet_host *hosts;
	size_t n;
	size_t left; /* hosts that are not over */
	void (*look)(void *data,
		     struct fleet *fleet); /* called several times a second; may be NULL */
	void (*over)(void *data,
		     struct fleet_host *host); /* called when a host is over; may be NULL */
	void *data;
};

/* Prepares hosts of these names, which are borrowed. The caller sets the file of each. */
int fleet_init(struct dkt_ctx *ctx, struct fleet *fleet, char *const *names, size_t n);

/*
 * Runs the command until each host is over. The first signal ends the commands as Ctrl-C does; another
 * one gives up what has not come yet. The hosts that failed are no error of this call.
 */
int fleet_run(struct dkt_ctx *ctx, struct fleet *fleet);

/* In a child of the process that runs it: closes the connections without ending them. */
void fleet_release(struct fleet *fleet);

void fleet_clear(struct fleet *fleet);
