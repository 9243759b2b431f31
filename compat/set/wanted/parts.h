/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a wanted set that come from words, and their own probes. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/apply/event_filter.h"
#include "compat/lustre/modules.h"
#include "compat/set/wanted.h"
#include "lib/base/strings.h"

/* The probes of the words; all zeroes: none. */
struct own_probes {
	char *group; /* of dkt_instance_own_group() */
	struct dkt__strings names;
};

/*
 * Creates the probes that the lines define, see dkl_probe_words_read(), in the group of this process. On
 * failure some may exist; the caller removes them in either case.
 */
int dkl_own_probes_create(struct dkt_ctx *ctx, const char *owner, const char *lines,
			  struct own_probes *probes);

/* Removes and forgets them. Logs those that it cannot remove. */
void dkl_own_probes_remove(struct dkt_ctx *ctx, struct own_probes *probes);

bool dkl_own_probes_have(const struct own_probes *probes, const struct dkt_event *event);

/* The classes' part of the set uses the same code as the debug log, on settings of its own. */
struct wanted_parts {
	struct settings set;
	struct class_map *map;
	struct event_filter filter;
	struct filter_report report;
	struct modules modules; /* loaded modules of the subsystems */
	char *sites; /* call sites in these modules; NULL: anywhere */
	struct named stacks;
	struct own_probes probes;
	char *lines; /* that define the probes; NULL: there are none */
	bool shared; /* the probes belong to an earlier set */
	struct wanted *earlier; /* a replaced set with probes; NULL: there is none */
	bool messages_new; /* dkl_wanted_new() created the probe on Lustre's messages */
};
