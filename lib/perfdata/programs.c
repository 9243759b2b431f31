/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of programs in a perf.data file. Their names are not in the file: they are read from the
 * program on this machine, if it is the one that was recorded: its build ID tells, which perf does not
 * store for all, otherwise the host and the file's device and inode.
 */
#include <link.h>
#include <search.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/base/io.h"
#include "lib/debuginfo/binary.h"
#include "lib/debuginfo/build_id.h"
#include "lib/perfdata.h"

/*
 * The ID has 20 bytes, or is padded to them and followed by its size: then the record has the flag
 * PERF_RECORD_MISC_BUILD_ID_SIZE of perf itself.
 */
#define BUILD_ROOM 24
#define BUILD_MAX  20
#define HAS_SIZE   (1 << 15)

/* The kernel's code in each process; it is no file. */
#define VDSO "[vdso]"

struct dkt__perf_program {
	char *path; /* first: they are compared by it */
	uint8_t build[BUILD_MAX];
	uint8_t n_build; /* 0: unknown */
	dev_t device;
	uint64_t inode; /* 0: unknown */
	bool several; /* different files had the path */
	bool listed; /* the recording says that samples are in it */
	bool tried; /* to open it */
	struct dkt__binary *binary; /* NULL: it is not here */
};

static void free_program(void *data)
{
	struct dkt__perf_program *program = data;

	dkt__binary_close(program->binary);
	free(program->path);
	free(program);
}

/* Finds or adds it. Returns NULL if memory is out. */
static struct dkt__perf_program *find(struct dkt__perf *perf, const char *path, size_t len)
{
	struct dkt__perf_program *program = calloc(1, sizeof(*program)), **found;

	if (!program)
		return NULL;
	program->path = strndup(path, len);
	found = program->path ? tsearch(program, &perf->programs, dkt__by_first_text) : NULL;
	if (!found || *found != program)
		free_program(program);
	else if (dkt__append(perf->listed, perf->n_listed, program))
		return NULL;
	return found ? *found : NULL;
}

static void set_build(struct dkt__perf_program *program, const uint8_t *build, size_t n)
{
	if (!n || n > BUILD_MAX)
		return;
	program->several |= program->n_build &&
			    (program->n_build != n || memcmp(program->build, build, n) != 0);
	memcpy(program->build, build, n);
	program->n_build = (uint8_t)n;
}

static void set_inode(struct dkt__perf_program *program, dev_t device, uint64_t inode)
{
	if (!inode)
		return;
	program->several |= program->inode &&
			    (program->inode != inode || program->device != device);
	program->device = device;
	program->inode = inode;
}

static bool is_kernel(const struct dkt__cursor *row, size_t room)
{
	const size_t len = strlen(DKT__PERF_KERNEL_MAP);

	return strnlen((const char *)row->p, room) == len &&
	       !memcmp(row->p, DKT__PERF_KERNEL_MAP, len);
}

static void set_kernel_build(struct dkt__perf *perf, const uint8_t *build, size_t n)
{
	if (n > sizeof(perf->kernel_build))
		return;
	memcpy(perf->kernel_build, build, n);
	perf->n_kernel_build = (uint8_t)n;
}

/* True for a file and for the code that the kernel gives each process. */
static bool is_program(const char *path, size_t len)
{
	return len && (path[0] == '/' || (len == strlen(VDSO) && !memcmp(path, VDSO, len)));
}

int dkt__perf_builds(struct dkt__perf *perf, struct dkt__cursor cur)
{
	const size_t head = 8 + 4 + BUILD_ROOM;

	while (dkt__cursor_left(&cur) > head) {
		struct dkt__cursor row = cur;
		struct dkt__perf_program *program;
		const uint8_t *build;
		const char *path;
		uint16_t misc, size;
		size_t n = BUILD_MAX, len;

		dkt__cursor_number(&row, 4);
		misc = (uint16_t)dkt__cursor_number(&row, 2);
		size = (uint16_t)dkt__cursor_number(&row, 2);
		if (size <= head || !dkt__cursor_bytes(&cur, size))
			break;
		dkt__cursor_number(&row, 4);
		build = dkt__cursor_bytes(&row, BUILD_ROOM);
		if (misc & HAS_SIZE)
			n = build[BUILD_MAX];
		if (is_kernel(&row, size - head))
			set_kernel_build(perf, build, n);
		path = (const char *)row.p;
		len = strnlen(path, size - head);
		if (!is_program(path, len))
			continue;
		program = find(perf, path, len);
		if (!program)
			return -ENOMEM;
		set_build(program, build, n);
		program->listed = true;
	}
	return 0;
}

int dkt__perf_program_find(struct dkt__perf *perf, const struct dkt__perf_item *item,
			   struct dkt__perf_program **program)
{
	*program = NULL;
	if (!is_program((const char *)item->data, item->size))
		return 0;
	*program = find(perf, (const char *)item->data, item->size);
	if (!*program)
		return -ENOMEM;
	set_build(*program, item->build, item->n_build);
	set_inode(*program, makedev(item->major, item->minor), item->inode);
	return 0;
}

/* ---- functions ---- */

static bool is_vdso(const struct dkt__perf_program *program)
{
	return !strcmp(program->path, VDSO);
}

/* True if the file here is the recorded one. */
static bool is_recorded(const struct dkt__perf *perf, const struct dkt__perf_program *program)
{
	struct stat st;

	if (program->n_build)
		return dkt__binary_is_build(program->binary, program->build, program->n_build);
	if (is_vdso(program))
		return perf->running;
	return dkt__perf_is_here(perf) && !stat(program->path, &st) &&
	       st.st_dev == program->device && st.st_ino == program->inode;
}

static size_t image_size(const ElfW(Ehdr) * image)
{
	return image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
}

/* Debug information that was kept by build ID comes first: the system may have none. */
static char *debug_file_of(struct dkt__perf *perf, const struct dkt__perf_program *program)
{
	char *path = NULL;

	for (int i = 0; !path && i < BUILD_ID_PLACES; i++)
		path = dkt__build_id_path(perf->streams.base.ctx, (enum build_id_place)i,
					  program->build, program->n_build, "debug");
	return path;
}

/* Opens the file if it is the recorded one. */
static void try_file(struct dkt__perf *perf, struct dkt__perf_program *program, const char *path)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	char *debug __cleanup(free) = debug_file_of(perf, program);

	/* That of another build is none. */
	if (!debug || dkt__binary_open(ctx, path, debug, NULL, &program->binary))
		dkt__binary_open(ctx, path, NULL, NULL, &program->binary);
	if (program->binary && !is_recorded(perf, program)) {
		dkt__binary_close(program->binary);
		program->binary = NULL;
	}
}

/* Opens the code that the running kernel gave to this process, by way of a file in memory. */
static void try_vdso(struct dkt__perf *perf, struct dkt__perf_program *program)
{
	const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	int fd __cleanup(close) = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	char *path __cleanup(free) = dkt__format("/proc/self/fd/%d", fd);

	if (fd >= 0 && path && !dkt__write_all(fd, image, image_size(image)))
		try_file(perf, program, path);
}

static void try_kept(struct dkt__perf *perf, struct dkt__perf_program *program,
		     enum build_id_place place)
{
	char *path __cleanup(free) = dkt__build_id_path(perf->streams.base.ctx, place,
							program->build, program->n_build,
							is_vdso(program) ? "vdso" : "elf");

	if (path)
		try_file(perf, program, path);
}

/* A program that is not here, or has another version now, may be among those that perf record keeps. */
static void open_program(struct dkt__perf *perf, struct dkt__perf_program *program)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	char *message = dkt__error_take(ctx);

	program->tried = true;
	try_kept(perf, program, BUILD_ID_GIVEN);
	if (!program->binary && is_vdso(program))
		try_vdso(perf, program);
	else if (!program->binary)
		try_file(perf, program, program->path);
	if (!program->binary)
		try_kept(perf, program, BUILD_ID_KEPT);
	dkt__error_give(ctx, 0, message);
}

struct dkt__binary *dkt__perf_program_binary(struct dkt__perf *perf,
					     struct dkt__perf_program *program)
{
	if (!program || program->several ||
	    (!program->n_build && !program->inode && !is_vdso(program)))
		return NULL;
	if (!program->tried)
		open_program(perf, program);
	return program->binary;
}

const char *dkt__perf_program_path(const struct dkt__perf_program *program)
{
	return program->path;
}

const char *dkt__perf_function(struct dkt__perf *perf, struct dkt__perf_program *program,
			       uint64_t at, uint64_t *offset)
{
	struct dkt__binary *binary = dkt__perf_program_binary(perf, program);
	struct binary_symbol symbol;
	uint64_t address;

	if (!binary || dkt__binary_find_address(binary, at, &address))
		return NULL;
	dkt__binary_at(binary, address, &symbol);
	*offset = address - symbol.address;
	return symbol.name;
}

/* ---- the programs of a recording ---- */

/* Names were looked up in what samples are in, if the recording does not say it. */
static int put_recorded(struct dkt__perf *perf, struct dkt__perf_program *program)
{
	struct dkt__binary *binary;
	struct dkt__recorded recorded = { .path = program->path, .several = program->several };

	if (!program->listed && !program->tried)
		return 0;
	recorded.build = program->build;
	recorded.n_build = program->n_build;
	recorded.kind = is_vdso(program) ? DKT__RECORDED_VDSO : DKT__RECORDED_PROGRAM;
	binary = program->n_build ? dkt__perf_program_binary(perf, program) : NULL;
	if (binary && recorded.kind == DKT__RECORDED_VDSO) {
		recorded.data = elf_rawfile(binary->elf, &recorded.size);
	} else if (binary) {
		recorded.file = binary->path;
		recorded.debug = dkt__binary_debug_path(binary);
	}
	return dkt__append(perf->recorded, perf->n_recorded, recorded);
}

static int by_path(const void *a, const void *b)
{
	return dkt__by_first_text(*(struct dkt__perf_program *const *)a,
				  *(struct dkt__perf_program *const *)b);
}

int dkt__perf_programs_list(struct dkt__perf *perf)
{
	int err = 0;

	if (perf->n_listed)
		qsort(perf->listed, perf->n_listed, sizeof(struct dkt__perf_program *), by_path);
	for (size_t i = 0; !err && i < perf->n_listed; i++)
		err = put_recorded(perf, perf->listed[i]);
	return err;
}

void dkt__perf_programs_clear(struct dkt__perf *perf)
{
	tdestroy(perf->programs, free_program);
	perf->programs = NULL;
	free(perf->listed);
	perf->listed = NULL;
	perf->n_listed = 0;
}
