/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets an instance's function tracer, as a step of a change. */
#pragma once

#include "functions.h"
#include "top/stops.h"

struct dkt__tracer {
	bool touched; /* false: no change */
	char *wanted; /* NULL: none */
	char **modules; /* modules to whose functions it is limited */
	size_t n_modules;
	char **without; /* globs of their functions to exclude */
	size_t n_without;
	struct dkt__functions *functions; /* instead of modules; NULL: use modules */
	bool keep; /* the functions stay */
	bool required; /* the change fails if the tracer fails */
	const struct dkt__stops *stops; /* triggers that the top instance also gets */
	char *refused; /* why it could not be set; NULL: it is set */
};

/* Copies the wanted tracer. */
int dkt__tracer_want(struct dkt__tracer *tracer, const char *wanted,
		     const struct dkt_tracer_opts *opts);
void dkt__tracer_clear(struct dkt__tracer *tracer);

/*
 * Makes it so if it is not. On failure no tracer is on, or the old one if that is what failed; the
 * result is 0 unless it is required.
 */
int dkt__tracer_apply(struct dkt__tracer *tracer, struct dkt_instance *in);
