/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes last_boot_info, of kernel 6.12 and of later ones. */
#include "lib/last_boot.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct dkt__last_boot boot;

	if (!text)
		return 0;
	if (!dkt__last_boot_parse(text, &boot)) {
		if (!boot.current && !boot.has_delta && !boot.text)
			abort();
		for (size_t i = 0; i < boot.n_modules; i++)
			if (!boot.modules[i].name[0])
				abort();
	} else if (boot.n_modules || boot.modules) {
		abort();
	}
	dkt__last_boot_clear(&boot);
	free(text);
	return 0;
}
