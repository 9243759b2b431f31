/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the lines of hosts whose flight recorders are followed: the first byte of each part names the host. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fleet/collect/alarms.h"
#include "lib/base/when.h"
#include "tests/fuzz/replay.h"

#define N_HOSTS 3

static void made(void *data, const struct alarm *alarm)
{
	size_t *n = data, files = 0;

	++*n;
	for (size_t i = 0; i < N_HOSTS; i++) {
		if (!alarm->files[i])
			continue;
		files++;
		must(!strncmp(alarm->files[i], "flight-", strlen("flight-")));
		must(!strpbrk(alarm->files[i], "/; \t\n'$`"));
	}
	must(files == alarm->n_files && alarm->reason && !strchr(alarm->reason, '\n'));
}

static void tell(void *data, const char *host, const char *message)
{
	(void)data;
	must(host && message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fleet_host hosts[N_HOSTS];
	struct fleet fleet = { .hosts = hosts, .n = N_HOSTS };
	size_t n_made = 0;
	struct alarms alarms = { .fleet = &fleet,
				 .most = 4,
				 .wait = (uint64_t)DKT__NSEC_PER_SEC,
				 .made = made,
				 .tell = tell,
				 .data = &n_made };
	bool bad[N_HOSTS] = { false };

	for (size_t i = 0; i < N_HOSTS; i++)
		hosts[i] = (struct fleet_host){ .name = "host",
						.opts = &fleet.opts,
						.state = FLEET_RUNNING,
						.begun = true,
						.in = -1,
						.out = open("/dev/null", O_WRONLY | O_CLOEXEC),
						.err = -1 };
	must(!alarms_init(&alarms));
	while (size > 1) {
		const size_t host = data[0] % N_HOSTS,
			     len = DKT__MIN(size - 1, (size_t)data[0] / N_HOSTS);

		if (!bad[host])
			bad[host] = alarms_take(&alarms, &hosts[host], data + 1, len) != 0;
		alarms_tick(&alarms, dkt__monotonic_ns());
		data += len + 1;
		size -= len + 1;
	}
	alarms_clear(&alarms);
	must(n_made <= alarms.most);
	for (size_t i = 0; i < N_HOSTS; i++)
		host_clear(&hosts[i]);
	return 0;
}
