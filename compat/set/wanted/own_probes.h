/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes that belong to one process, in a group of its own. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/strings.h"

/* All zeroes: none. */
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
