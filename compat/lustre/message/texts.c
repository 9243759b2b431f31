/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The string constants of Lustre's loaded modules.
 *
 * They are read from the kernel's memory, not from the modules' files: the loaded code counts, and
 * a file may be compressed, replaced, or anywhere. The compiler puts constants into sections named
 * .rodata.str*, whose addresses are in /sys/module/NAME/sections. Modules of newer kernels, such as 7.3, are
 * linked with all constants in .rodata.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>

#include "compat/lustre/message/search.h"
#include "lib/base/util.h"

#define MODULES "/sys/module"
#define STRINGS ".rodata.str"
#define ALL     ".rodata"

/* A section ends where the next one begins; a larger distance means that one is missing. */
#define MAX_SECTION (8u << 20)

/* Shorter strings are only units and separators. */
#define MIN_TEXT 4

struct section {
	uint64_t address;
	bool strings;
	bool all; /* the section for all constants */
};

/* ---- strings ---- */

static bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t')
			return false;
	return len >= MIN_TEXT;
}

int dkl_texts_in(const char *bytes, size_t len, struct dkt__strings *texts)
{
	const char *p = bytes, *end = bytes + len, *nul;
	int err = 0;

	for (; !err && p < end && (nul = memchr(p, '\0', (size_t)(end - p))); p = nul + 1)
		if (is_text(p, (size_t)(nul - p)))
			err = dkt__strings_add(texts, p);
	return err;
}

/* ---- modules ---- */

/* Adds the modules that use a module of the list, also indirectly. */
static int add_holders(struct dkt__strings *modules)
{
	int err = 0;

	for (size_t i = 0; !err && i < modules->n; i++) {
		char path[300];
		DIR *dir __cleanup(closedir) = NULL;
		struct dirent *entry;

		snprintf(path, sizeof(path), MODULES "/%s/holders", modules->list[i]);
		dir = opendir(path);
		while (!err && dir && (entry = readdir(dir)))
			if (entry->d_name[0] != '.' && !dkt__strings_has(modules, entry->d_name))
				err = dkt__strings_add(modules, entry->d_name);
	}
	return err;
}

static int compare_sections(const void *a, const void *b)
{
	const struct section *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

/* Gets the sections of a module, sorted by address. The caller frees the list. */
static int read_sections(const char *module, struct section **list, size_t *n)
{
	char path[300];
	DIR *dir __cleanup(closedir) = NULL;
	struct dirent *entry;

	*list = NULL;
	*n = 0;
	snprintf(path, sizeof(path), MODULES "/%s/sections", module);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct section section = { 0 };
		int fd __cleanup(close) = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
		char text[32] = "";

		/* The kernel shows address 0 to a process without permission. */
		if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
		    sscanf(text, "0x%" SCNx64, &section.address) != 1 || !section.address)
			continue;
		section.strings = !strncmp(entry->d_name, STRINGS, strlen(STRINGS));
		section.all = !strcmp(entry->d_name, ALL);
		if (dkt__append(*list, *n, section))
			return -ENOMEM;
	}
	if (*n)
		qsort(*list, *n, sizeof(**list), compare_sections);
	return 0;
}

static int add_section(int kcore, const struct section *section, uint64_t end,
		       struct dkt__strings *texts)
{
	char *bytes __cleanup(free) = NULL;
	size_t len = end - section->address;

	if (!len || len > MAX_SECTION)
		return 0;
	bytes = malloc(len);
	if (!bytes)
		return -ENOMEM;
	return dkl_texts_in(bytes, dkl_kcore_read(kcore, section->address, bytes, len), texts);
}

/* Returns the end of a section: the next section, or the end of the page. */
static uint64_t end_of(const struct section *list, size_t n, size_t i)
{
	return i + 1 < n ? list[i + 1].address : (list[i].address | 0xfff) + 1;
}

static int add_module(int kcore, const char *module, struct dkt__strings *texts)
{
	struct section *list __cleanup(free) = NULL;
	bool any = false;
	size_t n;
	int err = read_sections(module, &list, &n);

	for (size_t i = 0; !err && i < n; i++)
		any |= list[i].strings;
	for (size_t i = 0; !err && i < n; i++)
		if (any ? list[i].strings : list[i].all)
			err = add_section(kcore, &list[i], end_of(list, n, i), texts);
	return err;
}

int dkl_texts_read(struct dkt_ctx *ctx, struct dkt__strings *texts)
{
	struct dkt__strings modules = { 0 };
	int kcore __cleanup(close) = dkl_kcore_open();
	size_t before = texts->n;
	int err = 0;

	if (access(MODULES "/libcfs", F_OK))
		return dkt_fail(ctx, -ENOENT, "Lustre's module libcfs is not loaded");
	if (kcore < 0)
		return dkt_fail(ctx, kcore, "open /proc/kcore: %s", strerror(-kcore));
	err = dkt__strings_add(&modules, "libcfs");
	if (!err)
		err = add_holders(&modules);
	for (size_t i = 0; !err && i < modules.n; i++)
		err = add_module(kcore, modules.list[i], texts);
	dkt__strings_clear(&modules);
	if (!err && texts->n == before)
		err = dkt_fail(ctx, -EACCES,
			       "read the strings of Lustre's modules: /sys/module and /proc/kcore"
			       " do not show where they are");
	return err;
}

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
