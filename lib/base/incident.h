/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incidents: how often they may happen, and the identity of each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- a limit within an hour, whenever the hour begins ---- */

struct hourly {
	size_t most;
	uint64_t *times; /* of those in the last hour, ns, the oldest first */
	size_t n;
};

/* Allows so many in an hour. Returns 0 or -ENOMEM. */
int dkt__hourly_init(struct hourly *hourly, size_t most);

/* Returns whether one more is allowed. now: ns, of a clock that never goes back. */
bool dkt__hourly_allows(struct hourly *hourly, uint64_t now);

/* Counts one, which dkt__hourly_allows() has allowed. */
void dkt__hourly_count(struct hourly *hourly, uint64_t now);

void dkt__hourly_clear(struct hourly *hourly);

/*
 * ---- identities ----
 *
 * A word that no other incident has, on whatever host. It travels with the incident to other hosts, and comes
 * back with the dumps that were made for it.
 */

/* 64 random bits in hexadecimal digits, and a NUL. */
#define IDENTITY_SIZE 17

/* Makes a new one. -errno: the kernel has no random numbers. */
int dkt__identity_new(char id[IDENTITY_SIZE]);

/* That of no incident: a recorder that has had none. */
#define IDENTITY_NONE "0000000000000000"

/* True if the text is one: hosts may write anything. */
bool dkt__identity_is(const char *text);

/* Cuts a tab and an identity off the end of a line, and returns this; NULL: the line has none there. */
char *dkt__identity_cut(char *line);

/* True if the id is one of those in the list, which has a space between two. */
bool dkt__identity_in(const char *list, const char *id);
