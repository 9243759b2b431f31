/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes ELF files and notes for their build ID, which the sampler reads. */
#include <sys/mman.h>

#include "lib/base/io.h"
#include "lib/sampler.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[DKT__BUILD_ID_MAX];
	int fd = memfd_create("buildid", MFD_CLOEXEC);

	must(fd >= 0 && !dkt__write_all(fd, data, size));
	must(dkt__build_id_of_fd(fd, id) <= DKT__BUILD_ID_MAX);
	close(fd);
	must(dkt__build_id_of_notes(data, size, false, id) <= DKT__BUILD_ID_MAX);
	must(dkt__build_id_of_notes(data, size, true, id) <= DKT__BUILD_ID_MAX);
	return 0;
}
