/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the mask grammar: no crash, tokens named in bounds, printed masks read back. */
#include <stdlib.h>
#include <string.h>

#include "compat/lustre/mask.h"
#include "tests/fuzz/replay.h"

/* The first byte chooses the kind, the rest is the text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum mask_kind kind = size ? data[0] % 4 : MASK_DEBUG;
	char out[MASK_TEXT_SIZE];
	struct mask_value value;
	char *text;

	text = size ? strndup((const char *)data + 1, size - 1) : strdup("");
	if (!text)
		return 0;
	if (dkl_mask_parse(kind, text, 0x12345678, &value) && value.bad &&
	    (value.bad < text || value.bad + value.bad_len > text + strlen(text)))
		abort();
	dkl_mask_format(kind, value.value, out);
	if (kind == MASK_DEBUG) {
		uint32_t mask = value.value;

		if (dkl_mask_parse(kind, out, 0, &value) ||
		    value.value != (mask ? mask | dkl_mask_floor(kind) : 0))
			abort();
	}
	free(text);
	return 0;
}
