/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the directory that perf record --threads would have written in place of a perf.data file: the
 * samples of each CPU in a file of their own, plain or compressed. usage:
 *
 *        gen-perfdir FILE DIR [zstd]
 *
 * The file is of a machine of this byte order, not of a pipe, and not compressed.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#define CPUS 64

/* Places in the header of a file, and in the attributes of its events: tools/perf/util/header.h. */
enum { ATTRS = 24, DATA = 40, DATA_SIZE = 48, FEATURES = 72, HEAD_SIZE = 104, SAMPLE_TYPE = 24 };

/* Features of a directory and of compressed records, and what such a record has for its type. */
enum { DIR_FORMAT = 24, COMPRESSED_FEATURE = 27, COMPRESSED = 81 };

#define N_FEATURES 256

/* Unpacked bytes of a compressed record. */
#define CHUNK 30000

struct section {
	uint64_t at, size;
};

static unsigned char in[16 << 20], rest[16 << 20], part[16 << 20];

static uint64_t load(const unsigned char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static bool put(FILE *f, const void *bytes, size_t size)
{
	return !size || fwrite(bytes, size, 1, f) == 1;
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "w");
}

/* Where the CPU of a sample is. */
static size_t cpu_at(void)
{
	const uint64_t type = load(in + load(in + ATTRS) + SAMPLE_TYPE);

	return 8 + 8 * (size_t)__builtin_popcountll(
			       type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
				       PERF_SAMPLE_STREAM_ID));
}

/* Copies the samples of a CPU, or all that is not one of a CPU's; returns the number of bytes. */
static size_t select_records(unsigned char *out, bool samples, uint32_t cpu)
{
	const size_t where = cpu_at();
	size_t at = load(in + DATA), end = at + load(in + DATA_SIZE), n = 0;
	struct perf_event_header head;
	uint32_t of;

	for (; at + sizeof(head) <= end; at += head.size) {
		memcpy(&head, in + at, sizeof(head));
		if (head.size < sizeof(head))
			break;
		of = UINT32_MAX;
		if (head.type == PERF_RECORD_SAMPLE)
			memcpy(&of, in + at + where, sizeof(of));
		if (samples ? of != cpu : of < CPUS)
			continue;
		memcpy(out + n, in + at, head.size);
		n += head.size;
	}
	return n;
}

static bool put_packed(FILE *f, const unsigned char *bytes, size_t size)
{
	static unsigned char out[UINT16_MAX];
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	bool good = zstd;

	while (good && size) {
		ZSTD_inBuffer from = { .src = bytes, .size = size < CHUNK ? size : CHUNK };
		ZSTD_outBuffer to = { .dst = out, .size = sizeof(out) - 16 };
		struct perf_event_header head = { .type = COMPRESSED };

		good = !ZSTD_compressStream2(zstd, &to, &from, ZSTD_e_flush);
		head.size = (uint16_t)(sizeof(head) + to.pos);
		good = good && put(f, &head, sizeof(head)) && put(f, out, to.pos);
		bytes += from.size;
		size -= from.size;
	}
	ZSTD_freeCCtx(zstd);
	return good;
}

static bool put_parts(const char *dir, bool zstd)
{
	bool good = true;
	uint32_t last = 0;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (select_records(part, true, cpu))
			last = cpu;
	for (uint32_t cpu = 0; good && cpu <= last; cpu++) {
		const size_t size = select_records(part, true, cpu);
		char name[32];
		FILE *f;

		snprintf(name, sizeof(name), "data.%u", cpu);
		f = create(dir, name);
		good = f && (zstd ? put_packed(f, part, size) : put(f, part, size));
		good = f && !fclose(f) && good;
	}
	return good;
}

static bool has_feature(const unsigned char *head, unsigned int feature)
{
	return head[FEATURES + feature / 8] & 1 << feature % 8;
}

/* The header, what is no sample, and the features, of which some are new. */
static bool put_main(FILE *f, bool zstd)
{
	static const uint64_t version = 1;
	static const uint32_t packing[] = { 1, 1, 1, 1, 1 << 20 };
	const unsigned char *table = in + load(in + DATA) + load(in + DATA_SIZE);
	const uint64_t begin = load(in + DATA), size = select_records(rest, false, 0);
	const void *bytes[N_FEATURES] = { 0 };
	struct section sections[N_FEATURES];
	unsigned char head[HEAD_SIZE];
	uint64_t at = begin + size;
	bool good;

	memcpy(head, in, sizeof(head));
	memcpy(head + DATA_SIZE, &size, sizeof(size));
	head[FEATURES + DIR_FORMAT / 8] |= 1 << DIR_FORMAT % 8;
	if (zstd)
		head[FEATURES + COMPRESSED_FEATURE / 8] |= 1 << COMPRESSED_FEATURE % 8;
	for (unsigned int i = 0; i < N_FEATURES; i++) {
		if (has_feature(head, i))
			at += sizeof(struct section);
		if (!has_feature(in, i))
			continue;
		memcpy(&sections[i], table, sizeof(sections[i]));
		bytes[i] = in + sections[i].at;
		table += sizeof(sections[i]);
	}
	bytes[DIR_FORMAT] = &version;
	sections[DIR_FORMAT].size = sizeof(version);
	bytes[COMPRESSED_FEATURE] = packing;
	sections[COMPRESSED_FEATURE].size = sizeof(packing);
	good = put(f, head, sizeof(head)) && put(f, in + HEAD_SIZE, begin - HEAD_SIZE) &&
	       put(f, rest, size);
	for (unsigned int i = 0; good && i < N_FEATURES; i++)
		if (has_feature(head, i)) {
			sections[i].at = at;
			at += sections[i].size;
			good = put(f, &sections[i], sizeof(sections[i]));
		}
	for (unsigned int i = 0; good && i < N_FEATURES; i++)
		if (has_feature(head, i))
			good = put(f, bytes[i], sections[i].size);
	return good;
}

int main(int argc, char **argv)
{
	const bool zstd = argc == 4 && !strcmp(argv[3], "zstd");
	FILE *f = argc == 3 || zstd ? fopen(argv[1], "r") : NULL;
	bool good;

	if (!f || fread(in, 1, sizeof(in), f) < HEAD_SIZE || mkdir(argv[2], 0700)) {
		fprintf(stderr, "usage: gen-perfdir FILE DIR [zstd]\n");
		return 2;
	}
	fclose(f);
	f = create(argv[2], "data");
	good = f && put_main(f, zstd);
	good = f && !fclose(f) && good;
	return good && put_parts(argv[2], zstd) ? 0 : 1;
}
