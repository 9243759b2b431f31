/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a perf.data with compressed records, as perf record -z -o - does, or with plain ones: usage:
 *
 *        gen-perfdata ROUNDS SAMPLES [plain] <PIPE.data >FILE
 *
 * In each round there are so many samples of CPU 0, then so many of CPU 1; their times take turns. Events
 * and formats, and the sample that all are made from, are those of another perf.data of a pipe.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Records that perf adds. */
enum { USERS = 64, TRACING_DATA = 66, FINISHED_ROUND = 68, COMPRESSED = 81 };

/* Places in a sample of IDENTIFIER, IP, TID, TIME, CPU. */
enum { IP = 16, TIME = 32, CPU = 40 };

/* Unpacked bytes of a compressed record: packed ones, whatever they are, are as many as fit in it. */
#define CHUNK 60000

static char in[1 << 20];

static bool put(const void *bytes, size_t size)
{
	return fwrite(bytes, size, 1, stdout) == 1;
}

/* Copies everything before the first sample; returns that sample. */
static char *copy_head(size_t size)
{
	struct perf_event_header head;
	char *sample = NULL;
	uint32_t more;
	size_t at;

	put("PERFILE2\20\0\0\0\0\0\0", 16);
	for (at = 16; at + sizeof(head) <= size; at += head.size) {
		memcpy(&head, in + at, sizeof(head));
		if (head.type == PERF_RECORD_SAMPLE && !sample)
			sample = in + at;
		if (head.type < USERS || head.type == FINISHED_ROUND)
			continue;
		if (head.type == TRACING_DATA) {
			memcpy(&more, in + at + sizeof(head), sizeof(more));
			more = (more + 7) & ~7u;
			put(in + at, head.size + more);
			at += more;
			continue;
		}
		put(in + at, head.size);
	}
	return sample;
}

/* The next chunk of the one stream. */
static bool put_packed(ZSTD_CCtx *zstd, const char *bytes, size_t size)
{
	static char out[UINT16_MAX];
	struct perf_event_header head = { .type = COMPRESSED };
	ZSTD_inBuffer from = { .src = bytes, .size = size };
	size_t left = 1;

	while (left) {
		ZSTD_outBuffer to = { .dst = out, .size = sizeof(out) - sizeof(head) };

		left = ZSTD_compressStream2(zstd, &to, &from, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return false;
		head.size = (uint16_t)(sizeof(head) + to.pos);
		if (to.pos && (!put(&head, sizeof(head)) || !put(out, to.pos)))
			return false;
	}
	return true;
}

/* The next stretch of records; with zstd NULL as they are. */
static bool put_chunk(ZSTD_CCtx *zstd, const char *bytes, size_t size)
{
	return zstd ? put_packed(zstd, bytes, size) : !size || put(bytes, size);
}

static bool put_samples(char *sample, unsigned long rounds, unsigned long samples, bool plain)
{
	static char chunk[CHUNK + UINT16_MAX];
	ZSTD_CCtx *zstd = plain ? NULL : ZSTD_createCCtx();
	uint64_t time, noise = 1;
	unsigned long round, i;
	bool good = plain || zstd;
	size_t n = 0;
	uint16_t size;
	uint32_t cpu;

	memcpy(&size, sample + offsetof(struct perf_event_header, size), sizeof(size));
	for (round = 0; good && round < rounds; round++) {
		for (i = 0; good && i < 2 * samples; i++) {
			cpu = i >= samples;
			time = ((round * samples + i % samples) * 2 + cpu + 1) * 1000;
			/* So that it does not pack to next to nothing. */
			noise = noise * 6364136223846793005u + 1442695040888963407u;
			memcpy(sample + IP, &noise, sizeof(noise));
			memcpy(sample + TIME, &time, sizeof(time));
			memcpy(sample + CPU, &cpu, sizeof(cpu));
			memcpy(chunk + n, sample, size);
			n += size;
			/* A record may begin in one chunk and end in the next. */
			if (n >= CHUNK) {
				good = put_chunk(zstd, chunk, CHUNK);
				n -= CHUNK;
				memmove(chunk, chunk + CHUNK, n);
			}
		}
	}
	good = good && put_chunk(zstd, chunk, n);
	ZSTD_freeCCtx(zstd);
	return good;
}

int main(int argc, char **argv)
{
	char *sample;

	bool plain = argc == 4 && !strcmp(argv[3], "plain");

	if (argc != 3 && !plain) {
		fprintf(stderr, "usage: gen-perfdata ROUNDS SAMPLES [plain] <PIPE.data >FILE\n");
		return 2;
	}
	sample = copy_head(fread(in, 1, sizeof(in), stdin));
	if (!sample)
		return 1;
	return put_samples(sample, strtoul(argv[1], NULL, 0), strtoul(argv[2], NULL, 0), plain) &&
			       !fflush(stdout) ?
		       0 :
		       1;
}
