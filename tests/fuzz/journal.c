/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes recordings in progress: reads them, completes them, and reads the complete file. */
#include "lib/inside.h"
#include "tests/fuzz/read_source.h"

/* A seed that a fuzzer made large may take long to copy. */
#define SEALED_MAX (4 << 20)

static void seal(const uint8_t *data, size_t size, const char *compression)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .compression = compression);
	int from = memfd_create("journal", MFD_CLOEXEC), to = memfd_create("sealed", MFD_CLOEXEC);
	uint8_t *sealed;
	struct dkt_ctx *ctx;
	off_t end;

	must(from >= 0 && to >= 0 && write(from, data, size) == (ssize_t)size);
	must(!dkt_ctx_new(NULL, &ctx));
	if (!dkt__tracedat_seal(ctx, from, to, &opts)) {
		end = lseek(to, 0, SEEK_END);
		sealed = malloc((size_t)end);
		must(end > 0 && sealed && pread(to, sealed, (size_t)end, 0) == (ssize_t)end);
		if (end <= SEALED_MAX)
			read_bytes(sealed, (size_t)end);
		free(sealed);
	}
	dkt_ctx_free(ctx);
	close(from);
	close(to);
}

/* Reads them as from a pipe, or as of a file that grows. */
static void read_on(const uint8_t *data, size_t size, unsigned int flags)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL | flags);
	int rest, fd = memfd_create("journal", MFD_CLOEXEC);
	struct dkt_buf *buf = NULL;
	struct dkt_source *source;
	struct dkt_ctx *ctx;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	must(!dkt_ctx_new(NULL, &ctx) && !dkt_buf_new(&buf));
	if (!dkt_source_pipe(ctx, fd, &opts, &rest, &source)) {
		print_source(source, buf);
		dkt_source_close(source);
	}
	if (rest >= 0)
		close(rest);
	dkt_buf_free(buf);
	dkt_ctx_free(ctx);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_bytes(data, size);
	read_on(data, size, 0);
	read_on(data, size, DKT_SOURCE_GROWS);
	seal(data, size, NULL);
	seal(data, size, "none");
	return 0;
}
