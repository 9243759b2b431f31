/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Synthetic events made of two other events, and the triggers that generate their records. */
#pragma once

#include "set/probes.h"

/* Reads the definition of the event that the statement makes. The caller frees it. */
int joined_define(struct dkt_ctx *ctx, const struct dkt_sql *sql, const char *name,
		  struct dkt_probes **probes);

/*
 * Creates the event and puts its triggers on the two others, as one transaction. Otherwise as
 * probes_add().
 */
int joined_add(struct debuglog *log, const struct dkt_sql *sql, const struct dkt_probes *definition,
	       const struct probes_opts *opts, struct probes_result *result);

/*
 * Removes the triggers that make records of the synthetic events that match, so that these can be
 * removed.
 */
int joined_stop(struct debuglog *log, const char *pattern);
