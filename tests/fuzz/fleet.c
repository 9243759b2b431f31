/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes what comes from a host of a collection: the first byte says how many bytes come at a time. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/collect/host.h"
#include "tests/fuzz/replay.h"

/* Opens a file of these bytes; the caller closes it. */
static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("bytes", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char status[] = "status";
	char *const args[] = { status, NULL };
	const struct fleet_opts opts = {
		.ssh = "ssh", .args = args, .timeout = UINT64_MAX, .most = 1 << 20
	};
	struct fleet_host host = { .name = "host", .opts = &opts, .err = -1 };
	uint8_t buffer[256];
	struct stat st;

	if (!size)
		return 0;
	host.in = file_of(data + 1, size - 1);
	host.out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	host.file = file_of(NULL, 0);
	host.state = FLEET_CONNECTING;
	must(host.out >= 0);
	while (host.in >= 0)
		host_read(&host, buffer, data[0] ? data[0] : 1);
	must(host_is_over(&host));
	must(host.state == FLEET_ENDED || host.message);
	must(!fstat(host.file, &st) && (uint64_t)st.st_size == host.bytes);
	must(host.bytes <= opts.most);
	close(host.file);
	host_clear(&host);
	return 0;
}
