/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds separate debug information where libdwfl's own callback does. That one also asks the servers of
 * DEBUGINFOD_URLS, which would then learn what is looked at.
 */
#include "lib/debuginfo/find_debug.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/buf.h"

/* The callback's own places if it is not told any: beside the file, and those of the system. */
#define PLACES ":.debug:/usr/lib/debug"

/* The section that names a file with what several programs have in common, and its build ID. */
#define ALT_SECTION ".gnu_debugaltlink"

struct search {
	Dwfl_Module *module;
	const char *file; /* that names the other one */
	const char *link; /* the name of the other one */
	GElf_Word crc; /* 0: of a shared file, which has no checksum */
};

static Elf *begin_elf(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

static Elf_Data *find_section(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ?
					   elf_strptr(elf, names, header.sh_name) :
					   NULL;

		if (name && !strcmp(name, wanted))
			return elf_getdata(section, NULL);
	}
	return NULL;
}

/* True if the file has the build ID that the first file tells of its shared one. */
static bool is_shared(const struct search *search, Elf *elf)
{
	int fd __cleanup(close) = open(search->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf *first = fd < 0 ? NULL : begin_elf(fd);
	const Elf_Data *data = first ? find_section(first, ALT_SECTION) : NULL;
	const size_t n = data && data->d_buf ? strnlen(data->d_buf, data->d_size) + 1 : 0;
	const void *id;
	const ssize_t n_id = dwelf_elf_gnu_build_id(elf, &id);
	const bool same = n && n < data->d_size && n_id > 0 && (size_t)n_id == data->d_size - n &&
			  !memcmp((const char *)data->d_buf + n, id, (size_t)n_id);

	elf_end(first);
	return same;
}

static bool has_checksum(int fd, GElf_Word wanted)
{
	uint8_t bytes[65536];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		crc = crc32(crc, bytes, (uInt)n);
		at += n;
	}
	return !n && (GElf_Word)crc == wanted;
}

/* Only the same build has the same lines; the checksum tells of files without a build ID. */
static bool fits(const struct search *search, int fd)
{
	const unsigned char *own;
	const void *id;
	GElf_Addr where;
	const int n_own = dwfl_module_build_id(search->module, &own, &where);
	Elf *elf = begin_elf(fd);
	const ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	bool same;

	if (!search->crc)
		same = elf && is_shared(search, elf);
	else if (n_own > 0 && n > 0)
		same = n == n_own && !memcmp(id, own, (size_t)n);
	else
		same = elf && has_checksum(fd, search->crc);
	elf_end(elf);
	return same;
}

static int try_file(const struct search *search, const char *path, char **found)
{
	int fd __cleanup(close) = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) :
					 -1;
	struct stat st;
	int its;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !fits(search, fd))
		return -1;
	*found = strdup(path);
	its = *found ? fd : -1;
	fd = *found ? -1 : fd;
	return its;
}

/* Tries one of the places: "" or a directory beside the file, or one that has a copy of the file's own. */
static int try_place(const struct search *search, const char *place, int len, char **found)
{
	const char *slash = strrchr(search->file, '/');
	const int dir = slash ? (int)(slash - search->file) : 1;
	const char *const beside = slash ? search->file : ".";
	char *path __cleanup(free) =
		*place == '/' ? dkt__format("%.*s%.*s/%s", len, place, dir, beside, search->link) :
				dkt__format("%.*s/%.*s%s%s", dir, beside, len, place,
					    len ? "/" : "", search->link);

	return try_file(search, path, found);
}

int dkt__find_debug(Dwfl_Module *module, const char *places, const char *file, const char *link,
		    GElf_Word crc, char **found)
{
	const struct search search = { module, file, link, crc };
	int fd = dwfl_build_id_find_debuginfo(module, NULL, NULL, 0, file, link, crc, found);

	if (fd >= 0 || !file || !link || !*link)
		return fd;
	if (*link == '/')
		return try_file(&search, link, found);
	for (const char *place = places ? places : PLACES; fd < 0; place++) {
		const size_t len = strcspn(place, ":");

		fd = try_place(&search, place, (int)len, found);
		place += len;
		if (!*place)
			break;
	}
	/* dwfl takes the number of another error for a failure. */
	errno = 0;
	return fd;
}

int dkt__find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)data;
	(void)name;
	(void)base;
	return dkt__find_debug(module, NULL, file, link, crc, found);
}
