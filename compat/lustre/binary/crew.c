/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share work: each takes the next part until no part is left. */
#include "compat/lustre/binary/crew.h"

#include <pthread.h>
#include <sched.h>

struct job {
	void (*work)(void *data);
	void *data;
};

unsigned int dkl_crew_size(void)
{
	cpu_set_t cpus;
	int n = sched_getaffinity(0, sizeof(cpus), &cpus) ? CREW_MAX : CPU_COUNT(&cpus);

	return n < CREW_MAX ? (unsigned int)n : CREW_MAX;
}

static void *run(void *arg)
{
	const struct job *job = arg;

	job->work(job->data);
	return NULL;
}

void dkl_crew_run(unsigned int n, void (*work)(void *data), void *data)
{
	struct job job = { .work = work, .data = data };
	pthread_t threads[CREW_MAX - 1];
	unsigned int started = 0;

	while (started + 1 < n && started < CREW_MAX - 1) {
		if (pthread_create(&threads[started], NULL, run, &job))
			break;
		started++;
	}
	work(data);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
