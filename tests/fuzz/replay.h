/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the fuzz targets. Without a fuzzer, a target is a program that runs on the files in its arguments. */
#ifndef DKT_REPLAY_H
#define DKT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void must(bool good)
{
	if (!good)
		abort();
}

#ifdef DKT_REPLAY
int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		uint8_t *data;
		size_t size;

		if (!f) {
			perror(argv[i]);
			return 1;
		}
		data = malloc(1 << 20);
		if (!data)
			return 1;
		size = fread(data, 1, 1 << 20, f);
		fclose(f);
		/* An exact copy, so that a sanitizer sees one byte too far. */
		uint8_t *exact = malloc(size ? size : 1);

		if (!exact)
			return 1;
		for (size_t j = 0; j < size; j++)
			exact[j] = data[j];
		free(data);
		LLVMFuzzerTestOneInput(exact, size);
		free(exact);
	}
	printf("%d inputs replayed\n", argc - 1);
	return argc > 1 ? 0 : 1;
}
#endif

#endif
