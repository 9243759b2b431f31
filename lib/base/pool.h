/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work. */
#pragma once

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
