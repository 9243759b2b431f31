/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the far side of collect: whatever comes over the connection, nothing runs that was not allowed. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fleet/remote/serve.h"
#include "tests/fuzz/replay.h"

/* The arguments are within the frame; no command is allowed. */
static int check(void *data, int argc, char **argv)
{
	must(argc > 0 && !argv[argc]);
	for (int i = 0; i < argc; i++)
		must(strlen(argv[i]) < 1 << 20);
	return dkt_fail(data, -EACCES, "'%s' is not allowed", argv[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int in = memfd_create("frames", MFD_CLOEXEC);
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct dkt_ctx *ctx = NULL;
	struct serve_opts opts = { .in = in, .out = out, .check = check };

	must(in >= 0 && out >= 0 && write(in, data, size) == (ssize_t)size &&
	     !lseek(in, 0, SEEK_SET) && !dkt_ctx_new(NULL, &ctx));
	opts.data = ctx;
	/* A check that fails ends the process that makes it. */
	must(serve_run(ctx, &opts) != -ECHILD);
	dkt_ctx_free(ctx);
	close(in);
	close(out);
	return 0;
}
