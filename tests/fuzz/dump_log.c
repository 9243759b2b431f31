/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the lists of Lustre's messages in a dump, in which no pointer or size can be trusted. */
#include "compat/lustre/log_source.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/made_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const DKT_OPTS(dkt_source_opts, opts, .flags = 0);
	char *damage = NULL;
	struct dkt_ctx *ctx;
	struct spill spill;

	made_dump_new();
	memcpy(made_dump.bytes, data,
	       size < sizeof(made_dump.bytes) ? size : sizeof(made_dump.bytes));
	if (dkt_ctx_new(NULL, &ctx))
		return 0;
	if (!dkl_spill_open(ctx, &spill)) {
		dkl_dump_log_read(ctx, "made", &opts, &spill, &damage);
		dkl_spill_close(&spill);
	}
	free(damage);
	dkt_ctx_free(ctx);
	return 0;
}
