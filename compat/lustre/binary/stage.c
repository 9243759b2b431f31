/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A ring of buffers between the thread that fills them and the thread that processes them. */
#include "compat/lustre/binary/stage.h"

#include <pthread.h>

#include "compat/lustre/binary/crew.h"
#include "lib/base/util.h"

#define SLOTS 3

struct stage {
	stage_work work;
	void *data;
	uint8_t *slot[SLOTS];
	size_t len[SLOTS];
	bool one_cpu;
	bool running;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t turn;
	unsigned long filled; /* buffers handed over */
	unsigned long done;
	bool over; /* no more buffers will come */
	bool dropped; /* the remaining buffers need no work */
	int err;
};

int dkl_stage_new(size_t size, stage_work work, void *data, struct stage **out)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	int i;

	*out = NULL;
	if (!stage)
		return -ENOMEM;
	stage->work = work;
	stage->data = data;
	stage->one_cpu = dkl_crew_size() == 1;
	pthread_mutex_init(&stage->lock, NULL);
	pthread_cond_init(&stage->turn, NULL);
	*out = stage;
	for (i = 0; i < SLOTS; i++)
		if (!(stage->slot[i] = malloc(size)))
			break;
	if (i == SLOTS)
		return 0;
	dkl_stage_free(stage);
	*out = NULL;
	return -ENOMEM;
}

/* ---- the thread ---- */

/* Waits for a buffer; false: no more buffers. */
static bool next_filled(struct stage *stage)
{
	bool more;

	pthread_mutex_lock(&stage->lock);
	while (stage->done == stage->filled && !stage->over)
		pthread_cond_wait(&stage->turn, &stage->lock);
	more = stage->done != stage->filled && !stage->dropped;
	pthread_mutex_unlock(&stage->lock);
	return more;
}

static void *run(void *arg)
{
	struct stage *stage = arg;
	int err = 0;

	while (next_filled(stage)) {
		unsigned int i = stage->done % SLOTS;

		if (!err)
			err = stage->work(stage->data, stage->slot[i], stage->len[i]);
		pthread_mutex_lock(&stage->lock);
		stage->done++;
		stage->err = err;
		pthread_cond_signal(&stage->turn);
		pthread_mutex_unlock(&stage->lock);
	}
	return NULL;
}

/* ---- the caller ---- */

uint8_t *dkl_stage_buffer(struct stage *stage)
{
	if (stage->running) {
		pthread_mutex_lock(&stage->lock);
		while (stage->filled - stage->done == SLOTS)
			pthread_cond_wait(&stage->turn, &stage->lock);
		pthread_mutex_unlock(&stage->lock);
	}
	return stage->slot[stage->filled % SLOTS];
}

static int work_now(struct stage *stage, size_t len)
{
	if (!stage->err)
		stage->err = stage->work(stage->data, stage->slot[stage->filled % SLOTS], len);
	return stage->err;
}

int dkl_stage_put(struct stage *stage, size_t len)
{
	int err;

	if (!stage->running && !stage->one_cpu)
		stage->running = !pthread_create(&stage->thread, NULL, run, stage);
	if (!stage->running)
		return work_now(stage, len);
	pthread_mutex_lock(&stage->lock);
	stage->len[stage->filled++ % SLOTS] = len;
	err = stage->err;
	pthread_cond_signal(&stage->turn);
	pthread_mutex_unlock(&stage->lock);
	return err;
}

static void join(struct stage *stage, bool drop)
{
	pthread_mutex_lock(&stage->lock);
	stage->over = true;
	stage->dropped = drop;
	pthread_cond_signal(&stage->turn);
	pthread_mutex_unlock(&stage->lock);
	pthread_join(stage->thread, NULL);
	stage->running = false;
	stage->over = false;
}

int dkl_stage_finish(struct stage *stage, size_t len)
{
	if (!stage->running)
		return len ? work_now(stage, len) : stage->err;
	if (len) {
		dkl_stage_buffer(stage);
		dkl_stage_put(stage, len);
	}
	join(stage, false);
	return stage->err;
}

void dkl_stage_free(struct stage *stage)
{
	if (!stage)
		return;
	if (stage->running)
		join(stage, true);
	for (int i = 0; i < SLOTS; i++)
		free(stage->slot[i]);
	pthread_cond_destroy(&stage->turn);
	pthread_mutex_destroy(&stage->lock);
	free(stage);
}
