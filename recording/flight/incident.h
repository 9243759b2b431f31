/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder's process when something has happened: gathers the reasons, and makes the dump. */
#pragma once

#include "lib/base/incident.h"
#include "recording/flight/conditions.h"
#include "recording/flight/flight.h"
#include "recording/flight/socket.h"
#include "recording/record/age.h"

/* Processes that can wait for a dump at once. */
#define FLIGHT_CLIENTS 16

/* The recorder's process. */
struct flight {
	struct dkt_ctx *ctx;
	const char *log;
	struct flight_state *state;
	struct flight_group *groups;
	struct flight_conditions conditions;
	uint64_t renewal; /* of the conditions, ns */
	bool ending;
	int signals, listener;
	int clients[FLIGHT_CLIENTS];
	size_t n_clients;
	struct flight_followers followers;
	char *reasons; /* of the next dump; NULL: none */
	char *ids; /* identities of its incidents, with a space between two; NULL: none */
	/* The last incident of this recorder, and its dump; NULL: none was made. */
	char last[IDENTITY_SIZE];
	char *last_file, *last_reasons, *last_ids;
	uint64_t frozen; /* since when for an incident elsewhere, CLOCK_MONOTONIC ns; 0: not */
	uint64_t covered; /* the dump for the last one has all records until then */
	bool full; /* there is no room for further reasons */
	struct age_clock clock;
	uint64_t due; /* when it is made, ns */
	uint64_t hold; /* until then conditions are not looked at, ns */
	struct hourly hourly; /* dumps of incidents */
};

/*
 * Notes the incidents of a condition or a signal. A dump is due, unless the hour has had its dumps, or a dump
 * has them.
 */
int flight_incident(struct flight *flight, const struct flight_found *found);

/* Forgets the dump of the last incident. */
void flight_forget_last(struct flight *flight);

/* Takes a request for a dump, which is due at once. Takes its descriptor over. */
int flight_asked(struct flight *flight, const struct flight_request *request);

/* Makes the dump that is due, and answers those who wait for it. */
void flight_make_dump(struct flight *flight);

/* Answers all that wait for a dump. */
void flight_answer_all(struct flight *flight, int err, const char *text);
