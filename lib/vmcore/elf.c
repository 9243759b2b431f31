/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks at the beginning of a file: is it a dump, is its ELF header valid, is it of a program. */
#include <byteswap.h>
#include <elf.h>

#include "lib/vmcore/image.h"

enum vm_form dkt__vm_form(const uint8_t *data, size_t size)
{
	uint16_t type;

	if (size >= 16 && !memcmp(data, "makedumpfile\0\0\0\0", 16))
		return VM_FLAT;
	if (size >= 8 && (!memcmp(data, "KDUMP   ", 8) || !memcmp(data, "DISKDUMP", 8)))
		return VM_KDUMP;
	if (size < sizeof(Elf32_Ehdr) || memcmp(data, ELFMAG, SELFMAG))
		return VM_NONE;
	memcpy(&type, data + EI_NIDENT, sizeof(type));
	if (data[EI_DATA] != (DKT__BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB))
		type = bswap_16(type);
	return type == ET_CORE ? VM_ELF : VM_NONE;
}

/* Gets a part of an ELF core of this machine; false: there are no more. */
static bool get_part(const struct dkt__file *file, size_t nr, Elf64_Phdr *part)
{
	Elf64_Ehdr head;
	uint64_t at;

	if (dkt__vm_form(file->data, file->size) != VM_ELF || file->size < sizeof(head))
		return false;
	memcpy(&head, file->data, sizeof(head));
	at = head.e_phoff + nr * sizeof(*part);
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(*part) ||
	    nr >= head.e_phnum || at > file->size || file->size - at < sizeof(*part))
		return false;
	memcpy(part, file->data + at, sizeof(*part));
	return true;
}

/* True if a note is one that only cores of programs have. */
static bool is_programs(const struct dkt__file *file, const Elf64_Phdr *part)
{
	struct dkt__cursor cur = { .p = file->data + DKT__MIN(part->p_offset, file->size),
				   .end = file->data + file->size };
	Elf64_Nhdr note;
	const uint8_t *p;

	cur.end = cur.p + DKT__MIN(part->p_filesz, dkt__cursor_left(&cur));
	while ((p = dkt__cursor_bytes(&cur, sizeof(note)))) {
		memcpy(&note, p, sizeof(note));
		if (note.n_type == NT_AUXV)
			return true;
		dkt__cursor_bytes(&cur, ((note.n_namesz + UINT64_C(3)) & ~UINT64_C(3)) +
						((note.n_descsz + UINT64_C(3)) & ~UINT64_C(3)));
	}
	return false;
}

bool dkt__vm_elf_is_program(const struct dkt__file *file)
{
	bool is = false;
	Elf64_Phdr part;

	for (size_t i = 0; !is && get_part(file, i, &part); i++)
		is = part.p_type == PT_NOTE && is_programs(file, &part);
	return is;
}

bool dkt__vm_elf_is_cut(const struct dkt__file *file)
{
	bool cut = false;
	Elf64_Phdr part;

	for (size_t i = 0; !cut && get_part(file, i, &part); i++)
		cut = part.p_offset > file->whole || part.p_filesz > file->whole - part.p_offset;
	return cut;
}

static bool is_inside(const struct dkt__file *file, uint64_t at, uint64_t size)
{
	return at <= file->whole && size <= file->whole - at;
}

/* True if the sections, if there are any, and their table are inside the file. */
static bool has_sections(const struct dkt__file *file, const Elf64_Ehdr *head)
{
	Elf64_Shdr section;

	if (!head->e_shoff)
		return true;
	if (head->e_shentsize != sizeof(section) ||
	    !is_inside(file, head->e_shoff, DKT__MAX(head->e_shnum, 1u) * sizeof(section)))
		return false;
	for (size_t i = 0; i < head->e_shnum; i++) {
		uint64_t at = head->e_shoff + i * sizeof(section);

		if (at > file->size || file->size - at < sizeof(section))
			return false;
		memcpy(&section, file->data + at, sizeof(section));
		if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
		    !is_inside(file, section.sh_offset, section.sh_size))
			return false;
	}
	return head->e_shstrndx < DKT__MAX(head->e_shnum, 1u);
}

int dkt__vm_unsupported(struct dkt_ctx *ctx, const char *name)
{
	return dkt_fail(ctx, -EOPNOTSUPP,
			"read %s: only dumps of 64-bit kernels with this machine's byte order can "
			"be read",
			name);
}

int dkt__vm_elf_check(struct dkt_ctx *ctx, const struct dkt__file *file)
{
	const uint8_t order = DKT__BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB;
	Elf64_Ehdr head;

	if (dkt__vm_form(file->data, file->size) != VM_ELF)
		return 0;
	if (file->data[EI_CLASS] != ELFCLASS64 || file->data[EI_DATA] != order)
		return dkt__vm_unsupported(ctx, file->name);
	if (file->size < sizeof(head))
		return dkt_fail(ctx, -EBADMSG, "read %s: the file is truncated", file->name);
	memcpy(&head, file->data, sizeof(head));
	if (head.e_phentsize == sizeof(Elf64_Phdr) && has_sections(file, &head) &&
	    is_inside(file, head.e_phoff, head.e_phnum * sizeof(Elf64_Phdr)))
		return 0;
	return dkt_fail(ctx, -EBADMSG,
			"read %s: the ELF header is invalid, or the file is truncated before its "
			"tables",
			file->name);
}
