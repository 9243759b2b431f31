/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the lines of hosts whose logs are followed: the first byte of each part names the host. */
#include <string.h>

#include "fleet/collect/lines.h"
#include "lib/base/when.h"
#include "tests/fuzz/replay.h"

#define N_HOSTS 3

static int put(void *data, const struct fleet_host *host, const char *line, size_t len)
{
	(void)data;
	must(host && strlen(line) == len && !strchr(line, '\n'));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fleet_host hosts[N_HOSTS] = { { .name = "a" }, { .name = "b" }, { .name = "c" } };
	struct fleet fleet = { .hosts = hosts, .n = N_HOSTS };
	struct lines lines = { .fleet = &fleet, .delay = 1000, .most = 64, .put = put };
	bool bad[N_HOSTS] = { false };

	must(!lines_init(&lines));
	must(!clock_add(&hosts[0].clock, &(struct clock_trip){ 100, 200, 1000, 1010, 5 }));
	while (size > 1) {
		const size_t host = data[0] % N_HOSTS,
			     len = DKT__MIN(size - 1, (size_t)data[0] / N_HOSTS);

		if (!bad[host])
			bad[host] = lines_take(&lines, &hosts[host], data + 1, len) != 0;
		lines_put(&lines, dkt__monotonic_ns());
		must(lines.waiting <= lines.most);
		data += len + 1;
		size -= len + 1;
	}
	lines_finish(&lines);
	must(!lines.waiting && !lines.err);
	lines_clear(&lines);
	clock_free(&hosts[0].clock);
	return 0;
}
