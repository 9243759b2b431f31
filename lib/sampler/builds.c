/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build IDs of the programs, the kernel and the modules that samples hit, from their ELF notes. */
#include <byteswap.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/sampler.h"

/* More than the notes and the segments of any program. */
#define NOTES_MAX    (64u << 10)
#define SEGMENTS_MAX 1024

/* Names are filled up to a multiple of so many bytes. */
#define NAME_ALIGN 64u

/* The record has the length of the ID: tools/lib/perf/include/perf/event.h */
#define MISC_BUILD_ID_SIZE (1 << 15)

/* struct perf_record_header_build_id */
struct build_record {
	struct perf_event_header header;
	int32_t pid;
	uint8_t id[DKT__BUILD_ID_MAX];
	uint8_t size, reserved[3];
};

/* ---- ELF ---- */

static uint32_t number(uint32_t value, bool swap)
{
	return swap ? bswap_32(value) : value;
}

static uint64_t number64(uint64_t value, bool swap)
{
	return swap ? bswap_64(value) : value;
}

size_t dkt__build_id_of_notes(const uint8_t *notes, size_t size, bool swap,
			      uint8_t id[DKT__BUILD_ID_MAX])
{
	size_t at = 0;
	Elf32_Nhdr note;

	while (size - at >= sizeof(note)) {
		const uint8_t *name = notes + at + sizeof(note);
		uint64_t name_room, id_room;
		uint32_t len;

		memcpy(&note, notes + at, sizeof(note));
		name_room = ((uint64_t)number(note.n_namesz, swap) + 3) & ~UINT64_C(3);
		len = number(note.n_descsz, swap);
		id_room = ((uint64_t)len + 3) & ~UINT64_C(3);
		if (name_room + id_room > size - at - sizeof(note))
			return 0;
		if (number(note.n_type, swap) == NT_GNU_BUILD_ID && name_room == 4 &&
		    !memcmp(name, "GNU", 4) && len && len <= DKT__BUILD_ID_MAX) {
			memcpy(id, name + name_room, len);
			return len;
		}
		at += sizeof(note) + name_room + id_room;
	}
	return 0;
}

/* Looks for the ID in the notes at an offset of a file. */
static size_t find_in(int fd, uint64_t at, uint64_t size, bool swap, uint8_t *id)
{
	uint8_t *notes __cleanup(free) = NULL;
	ssize_t n;

	if (size > NOTES_MAX)
		return 0;
	notes = malloc(size + 1);
	n = notes ? dkt__pread_all(fd, notes, size, at) : 0;
	return n > 0 ? dkt__build_id_of_notes(notes, (size_t)n, swap, id) : 0;
}

/* A header of a segment, as 64 bits have it, from one of either size. */
static Elf64_Phdr read_segment(const uint8_t *p, bool wide, bool swap)
{
	Elf64_Phdr segment;
	Elf32_Phdr narrow;

	if (wide) {
		memcpy(&segment, p, sizeof(segment));
		segment.p_type = number(segment.p_type, swap);
		segment.p_offset = number64(segment.p_offset, swap);
		segment.p_filesz = number64(segment.p_filesz, swap);
		return segment;
	}
	memcpy(&narrow, p, sizeof(narrow));
	return (Elf64_Phdr){ .p_type = number(narrow.p_type, swap),
			     .p_offset = number(narrow.p_offset, swap),
			     .p_filesz = number(narrow.p_filesz, swap) };
}

static size_t find_in_segments(int fd, uint64_t at, uint16_t n, bool wide, bool swap, uint8_t *id)
{
	const size_t size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint8_t *table __cleanup(free) = malloc(SEGMENTS_MAX * size);
	ssize_t have;
	size_t found = 0;

	n = DKT__MIN(n, (uint16_t)SEGMENTS_MAX);
	have = table ? dkt__pread_all(fd, table, n * size, at) : 0;
	for (size_t i = 0; !found && have > 0 && (i + 1) * size <= (size_t)have; i++) {
		const Elf64_Phdr segment = read_segment(table + i * size, wide, swap);

		if (segment.p_type == PT_NOTE)
			found = find_in(fd, segment.p_offset, segment.p_filesz, swap, id);
	}
	return found;
}

size_t dkt__build_id_of_fd(int fd, uint8_t id[DKT__BUILD_ID_MAX])
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} head;
	const int own = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	bool wide, swap;
	uint16_t n;
	uint64_t at;

	if (dkt__pread_all(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.ident, ELFMAG, SELFMAG) != 0)
		return 0;
	wide = head.ident[EI_CLASS] == ELFCLASS64;
	swap = head.ident[EI_DATA] != own;
	n = wide ? head.wide.e_phnum : head.narrow.e_phnum;
	at = wide ? number64(head.wide.e_phoff, swap) : number(head.narrow.e_phoff, swap);
	return find_in_segments(fd, at, swap ? bswap_16(n) : n, wide, swap, id);
}

/* ---- records ---- */

static void put_build(struct dkt_buf *buf, bool kernel, const char *name, const uint8_t *id,
		      size_t n)
{
	static const uint8_t zeroes[NAME_ALIGN];
	const size_t len = strlen(name);
	const size_t room = (len + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;
	struct build_record record = {
		.header.misc = (uint16_t)(MISC_BUILD_ID_SIZE | (kernel ? PERF_RECORD_MISC_KERNEL :
									 PERF_RECORD_MISC_USER)),
		.header.size = (uint16_t)(sizeof(record) + room),
		.pid = -1,
		.size = (uint8_t)n,
	};

	memcpy(record.id, id, n);
	dkt__buf_add(buf, &record, sizeof(record));
	dkt__buf_add(buf, name, len);
	dkt__buf_add(buf, zeroes, room - len);
}

/* The file may be another one by now, or that of another root directory. */
static void put_program(struct dkt_buf *buf, const char *path, uint64_t inode)
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t id[DKT__BUILD_ID_MAX];
	struct stat st;
	size_t n;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != inode)
		return;
	n = dkt__build_id_of_fd(fd, id);
	if (n)
		put_build(buf, false, path, id, n);
}

static void put_notes(struct dkt_buf *buf, const char *name, const char *notes_path)
{
	char *notes __cleanup(free) = NULL;
	uint8_t id[DKT__BUILD_ID_MAX];
	size_t len, n;

	if (dkt__read_file(notes_path, NOTES_MAX, &notes, &len))
		return;
	n = dkt__build_id_of_notes((const uint8_t *)notes, len, false, id);
	if (n)
		put_build(buf, true, name, id, n);
}

static void put_module(struct dkt_buf *buf, const struct dkt__sampler_module *module)
{
	char *name __cleanup(free) = module->path ? strdup(module->path) :
						    dkt__format("[%s]", module->name);
	char *notes __cleanup(free) =
		dkt__format("/sys/module/%s/notes/.note.gnu.build-id", module->name);

	if (name && notes)
		put_notes(buf, name, notes);
}

void dkt__sampler_builds_put(const struct dkt__sampler *sampler, struct dkt_buf *buf)
{
	const struct dkt__sampler_hits *hits = &sampler->hits;
	uint32_t len;

	if (hits->kernel)
		put_notes(buf, "[kernel.kallsyms]", "/sys/kernel/notes");
	for (size_t i = 0; i < hits->n_modules; i++)
		if (hits->modules[i].hit)
			put_module(buf, &hits->modules[i]);
	for (uint32_t i = 0; i < hits->n_programs; i++)
		if (hits->programs[i].hit)
			put_program(buf, dkt__interned(&hits->names, i, &len),
				    hits->programs[i].inode);
}
