/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets an instance's function tracer, as a step of a change. */
#pragma once

#include "lib/functions.h"
#include "lib/top_instance.h"

struct dkt__tracer {
	bool touched; /* false: do not change the tracer */
	char *wanted; /* NULL: none */
	struct dkt__strings modules; /* trace only the functions of these modules */
	struct dkt__strings without; /* globs of their functions to exclude */
	struct dkt__functions *functions; /* instead of modules; NULL: use modules */
	bool keep; /* if this tracer already runs, keep its functions */
	bool required; /* the change fails if the tracer fails */
	const struct dkt__stops *stops; /* triggers that the top instance also gets */
	char *refused; /* why it could not be set; NULL: it is set */
};

/* Copies the wanted tracer. */
int dkt__tracer_want(struct dkt__tracer *tracer, const char *wanted,
		     const struct dkt_tracer_opts *opts);
void dkt__tracer_clear(struct dkt__tracer *tracer);

/*
 * Sets the tracer unless it is already set. If it fails, the instance has no tracer, or still the old
 * one if that could not be stopped. Returns the error only if the tracer is required; otherwise stores
 * the error message in `refused`.
 */
int dkt__tracer_apply(struct dkt__tracer *tracer, struct dkt_instance *in);
