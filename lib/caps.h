/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The privileges that decide whether a process may use tracefs, as data that tests can set. */
#pragma once

#include "lib/ctx.h"

struct dkt__rights {
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	size_t n_groups;
	uint64_t caps; /* effective ones, bit n for capability n */
	bool initial_ns; /* in the initial user namespace, where capabilities count everywhere */
	const char *instance; /* whose control is enough, or NULL */
};

/* dkt_caps_check() for these privileges. */
int dkt__rights_check(struct dkt_ctx *ctx, const struct dkt__rights *rights, unsigned int needs);

/* True if this text of /sys/kernel/security/lockdown forbids tracefs to everyone. */
bool dkt__lockdown_refuses(const char *text);
