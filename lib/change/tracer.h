/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets an instance's function tracer, as a step of a change. */
#pragma once

#include "functions.h"
#include "top/stops.h"

struct dkt__tracer {
	bool touched; /* false: it stays as it is */
	char *wanted; /* NULL: none */
	char **modules; /* whose functions it is limited to */
	size_t n_modules;
	char **without; /* globs of functions of theirs that are left out */
	size_t n_without;
	struct dkt__functions *functions; /* in place of modules; NULL: by these */
	bool keep; /* functions are as they were */
	bool required; /* the change fails with it */
	const struct dkt__stops *stops; /* triggers that the top instance gets, too */
	char *spool; /* takes what the buffers hold; NULL: it is thrown away */
	char *refused; /* why it is not as wanted, NULL: it is */
};

/* Copies what is wanted. */
int dkt__tracer_want(struct dkt__tracer *tracer, const char *wanted,
		     const struct dkt_tracer_opts *opts);
void dkt__tracer_clear(struct dkt__tracer *tracer);

/*
 * Makes it so if it is not. On failure no tracer is on, or the old one if that is what failed; the
 * result is 0 unless it is required.
 */
int dkt__tracer_apply(struct dkt__tracer *tracer, struct dkt_instance *in);
