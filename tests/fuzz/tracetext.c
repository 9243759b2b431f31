/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes texts of trace and trace_pipe, with the print formats of a saved tree. */
#include "tests/fuzz/read_source.h"

static void read_text(const char *path, struct dkt_buf *buf)
{
	DKT_OPTS(dkt_source_opts, opts, .formats = "tests/fixture/capture");
	struct dkt_source *source;
	struct dkt_ctx *ctx;

	must(!dkt_ctx_new(NULL, &ctx));
	if (!dkt_source_open(ctx, path, &opts, &source)) {
		print_source(source, buf);
		dkt_source_close(source);
	}
	dkt_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("records", MFD_CLOEXEC);
	struct dkt_buf *buf = NULL;
	char path[32];

	must(fd >= 0 && write(fd, "# tracer: nop\n", 14) == 14 &&
	     write(fd, data, size) == (ssize_t)size && !dkt_buf_new(&buf));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_text(path, buf);
	dkt_buf_free(buf);
	close(fd);
	return 0;
}
