/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes trace.dat files in succession: the same bytes, the first half of them, and the same again. */
#include "lib/inside.h"
#include "tests/fuzz/read_source.h"

#define FILES 3

static void read_series(const struct dkt__series_item *files, struct dkt_buf *buf)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct dkt_source *source;
	struct dkt_loss loss;
	struct dkt_ctx *ctx;
	size_t taken;

	must(!dkt_ctx_new(NULL, &ctx));
	if (!dkt__source_series(ctx, files, FILES, &opts, &taken, &source)) {
		must(taken && taken <= FILES);
		print_source(source, buf);
		must(!dkt_source_info(source)->cpus ||
		     !dkt_source_get_loss(source, 0, &loss, sizeof(loss)));
		dkt_source_close(source);
	}
	dkt_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dkt__series_item files[FILES];
	char paths[FILES][32];
	struct dkt_buf *buf = NULL;
	int fds[FILES];

	must(!dkt_buf_new(&buf));
	for (int i = 0; i < FILES; i++) {
		size_t n = i == 1 ? size / 2 : size;

		fds[i] = memfd_create("records", MFD_CLOEXEC);
		must(fds[i] >= 0 && write(fds[i], data, n) == (ssize_t)n);
		snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", fds[i]);
		files[i] = (struct dkt__series_item){ .sz = sizeof(files[i]), .path = paths[i] };
	}
	read_series(files, buf);
	for (int i = 0; i < FILES; i++)
		close(fds[i]);
	dkt_buf_free(buf);
	return 0;
}
