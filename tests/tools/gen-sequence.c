/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generates numbered events, for tests that account for every one: each thread runs on a CPU of its
 * own and makes COUNT calls close(FIRST), close(FIRST + 1), ... of descriptors that are not open.
 *
 * usage: gen-sequence THREADS COUNT
 *        gen-sequence check THREADS COUNT <LINES
 *
 * check reads lines "THREAD,NUMBER" in the order of a recording, prints "SEEN LOST" and fails if a
 * number comes twice or after a larger one.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Larger than any descriptor that is open. */
#define FIRST 1000000

#define MAX_THREADS 64

static unsigned long count;

static void *generate(void *data)
{
	const long nr = (long)data, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)(nr % cpus), &set);
	/* Without that CPU the thread runs elsewhere, and its numbers are as good. */
	sched_setaffinity(0, sizeof(set), &set);
	for (unsigned long i = 0; i < count; i++)
		close((int)(FIRST + i));
	return NULL;
}

static int run(long threads)
{
	pthread_t list[MAX_THREADS];

	for (long i = 0; i < threads; i++)
		if (pthread_create(&list[i], NULL, generate, (void *)i)) {
			perror("gen-sequence");
			return 1;
		}
	for (long i = 0; i < threads; i++)
		pthread_join(list[i], NULL);
	return 0;
}

static int check(long threads)
{
	struct {
		long thread;
		unsigned long next;
	} list[MAX_THREADS] = { 0 };
	unsigned long number, seen = 0;
	char line[100];
	long thread, i;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%ld,%lu", &thread, &number) != 2 || number < FIRST)
			continue;
		for (i = 0; i < threads && list[i].thread && list[i].thread != thread; i++)
			;
		if (i == threads || number - FIRST < list[i].next || number - FIRST >= count) {
			fprintf(stderr, "gen-sequence: unexpected: %s", line);
			return 1;
		}
		list[i].thread = thread;
		list[i].next = number - FIRST + 1;
		seen++;
	}
	printf("%lu %lu\n", seen, (unsigned long)threads * count - seen);
	return 0;
}

int main(int argc, char **argv)
{
	const int checks = argc > 1 && !strcmp(argv[1], "check");
	const long threads = argc == 3 + checks ? atol(argv[1 + checks]) : 0;

	if (threads < 1 || threads > MAX_THREADS) {
		fprintf(stderr, "usage: gen-sequence [check] THREADS COUNT\n");
		return 2;
	}
	count = strtoul(argv[2 + checks], NULL, 10);
	return checks ? check(threads) : run(threads);
}
