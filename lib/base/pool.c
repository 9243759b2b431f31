/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work. */
#include "lib/base/pool.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

struct dkt__pool_thread {
	pthread_t id;
	unsigned int nr;
	dkt__pool_work work;
	void *data;
};

unsigned int dkt__pool_size(unsigned int most)
{
	cpu_set_t cpus;
	unsigned int n = sched_getaffinity(0, sizeof(cpus), &cpus) ? most :
								     (unsigned int)CPU_COUNT(&cpus);

	return n < most ? n : most;
}

static void *run(void *data)
{
	const struct dkt__pool_thread *thread = data;

	thread->work(thread->data, thread->nr);
	return NULL;
}

void dkt__pool_start(struct dkt__pool *pool, unsigned int n, dkt__pool_work work, void *data)
{
	*pool = (struct dkt__pool){ .threads = calloc(n, sizeof(*pool->threads)) };
	while (pool->threads && pool->n + 1 < n) {
		struct dkt__pool_thread *thread = &pool->threads[pool->n];

		*thread =
			(struct dkt__pool_thread){ .nr = pool->n + 1, .work = work, .data = data };
		if (pthread_create(&thread->id, NULL, run, thread))
			break;
		pool->n++;
	}
}

void dkt__pool_join(struct dkt__pool *pool)
{
	while (pool->n)
		pthread_join(pool->threads[--pool->n].id, NULL);
	free(pool->threads);
	pool->threads = NULL;
}

void dkt__pool_run(unsigned int n, dkt__pool_work work, void *data)
{
	struct dkt__pool pool;

	dkt__pool_start(&pool, n, work, data);
	work(data, 0);
	dkt__pool_join(&pool);
}

/* ---- in order ---- */

int dkt__order_wait(struct dkt__order *order, uint64_t nr)
{
	int err;

	pthread_mutex_lock(&order->lock);
	while (order->done != nr && !order->err)
		pthread_cond_wait(&order->turn, &order->lock);
	err = order->err ? -ECANCELED : 0;
	pthread_mutex_unlock(&order->lock);
	return err;
}

void dkt__order_next(struct dkt__order *order)
{
	pthread_mutex_lock(&order->lock);
	order->done++;
	pthread_cond_broadcast(&order->turn);
	pthread_mutex_unlock(&order->lock);
}

bool dkt__order_fail(struct dkt__order *order, int err)
{
	bool first;

	pthread_mutex_lock(&order->lock);
	first = err && !order->err;
	if (first)
		order->err = err;
	/* Wake the others, which wait for a turn that never comes. */
	pthread_cond_broadcast(&order->turn);
	pthread_mutex_unlock(&order->lock);
	return first;
}
