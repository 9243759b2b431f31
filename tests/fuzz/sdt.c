/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes arguments of static markers: an accepted one is valid for the kernel. */
#include "lib/debuginfo/sdt.h"
#include "tests/fuzz/replay.h"

/* "%di", "+8(%sp)", "\\-5" and nothing after it. */
static bool makes_sense(const char *fetch)
{
	long long number;
	char name[8];
	int end = 0;

	if (sscanf(fetch, "\\%lld%n", &number, &end) == 1 && end)
		return !fetch[end];
	if (sscanf(fetch, "%%%7[a-z0-9]%n", name, &end) == 1 && end)
		return !fetch[end];
	return (*fetch == '+' || *fetch == '-') &&
	       sscanf(fetch, "%lld(%%%7[a-z0-9])%n", &number, name, &end) == 2 && end &&
	       !fetch[end];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum dkt__machine machines[] = { DKT__X86_64, DKT__ARM64, DKT__OTHER };
	char *text = strndup((const char *)data, size);
	unsigned int n, i;
	size_t m;

	if (!text)
		return 0;
	n = dkt__sdt_args(text);
	for (m = 0; m < ARRAY_SIZE(machines); m++)
		for (i = 0; i <= n + 1; i++) {
			struct sdt_arg arg;
			const char *why = dkt__sdt_arg(machines[m], text, i, &arg);

			if (!why && (!i || i > n || !makes_sense(arg.fetch)))
				abort();
		}
	free(text);
	return 0;
}
