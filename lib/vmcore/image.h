/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a dump, in any form that libkdumpfile reads. */
#pragma once

#include "lib/source/file.h"
#include "lib/vmcore/memory.h"

struct vm_image {
	struct vm_memory memory; /* first: its callback gets the address of the image */
	char *info; /* the text of VMCOREINFO, lines KEY=VALUE */
	int fd; /* that is read */
	bool cut; /* the file is shorter than it says */
};

/* The forms of a dump. */
enum vm_form {
	VM_NONE, /* not a dump */
	VM_ELF, /* ELF core: /proc/vmcore, /proc/kcore, of qemu */
	VM_KDUMP, /* compressed by makedumpfile or qemu */
	VM_FLAT, /* the same as a stream: makedumpfile -F */
};

/* Opens the file. -EOPNOTSUPP: the library was built without libkdumpfile, or it is missing here. */
int dkt__vm_image_open(struct dkt_ctx *ctx, const struct dkt__file *file, struct vm_image **image);
void dkt__vm_image_close(struct vm_image *image);

/* ---- vmcore/elf.c ---- */

enum vm_form dkt__vm_form(const uint8_t *data, size_t size);

/*
 * Checks the header of an ELF core; other files pass. libkdumpfile 0.5.1 follows its tables beyond the
 * end of the file, and crashes.
 */
int dkt__vm_elf_check(struct dkt_ctx *ctx, const struct dkt__file *file);

/* True if the file has a note that only cores of programs have. */
bool dkt__vm_elf_is_program(const struct dkt__file *file);

/* True if the file ends before a part of the ELF core. */
bool dkt__vm_elf_is_cut(const struct dkt__file *file);

/* Sets the error message for a machine whose numbers cannot be read; -EOPNOTSUPP. */
int dkt__vm_unsupported(struct dkt_ctx *ctx, const char *name);

/* ---- vmcore/kdump.c ---- */

/* True if the compressed dump ends before its last page; other files are not. */
bool dkt__vm_kdump_is_cut(int fd, uint64_t size);

/* True if the file is one of those that makedumpfile --split writes. */
bool dkt__vm_kdump_is_part(int fd);

/* ---- vmcore/flat.c ---- */

/*
 * Puts a flattened file in order, in a temporary file without a name, whose descriptor is *fd.
 * *cut: the file ends within a piece.
 */
int dkt__vm_unflatten(struct dkt_ctx *ctx, const struct dkt__file *file, int *fd, bool *cut);
