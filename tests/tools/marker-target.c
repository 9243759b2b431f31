/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program with static markers whose arguments are known, for probes: marker-target [TIMES] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A marker as sys/sdt.h makes it: a nop, and a note with its place, semaphore, name and arguments. */
#define MARKER(name, counter, args, ...)                                                           \
	__asm__ volatile(                                                                          \
		"990: nop\n"                                                                       \
		".pushsection .note.stapsdt, \"\", \"note\"\n"                                     \
		".balign 4\n"                                                                      \
		".4byte 992f - 991f, 994f - 993f, 3\n"                                             \
		"991: .asciz \"stapsdt\"\n"                                                        \
		"992: .balign 4\n"                                                                 \
		"993: .8byte 990b, _.stapsdt.base, " counter "\n"                                  \
		".asciz \"target\"\n"                                                              \
		".asciz \"" name "\"\n"                                                            \
		".asciz \"" args "\"\n"                                                            \
		"994: .balign 4\n"                                                                 \
		".popsection\n"                                                                    \
		".ifndef _.stapsdt.base\n"                                                         \
		".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"        \
		".weak _.stapsdt.base\n"                                                           \
		".hidden _.stapsdt.base\n"                                                         \
		"_.stapsdt.base: .space 1\n"                                                       \
		".size _.stapsdt.base, 1\n"                                                        \
		".popsection\n"                                                                    \
		".endif\n"                                                                         \
		:                                                                                  \
		: __VA_ARGS__)

#ifdef __x86_64__
#define FLOATING "x"
#elif defined(__s390x__)
#define FLOATING "f"
#else
#define FLOATING "w"
#endif

/* The kernel counts the probes here. */
volatile unsigned short target_guarded_semaphore __attribute__((section(".probes"), used));

__attribute__((noinline)) static void twice(int number)
{
	MARKER("twice", "0", "-4@%[n]", [n] "r"(number));
	number = -number;
	MARKER("twice", "0", "-4@%[n] -4@%[k]", [n] "r"(number), [k] "n"(-5));
}

__attribute__((noinline)) static int work(int number, const char *name)
{
	int64_t wide = INT64_C(1) << 40 | number;
	int8_t narrow = (int8_t)-number;
	int guarded = 0;
	double real = 1.5;

	MARKER("entry", "0",
	       "-4@%[n] 8@%[s] 8@%[w]", [n] "r"(number), [s] "r"(name), [w] "m"(wide));
	MARKER("small", "0", "-1@%[c] 1@%[c] 8f@%[r]", [c] "r"(narrow), [r] FLOATING(real));
	MARKER("none", "0", "", "r"(0));
	twice(number);
	if (target_guarded_semaphore) {
		MARKER("guarded", "target_guarded_semaphore", "-4@%[n]", [n] "r"(number));
		guarded = 1;
	}
	return guarded;
}

int main(int argc, char **argv)
{
	int i, guarded = 0, times = argc > 1 ? atoi(argv[1]) : 1;

	for (i = 0; i < times; i++)
		guarded += work(7 + i, "hello");
	printf("%d\n", guarded);
	return 0;
}
