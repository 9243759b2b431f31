/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Incidents of a whole fleet: the hosts run `dktrace flight follow --freeze`. When a condition holds on one
 * of them, the recorders of all others are frozen and make a dump as well. Lines from hosts are hostile
 * input.
 */
#pragma once

#include <time.h>

#include "fleet/collect/fleet.h"
#include "lib/base/incident.h"

/* One incident: the files are the dumps that belong together. */
struct alarm {
	time_t began; /* time of day */
	const char *host; /* where the condition held */
	char *reason; /* as that host says it */
	char id[IDENTITY_SIZE]; /* empty: the host's recorder gives none */
	char **files; /* for each host of the fleet, the name of its dump; NULL: it has made none */
	size_t n_files;
	size_t asked; /* hosts that were told to freeze */
	uint64_t took; /* ns from the host's word until all others were told */
	uint64_t merged; /* incidents of other hosts meanwhile */
};

struct alarms_host {
	char heard[IDENTITY_SIZE]; /* its last incident of all that we know; empty: unknown */
	/* During an incident. */
	bool answered; /* it has said what became of its dump */
	char id[IDENTITY_SIZE]; /* of its own incident, which is the same one; empty: it has none */
};

struct alarms {
	struct fleet *fleet;
	size_t most; /* incidents in an hour */
	uint64_t wait; /* for the dumps of all hosts, ns */
	/* Called for an incident when all dumps are made, or the time is over. It borrows the incident. */
	void (*made)(void *data, const struct alarm *alarm);
	/* Called with a message of a host, or about it. */
	void (*tell)(void *data, const char *host, const char *message);
	void *data;
	uint64_t suppressed; /* beyond the most in an hour */

	/* The rest is alarms.c's. */
	struct dkt_buf *lines; /* of each host, what has come of its next line */
	struct alarms_host *hosts;
	struct alarm now;
	bool open; /* there is an incident, and dumps are awaited */
	uint64_t until; /* ns */
	struct hourly hourly; /* incidents */
};

/* The caller has set the fields above, and the fleet's hosts are there. -ENOMEM. */
int alarms_init(struct alarms *alarms);

/* Takes what a host has written: struct fleet_opts' take. data: struct alarms. */
int alarms_take(void *data, struct fleet_host *host, const uint8_t *bytes, size_t len);

/* Does what is due at this time, in ns. */
void alarms_tick(struct alarms *alarms, uint64_t now);

/* Ends an incident that waits for dumps, with those that are there. */
void alarms_clear(struct alarms *alarms);
