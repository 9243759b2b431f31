/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose time is in one function, for profiles: profile-target [ROUNDS]. Its main thread and the
 * thread "target-other" each make so many rounds, 0: until they are killed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

static volatile unsigned long work;

/* A function that calls no other has a frame only if it looks at it. */
__attribute__((noinline)) void profile_leaf(void)
{
	work += !__builtin_frame_address(0);
	for (int i = 0; i < 1000000; i++)
		work += (unsigned long)i;
}

__attribute__((noinline)) void profile_caller(unsigned long rounds)
{
	for (unsigned long i = 0; !rounds || i < rounds; i++)
		profile_leaf();
	/* The call is not the last thing, so that it stays one. */
	work++;
}

static void *other(void *rounds)
{
	prctl(PR_SET_NAME, "target-other");
	profile_caller(*(unsigned long *)rounds);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, other, &rounds))
		return 1;
	profile_caller(rounds);
	return pthread_join(thread, NULL);
}
