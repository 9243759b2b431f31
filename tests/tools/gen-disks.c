/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies a recording to a trace.dat file of a host whose disks have names: gen-disks IN OUT MAJOR,MINOR=NAME... */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/source.h"

/* There is one source. */
static struct dkt__disks disks;

static const struct dkt__disks *named(const struct dkt_source *source, uint32_t nr)
{
	(void)source, (void)nr;
	return &disks;
}

static int copy(struct dkt_ctx *ctx, const char *from, int to)
{
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL);
	struct dkt__source_ops ops;
	struct dkt_source *source;
	struct dkt_tracedat *out;
	struct dkt_record record;
	int err = dkt_source_open(ctx, from, &all, &source);

	if (err)
		return err;
	ops = *source->ops;
	ops.disks = named;
	source->ops = &ops;
	err = dkt_tracedat_new(ctx, source, to, NULL, &out);
	while (!err && !(err = dkt_source_next(source, &record)))
		err = dkt_tracedat_add(out, &record);
	err = err == DKT_NEXT_END ? dkt_tracedat_finish(out) : err;
	dkt_tracedat_free(out);
	dkt_source_close(source);
	return err;
}

int main(int argc, char **argv)
{
	struct dkt_ctx *ctx;
	int err, fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;

	if (fd < 0 || dkt_ctx_new(NULL, &ctx))
		return 2;
	for (int i = 3; i < argc; i++) {
		unsigned int major, minor;
		const char *name = strchr(argv[i], '=');

		if (!name || sscanf(argv[i], "%u,%u=", &major, &minor) != 2)
			return 2;
		dkt__disks_add(&disks, (uint64_t)major << DKT__DISK_MINOR_BITS | minor, name + 1,
			       strlen(name + 1));
	}
	dkt__disks_sort(&disks);
	err = copy(ctx, argv[1], fd);
	if (err)
		fprintf(stderr, "gen-disks: %s\n", dkt_error(ctx));
	dkt_ctx_free(ctx);
	dkt__disks_clear(&disks);
	return close(fd) || err;
}
