/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of lib/inside.h for the sampler, which records a profile into a perf.data file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/error.h"

struct dkt__sampler;

/* How the callers of a sampled function are found. */
enum dkt__callers {
	DKT__CALLERS_FP, /* by frame pointers, in the kernel */
	DKT__CALLERS_DWARF, /* from a copy of registers and stack, by the reader */
	DKT__CALLERS_LBR, /* from the branches that the CPU recorded last */
	DKT__CALLERS_NONE,
};

/* In bytes; the kernel's limit of a copied stack. */
#define DKT__SAMPLER_STACK     8192
#define DKT__SAMPLER_STACK_MAX 65528

struct dkt__sampler_opts {
	size_t sz;
	uint64_t frequency; /* samples a second of each running thread; 0: 99 */
	const pid_t *threads; /* and what they start; valid as long as the sampler */
	size_t n_threads; /* 0: the machine */
	bool waits; /* the threads are one that is to execute a program: sampling begins with it */
	bool only_user, only_kernel; /* the programs' side, or the kernel's; not both */
	enum dkt__callers callers;
	/* Not the time of the CPU: system calls as they begin, of which the kernel's side is left out. */
	bool calls;
	size_t ring_size; /* of a CPU, a power of two of pages; 0: as usual */
	uint32_t stack_size; /* bytes of a copied stack, a multiple of 8; 0: DKT__SAMPLER_STACK */
	bool off_cpu; /* also records where threads leave their CPUs, and who wakes them */
	char *const *words; /* the command line, for the file; valid as long as the sampler */
	size_t n_words;
	/* Called when sampling has begun. An error ends it. May be NULL. */
	int (*begin)(void *data);
	double seconds; /* a wait does not last longer; 0: no limit */
	/* True ends the sampling. Called after each wait, of at most a second, which a signal ends. */
	bool (*over)(void *data);
	int end_fd; /* a descriptor that ends a wait when it can be read; -1: none */
	void *data;
};

/* A finished profile. The texts are constants. */
struct dkt__sampler_result {
	const char *event; /* "cycles", or "cpu-clock" where the machine has no counters */
	uint64_t frequency; /* at most the kernel's limit */
	bool no_kernel; /* the kernel's side was asked for, and kernel.perf_event_paranoid forbids it */
	bool exited; /* all threads ended by themselves */
	uint64_t samples, lost; /* of all events; lost: for lack of room in the rings */
	uint64_t throttled; /* how often the kernel paused an event that took too much time */
	uint64_t bytes; /* of the file */
	double seconds;
	size_t ring_size; /* bytes of a CPU's ring */
};

/*
 * Opens the events and maps their rings. This needs privileges, dkt__sampler_run() does not: it needs
 * /proc only before opts->begin(). -EACCES, -EPERM: not allowed, dkt_error() says what would be; -ESRCH: the
 * threads have exited; -EOPNOTSUPP: the machine cannot do it.
 */
int dkt__sampler_open(struct dkt_ctx *ctx, const struct dkt__sampler_opts *opts,
		      struct dkt__sampler **sampler);

/*
 * Records into the empty file until it is over. At each moment the file is one that perf and dktrace can
 * read, as far as it goes. After an error the file is complete up to then.
 */
int dkt__sampler_run(struct dkt__sampler *sampler, int fd);

/*
 * The same step by step, for a reader beside it: begins in an empty file, again in another one if it has been
 * stopped; moves what came since then to the file; stops, and lets the file be as it is.
 */
int dkt__sampler_begin(struct dkt__sampler *sampler, int fd);
int dkt__sampler_step(struct dkt__sampler *sampler);
void dkt__sampler_stop(struct dkt__sampler *sampler);

/* Gets the result, also of a sampler that failed or still runs. */
int dkt__sampler_get(const struct dkt__sampler *sampler, struct dkt__sampler_result *result,
		     size_t sz);
void dkt__sampler_close(struct dkt__sampler *sampler);
