/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes perf.data files. */
#include "tests/fuzz/read_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_bytes(data, size);
	return 0;
}
