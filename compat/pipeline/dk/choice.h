/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the kernel's records dk's options choose. */
#ifndef COMPAT_DK_CHOICE_H
#define COMPAT_DK_CHOICE_H

#include "pipeline/dk.h"
#include "pipeline/dk/lustre.h"

struct dk_choice {
	struct dkt_ctx *ctx;
	const struct dk_opts *opts;
	struct dk_result *result;
	struct legacy_style *legacy; /* knows the classes of records */
	struct dkt_expr *filter; /* NULL: none */
	bool *asked; /* by event index: whether the filter can match it is known */
	size_t n_events;
	bool fits; /* an event was met that the filter can be put to */
	char *misfit; /* what is wrong with it on the others */
	int misfit_err;
};

/* Reads the filter; ctx, opts, result and legacy are set. */
int dk_choice_open(struct dk_choice *choice);
void dk_choice_clear(struct dk_choice *choice);

/*
 * -EINVAL if no record of the instance, nor of lustre, could be chosen: that would empty the log for
 * nothing. lustre NULL: there is none.
 */
int dk_choice_check(struct dk_choice *choice, struct dkt_instance *in, struct dk_lustre *lustre);

/* Whether a record, or a gap, is chosen. time is its wall-clock time, ns; the source knows names. */
bool dk_choice_takes(struct dk_choice *choice, const struct dkt_record *rec, int64_t time,
		     struct dkt_source *source);

/* At the end: puts into the result why nothing was chosen, if it was for the filter. */
void dk_choice_explain(struct dk_choice *choice);

#endif
