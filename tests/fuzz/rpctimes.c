/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the reading of Lustre's messages about RPCs. */
#include <stdlib.h>
#include <string.h>

#include "compat/lustre_log/rpc_times.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Without a NUL behind it, so that a sanitizer sees a read past the end. */
	char *text = malloc(size + !size);
	struct rpc_message rpc;

	must(text);
	memcpy(text, data, size);
	if (dkl_rpc_message_read(text, size, &rpc))
		must(memmem(text, size, " RPC ", 5));
	free(text);
	return 0;
}
