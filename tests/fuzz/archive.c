/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the settings of a daemon: what was read can be written and read back unchanged. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/daemon/config.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/dkt-fuzz-XXXXXX";
	struct archive_config in = { 0 }, out = { 0 };
	struct archive_limits limits;
	struct dkt_ctx *ctx = NULL;
	char *text = malloc(size + 1);
	int fd = mkstemp(path);

	must(text && fd >= 0 && !dkt_ctx_new(NULL, &ctx));
	memcpy(text, data, size);
	text[size] = '\0';
	if (!archive_config_parse(ctx, text, &in)) {
		must(!archive_config_write(ctx, path, &in));
		must(!archive_config_read(ctx, path, &out));
		for (size_t i = 0; i < ARCHIVE_KEYS; i++) {
			must(!in.value[i] == !out.value[i]);
			must(!in.value[i] || !strcmp(in.value[i], out.value[i]));
		}
		archive_config_limits(ctx, &in, &limits);
	}
	archive_config_clear(&in);
	archive_config_clear(&out);
	free(text);
	close(fd);
	unlink(path);
	dkt_ctx_free(ctx);
	return 0;
}
