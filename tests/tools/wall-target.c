/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose shares of wall-clock time are known, for profiles: wall-target SECONDS [FILE [ROUND]]. In each
 * round, of so many ms (100), it computes in wall_a() and wall_b(), waits in wall_c() for a lock that the thread "wall-holder" has, and in
 * wall_d() for the disk of FILE. At the end it prints the ns that these really took, by its own clocks, and when it began and
 * ended on the clock mono.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS         UINT64_C(1000000)
#define BLOCK_SIZE 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static bool ends;
static unsigned long round_ms = 100;
static volatile unsigned long work;

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The time that the thread has waited for a CPU, as the scheduler counts it. */
static uint64_t delay(int fd)
{
	char text[128];
	const ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	uint64_t ran, waited = 0;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	return sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) == 2 ? waited : 0;
}

/* Functions that are called have frames, so that their callers are found. */
__attribute__((noinline)) static bool is_over(uint64_t until)
{
	const bool over = now(CLOCK_THREAD_CPUTIME_ID) >= until;

	work += !__builtin_frame_address(0);
	return over;
}

__attribute__((noinline)) void wall_a(uint64_t ns)
{
	const uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (!is_over(until))
		for (int i = 0; i < 50000; i++)
			work += (unsigned long)i;
}

__attribute__((noinline)) void wall_b(uint64_t ns)
{
	const uint64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (!is_over(until))
		for (int i = 0; i < 50000; i++)
			work ^= (unsigned long)i;
}

__attribute__((noinline)) static int take_lock(void)
{
	int err = pthread_mutex_lock(&lock);

	work += !__builtin_frame_address(0);
	return err;
}

/* The holder has the lock when both are at the barrier. */
__attribute__((noinline)) void wall_c(void)
{
	work += (unsigned long)take_lock();
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static bool transfer(int fd, void *block, unsigned int i)
{
	const ssize_t n = pwrite(fd, block, BLOCK_SIZE, (off_t)(i % 256) * BLOCK_SIZE);

	work += !__builtin_frame_address(0);
	return n == BLOCK_SIZE && !fdatasync(fd);
}

__attribute__((noinline)) void wall_d(int fd, void *block, uint64_t ns)
{
	const uint64_t until = now(CLOCK_MONOTONIC) + ns;

	for (unsigned int i = 0; now(CLOCK_MONOTONIC) < until && transfer(fd, block, i); i++)
		;
	work++;
}

static void *holder(void *data)
{
	const struct timespec hold = { .tv_nsec = (long)(round_ms * MS * 4 / 10) };

	(void)data;
	prctl(PR_SET_NAME, "wall-holder");
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&held);
		if (ends)
			break;
		nanosleep(&hold, NULL);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&held);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* The times of one of the functions. */
struct clocks {
	uint64_t wall, cpu, delay;
};

static struct clocks clocks_now(int fd)
{
	return (struct clocks){ now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID), delay(fd) };
}

static void add(struct clocks *sum, const struct clocks *from, int fd)
{
	const struct clocks to = clocks_now(fd);

	sum->wall += to.wall - from->wall;
	sum->cpu += to.cpu - from->cpu;
	sum->delay += to.delay - from->delay;
}

static uint64_t waited(const struct clocks *sum)
{
	const uint64_t busy = sum->cpu + sum->delay;

	return sum->wall > busy ? sum->wall - busy : 0;
}

/* In the form of the option of that name. */
static void put_time(const char *name, uint64_t ns)
{
	printf("%s %" PRIu64 ".%09" PRIu64 "\n", name, ns / 1000000000, ns % 1000000000);
}

int main(int argc, char **argv)
{
	const unsigned long seconds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	const int file = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_DIRECT, 0600) : -1;
	const int stat = open("/proc/thread-self/schedstat", O_RDONLY);
	struct clocks sums[4] = { 0 }, all = { 0 }, from, begin;
	unsigned long rounds;
	pthread_t thread;
	void *block;

	if (argc > 3)
		round_ms = strtoul(argv[3], NULL, 10);
	rounds = seconds * 1000 / (round_ms ?: 1);
	if (stat < 0 || (argc > 2 && file < 0) || posix_memalign(&block, BLOCK_SIZE, BLOCK_SIZE) ||
	    pthread_barrier_init(&held, NULL, 2) || pthread_create(&thread, NULL, holder, NULL)) {
		perror("wall-target");
		return 1;
	}
	memset(block, 'x', BLOCK_SIZE);
	begin = clocks_now(stat);
	for (unsigned long i = 0; i < rounds; i++) {
		from = clocks_now(stat);
		wall_a(round_ms * MS * 3 / 10);
		add(&sums[0], &from, stat);
		from = clocks_now(stat);
		wall_b(round_ms * MS * 2 / 10);
		add(&sums[1], &from, stat);
		pthread_barrier_wait(&held);
		from = clocks_now(stat);
		wall_c();
		add(&sums[2], &from, stat);
		pthread_barrier_wait(&held);
		from = clocks_now(stat);
		if (file >= 0)
			wall_d(file, block, round_ms * MS / 10);
		add(&sums[3], &from, stat);
	}
	add(&all, &begin, stat);
	ends = true;
	pthread_barrier_wait(&held);
	put_time("since", begin.wall);
	put_time("until", begin.wall + all.wall);
	printf("wall %" PRIu64 "\nrunning wall_a %" PRIu64 "\nrunning wall_b %" PRIu64
	       "\nlock wall_c %" PRIu64 "\ndisk wall_d %" PRIu64 "\nrunnable - %" PRIu64 "\n",
	       all.wall, sums[0].cpu, sums[1].cpu, waited(&sums[2]), waited(&sums[3]), all.delay);
	return pthread_join(thread, NULL);
}
