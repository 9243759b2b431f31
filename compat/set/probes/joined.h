/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Synthetic events that join two other events, and the triggers that generate their records. */
#pragma once

#include "compat/set/probes.h"
#include "lib/inside.h"

/* Gets the definition of the event that the statement selects. The caller frees it. */
int dkl_joined_define(struct dkt_ctx *ctx, const struct dkt__sql *sql, const char *name,
		      struct dkt_probes **probes);

/* Like dkl_probes_add(): creates the event and the triggers on the two others, all or nothing. */
int dkl_joined_add(struct debuglog *log, const struct dkt__sql *sql,
		   const struct dkt_probes *definition, const struct probes_opts *opts,
		   struct probes_result *result);

/* Removes the triggers that generate records of matching synthetic events. */
int dkl_joined_stop(struct debuglog *log, const char *pattern);
