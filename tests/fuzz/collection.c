/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the description of a collection: what is read has plain, different names and clocks with lines. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fleet/collect/collection.h"
#include "tests/fuzz/replay.h"

static void check(const struct collection *about)
{
	for (size_t i = 0; i < about->n; i++) {
		const struct collection_host *host = &about->hosts[i];
		struct dkt_clock_point *points, at;
		uint64_t error;
		size_t n;

		must(*host->name && *host->file && *host->file != '.' && !strchr(host->file, '/'));
		must(host->clock.n == host->n_points);
		must(!host->n_points == !!collection_error(host, &error));
		must(dkt__clock_at(host->points, host->n_points, 1, &at) == !!host->n_points);
		if (!host->n_points || !about->hosts[0].n_points)
			continue;
		must(!clock_between(host->points, host->n_points, about->hosts[0].points,
				    about->hosts[0].n_points, &points, &n));
		for (size_t j = 1; j < n; j++)
			must(points[j - 1].time <= points[j].time);
		free(points);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("collection", MFD_CLOEXEC);
	struct collection about;
	struct dkt_ctx *ctx;
	char path[64];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	must(!dkt_ctx_new(NULL, &ctx));
	if (!collection_read(ctx, path, &about))
		check(&about);
	collection_clear(&about);
	dkt_ctx_free(ctx);
	close(fd);
	return 0;
}
