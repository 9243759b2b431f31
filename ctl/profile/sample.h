/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: takes the samples, and writes them into a perf.data file. */
#pragma once

#include "ctl/app/app.h"
#include "lib/inside.h"

/* The options about what is sampled, and how. */
struct sample_options {
	const char *frequency, *callers;
	bool user, kernel;
};
extern const struct opt_values sample_values;

/* The choice of a user. The texts are those of the options. */
struct profile_sample {
	uint64_t frequency;
	double seconds; /* 0: until a signal, or the end of the command */
	const char *pids, *comms; /* processes, or the names of threads; both NULL: the machine */
	bool only_user, only_kernel, off_cpu;
	enum dkt__callers callers;
	uint32_t stack_size;
};

/* Returns the name of an option that is given and only for samples that are taken now; NULL: none is. */
const char *profile_sample_given(const struct app *app);

/* Reads it from the options. Returns 0, or EXIT_USAGE after an error message. */
int profile_sample_read(const struct app *app, struct profile_sample *what);

/*
 * Samples the command, or without one (NULL) what is chosen, until it is over. An earlier file gets the
 * name path.old. Reports what is missing in the profile on standard error. Returns the exit status: the
 * command's, or EXIT_LOST if samples were lost. result->samples is 0 if there is no profile.
 */
int profile_record(struct app *app, const struct profile_sample *what, char **command,
		   const char *path, struct dkt__sampler_result *result);
