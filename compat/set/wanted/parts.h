/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a wanted set that come from words. */
#pragma once

#include "compat/apply/event_filter.h"
#include "compat/lustre/modules.h"
#include "compat/set/wanted.h"
#include "compat/set/wanted/own_probes.h"

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
