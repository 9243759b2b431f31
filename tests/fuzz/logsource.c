/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes saved logs, texts and binary ones, as sources. */
#include "tests/fuzz/read_source.h"

#include "compat/lustre/log_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct dkt_source *source;
	struct dkt_buf *buf;
	struct dkt_loss loss;
	struct dkt_ctx *ctx = NULL;
	char path[32];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	must(!dkt_buf_new(&buf) && !dkt_ctx_new(NULL, &ctx));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!dkl_log_source_open(ctx, path, NULL, &source)) {
		print_source(source, buf);
		must(!dkt_source_get_loss(source, 0, &loss, sizeof(loss)));
		dkt_source_close(source);
	}
	dkt_ctx_free(ctx);
	dkt_buf_free(buf);
	close(fd);
	return 0;
}
