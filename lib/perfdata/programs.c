/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of programs in a perf.data file. Their names are not in the file: they are read from the
 * program on this machine, if it is the one that was recorded: its build ID tells, which perf does not
 * store for all, otherwise the host and the file's device and inode.
 */
#include <search.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

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

struct dkt__perf_program {
	char *path; /* first: they are compared by it */
	uint8_t build[BUILD_MAX];
	uint8_t n_build; /* 0: unknown */
	dev_t device;
	uint64_t inode; /* 0: unknown */
	bool several; /* different files had the path */
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

int dkt__perf_builds(struct dkt__perf *perf, struct dkt__cursor cur)
{
	const size_t head = 8 + 4 + BUILD_ROOM;

	while (dkt__cursor_left(&cur) > head) {
		struct dkt__cursor row = cur;
		struct dkt__perf_program *program;
		const uint8_t *build;
		uint16_t misc, size;
		size_t n = BUILD_MAX;

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
		if (*row.p != '/')
			continue;
		program =
			find(perf, (const char *)row.p, strnlen((const char *)row.p, size - head));
		if (!program)
			return -ENOMEM;
		set_build(program, build, n);
	}
	return 0;
}

int dkt__perf_program_find(struct dkt__perf *perf, const struct dkt__perf_item *item,
			   struct dkt__perf_program **program)
{
	*program = NULL;
	if (!item->size || item->data[0] != '/')
		return 0;
	*program = find(perf, (const char *)item->data, item->size);
	if (!*program)
		return -ENOMEM;
	set_build(*program, item->build, item->n_build);
	set_inode(*program, makedev(item->major, item->minor), item->inode);
	return 0;
}

/* ---- functions ---- */

/* True if the file here is the recorded one. */
static bool is_recorded(const struct dkt__perf *perf, const struct dkt__perf_program *program)
{
	struct utsname name;
	struct stat st;

	if (program->n_build)
		return dkt__binary_is_build(program->binary, program->build, program->n_build);
	return perf->host && !uname(&name) && !strcmp(perf->host, name.nodename) &&
	       !stat(program->path, &st) && st.st_dev == program->device &&
	       st.st_ino == program->inode;
}

/* Opens the file if it is the recorded one. */
static void try_file(struct dkt__perf *perf, struct dkt__perf_program *program, const char *path)
{
	dkt__binary_open(perf->streams.base.ctx, path, NULL, NULL, &program->binary);
	if (program->binary && !is_recorded(perf, program)) {
		dkt__binary_close(program->binary);
		program->binary = NULL;
	}
}

/* A program that is not here, or has another version now, may be among those that perf record keeps. */
static void open_program(struct dkt__perf *perf, struct dkt__perf_program *program)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	char *message = dkt__error_take(ctx), *kept __cleanup(free) = NULL;

	program->tried = true;
	try_file(perf, program, program->path);
	if (!program->binary)
		kept = dkt__build_id_path(program->build, program->n_build, "elf");
	if (kept)
		try_file(perf, program, kept);
	dkt__error_give(ctx, 0, message);
}

const char *dkt__perf_function(struct dkt__perf *perf, struct dkt__perf_program *program,
			       uint64_t at, uint64_t *offset)
{
	struct binary_symbol symbol;
	uint64_t address;

	if (!program || program->several || (!program->n_build && !program->inode))
		return NULL;
	if (!program->tried)
		open_program(perf, program);
	if (!program->binary)
		return NULL;
	if (dkt__binary_find_address(program->binary, at, &address))
		return NULL;
	dkt__binary_at(program->binary, address, &symbol);
	*offset = address - symbol.address;
	return symbol.name;
}

void dkt__perf_programs_clear(struct dkt__perf *perf)
{
	tdestroy(perf->programs, free_program);
	perf->programs = NULL;
}
