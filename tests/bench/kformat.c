/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Speed of the kernel's printf on recorded arguments; the goal is 3 M messages a second. */
#include <time.h>

#include "lib/ctx.h"

#define MESSAGES 100000
#define ROUNDS   7

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void pointee(void *data, size_t i, const void **bytes, size_t *len)
{
	(void)data;
	(void)i;
	*bytes = "192.168.1.20@tcp";
	*len = 17;
}

static bool nested(void *data, size_t i, const char **fmt, size_t *len,
		   struct dkt__kprintf_args *args)
{
	static const uint64_t words[] = { 5 };

	(void)data;
	(void)i;
	*fmt = "@@@ (re)connect request (timeout %d) ";
	*len = strlen(*fmt);
	args->words = words;
	args->n = 1;
	return true;
}

static void bench(const char *name, const char *fmt, struct dkt_buf *buf)
{
	struct dkt__kprintf_args args = { .sz = sizeof(args),
					  .pointee = pointee,
					  .nested = nested };
	uint64_t words[44];
	double rates[ROUNDS], start;
	size_t len = strlen(fmt), text = 0;
	int i, j;

	for (i = 0; i < 44; i++)
		words[i] = UINT64_C(0xffff888100000000) + (uint64_t)i * 12345;
	args.words = words;
	args.n = 44;
	for (i = 0; i < ROUNDS; i++) {
		start = now();
		for (j = 0; j < MESSAGES; j++) {
			if (j % 1000 == 0)
				dkt_buf_reset(buf);
			dkt__buf_kprintf(buf, fmt, len, &args);
			if (!text)
				dkt_buf_data(buf, &text);
		}
		rates[i] = MESSAGES / (now() - start);
	}
	qsort(rates, ROUNDS, sizeof(*rates), cmp_double);
	printf("kformat %-18s %4zu bytes  %6.2f M/s\n", name, text, rates[ROUNDS / 2] / 1e6);
}

int main(void)
{
	struct dkt_buf *buf;

	if (dkt_buf_new(&buf))
		return 1;
	bench("entered", "Process entered\n", buf);
	bench("usual", "nid %s: peer %p state %d refs %u credits %d/%d\n", buf);
	bench("six numbers", "ino %lu gen %u mode %o blocks %llu size %llu rc %d\n", buf);
	bench("widths", "%-12s %5d %#llx %08x\n", buf);
	bench("request of 42",
	      "%pV req@%p x%llu/t%lld(%llu) o%d->%s@%s:%d/%d lens %d/%d e %d to %lld dl %lld ref %d"
	      " fl %s:%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s/%x/%x rc %d/%d job:'%s' uid:%u gid:%u"
	      " projid:%u\n",
	      buf);
	dkt_buf_free(buf);
	return 0;
}
