/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef void (*dkt__pool_work)(void *data, unsigned int nr);

struct dkt__pool_thread;

struct dkt__pool {
	struct dkt__pool_thread *threads;
	unsigned int n;
};

/* Returns a useful number of threads: one for each CPU that this process can use, up to that many. */
unsigned int dkt__pool_size(unsigned int most);

/* Calls work in threads of the numbers 1 to n - 1, or in fewer if no more can be created. */
void dkt__pool_start(struct dkt__pool *pool, unsigned int n, dkt__pool_work work, void *data);

/* Waits until all have returned; may be called again. */
void dkt__pool_join(struct dkt__pool *pool);

/* The same with the calling thread, whose number is 0. */
void dkt__pool_run(unsigned int n, dkt__pool_work work, void *data);

/*
 * Threads that make something of the parts of a whole, and give it out in the order of the parts. Each takes the
 * next part under the lock, and waits for its turn before it gives something out.
 */
struct dkt__order {
	pthread_mutex_t lock; /* protects the members below, and what else the threads share */
	pthread_cond_t turn;
	uint64_t taken; /* parts */
	uint64_t done; /* of them */
	int err; /* of the first thread that failed; the others stop */
};

#define DKT__ORDER_INIT                                                                            \
	{                                                                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER                \
	}

/* Waits until all parts before that one are done. Returns 0, or -ECANCELED if a thread has failed. */
int dkt__order_wait(struct dkt__order *order, uint64_t nr);

/* The part whose turn it is has been given out. */
void dkt__order_next(struct dkt__order *order);

/* Stops the threads because of err. Returns true if it is the first error; 0 is none. */
bool dkt__order_fail(struct dkt__order *order, int err);
