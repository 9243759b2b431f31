/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the static markers of a program: the notes that sys/sdt.h leaves in an ELF file. */
#include "lib/debuginfo/sdt.h"

/* https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation */
#define SECTION   ".note.stapsdt"
#define BASE      ".stapsdt.base"
#define OWNER     "stapsdt"
#define NOTE_TYPE 3

/* Three addresses, then three strings. */
struct head {
	uint64_t pc, base, semaphore;
};

static Elf_Scn *find_section(struct dkt__binary *binary, const char *name, Elf_Scn *after,
			     GElf_Shdr *header)
{
	Elf_Scn *section = after;
	size_t strings;

	if (elf_getshdrstrndx(binary->elf, &strings))
		return NULL;
	while ((section = elf_nextscn(binary->elf, section))) {
		const char *its = gelf_getshdr(section, header) ?
					  elf_strptr(binary->elf, strings, header->sh_name) :
					  NULL;

		if (its && !strcmp(its, name))
			return section;
	}
	return NULL;
}

/* Takes a string and moves *at past it; NULL: no NUL before end. */
static const char *take_string(const char **at, const char *end)
{
	const char *text = *at;
	size_t n = strnlen(text, (size_t)(end - text));

	if (text + n >= end)
		return NULL;
	*at = text + n + 1;
	return text;
}

/* base is the present address of section BASE: prelink(8) may have moved it since. */
static bool read_note(struct dkt__binary *binary, const char *data, size_t len, uint64_t base,
		      struct sdt_note *note)
{
	const char *at = data + sizeof(struct head), *end = data + len;
	struct head head;

	if (len < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	*note = (struct sdt_note){ .address = head.pc, .semaphore = head.semaphore };
	if (base)
		note->address += base - head.base;
	note->address += binary->bias;
	if (note->semaphore)
		note->semaphore += binary->bias + (base ? base - head.base : 0);
	note->provider = take_string(&at, end);
	note->name = note->provider ? take_string(&at, end) : NULL;
	note->args = note->name ? take_string(&at, end) : NULL;
	return note->args && *note->provider && *note->name;
}

static int each_of(struct dkt__binary *binary, Elf_Data *data, uint64_t base,
		   int (*fn)(void *data, const struct sdt_note *note), void *arg)
{
	size_t at = 0, next, name, desc;
	struct sdt_note note;
	GElf_Nhdr header;
	int end = 0;

	while (!end && (next = gelf_getnote(data, at, &header, &name, &desc))) {
		const char *bytes = data->d_buf;

		if (header.n_type == NOTE_TYPE && header.n_namesz == sizeof(OWNER) &&
		    !memcmp(bytes + name, OWNER, sizeof(OWNER)) &&
		    read_note(binary, bytes + desc, header.n_descsz, base, &note))
			end = fn(arg, &note);
		at = next;
	}
	return end;
}

int dkt__sdt_each(struct dkt__binary *binary, int (*fn)(void *data, const struct sdt_note *note),
		  void *arg)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint64_t base;
	int end = 0;

	/* The notes hold addresses of 8 bytes, in this machine's order. */
	if (binary->machine == DKT__OTHER)
		return dkt_fail(binary->ctx, -EOPNOTSUPP,
				"markers of %s cannot be read: it is for another machine",
				binary->path);
	base = find_section(binary, BASE, NULL, &header) ? header.sh_addr : 0;
	while (!end && (section = find_section(binary, SECTION, section, &header))) {
		Elf_Data *data = header.sh_type == SHT_NOTE ? elf_getdata(section, NULL) : NULL;

		if (data && data->d_buf)
			end = each_of(binary, data, base, fn, arg);
	}
	return end;
}
