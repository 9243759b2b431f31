/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the answers of ClickHouse: values lie within the answer, and after its end nothing is read. */
#include <string.h>

#include "answers/load/rowbinary.h"
#include "answers/load/server.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct row_reader in = { .at = (const char *)data, .left = size };
	const char *end = in.at + size;
	char *text = calloc(1, size + 1);

	must(text);
	memcpy(text, data, size);
	link_may_pass(500, text);
	free(text);
	for (bool number = false; in.left && !in.bad; number = !number) {
		const size_t left = in.left;
		size_t len = 0;
		const char *bytes = number ? NULL : row_take_text(&in, &len);

		if (number)
			row_take_u64(&in);
		must(in.bad || in.left < left);
		must(in.bad || number || (bytes && len <= left && bytes + len <= end));
	}
	if (in.bad)
		must(!row_take(&in, 0) && !row_take_u64(&in));
	return 0;
}
