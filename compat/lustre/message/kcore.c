/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the kernel's memory from /proc/kcore, an ELF file whose segments are the mapped ranges. */
#include "compat/lustre/message/kcore.h"

#include <elf.h>
#include <fcntl.h>

#include "lib/base/util.h"

int dkl_kcore_open(void)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

size_t dkl_kcore_read(int fd, uint64_t address, void *bytes, size_t len)
{
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_phentsize != sizeof(segment))
		return 0;
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		ssize_t n;

		if (pread(fd, &segment, sizeof(segment),
			  (off_t)(head.e_phoff + i * sizeof(segment))) != sizeof(segment))
			return 0;
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr > segment.p_memsz ||
		    len > segment.p_memsz - (address - segment.p_vaddr))
			continue;
		n = pread(fd, bytes, len, (off_t)(segment.p_offset + (address - segment.p_vaddr)));
		return n > 0 ? (size_t)n : 0;
	}
	return 0;
}
