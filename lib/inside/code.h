/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of lib/inside.h for the code that recorded samples are in. */
#pragma once

#include "lib/base/arena.h"
#include "lib/base/error.h"

/* ---- files by their build ID ---- */

/*
 * Looks for programs and their debug information by build ID in this directory first, which has the layout of
 * ~/.debug, where perf keeps copies. -ENOENT, -ENOTDIR: it has not, with an error message.
 */
int dkt__symbols_dir(struct dkt_ctx *ctx, const char *dir);

enum dkt__recorded_kind {
	DKT__RECORDED_PROGRAM, /* or a library, or a module of the kernel */
	DKT__RECORDED_KERNEL,
	DKT__RECORDED_VDSO, /* the kernel's code in each process */
};

/* A file that samples of a recording are in. All that it points to lives as long as the source. */
struct dkt__recorded {
	enum dkt__recorded_kind kind;
	const char *path; /* as recorded: "/usr/bin/dd", "[kernel.kallsyms]", "[vdso]" */
	bool several; /* different files had this path */
	const uint8_t *build; /* its build ID */
	size_t n_build; /* 0: unknown */
	const char *file; /* the same file here; of the kernel its names; NULL: it is not here */
	const char *debug; /* its debug information, if that is another file; NULL: there is none */
	const char *data; /* the bytes of a vdso; NULL: it is not here */
	size_t size;
};

/* Gets the i-th one, counted from 0, after the last record. Returns 0, 1 after the last, or -ENOMEM. */
int dkt__source_recorded(struct dkt_source *source, size_t i, struct dkt__recorded *recorded);

/* True if the open file is of that build. */
bool dkt__build_id_is(int fd, const uint8_t *build, size_t n);

/* ---- where samples are ---- */

/* The place of a sample. */
struct dkt__spot {
	struct dkt_source *source; /* of the recording, also if several are merged */
	const void
		*program; /* stands for the file, as long as the source is open; NULL: the kernel */
	const char *path; /* of the file when it was recorded; NULL: the kernel */
	uint64_t at; /* an offset in the file, or an address of the kernel */
};

/* Gets the place of the sample that the source has returned last. Returns 0, or 1: none is known. */
int dkt__source_spot(struct dkt_source *source, const struct dkt_record *record,
		     struct dkt__spot *spot);

/* ---- the code of a function ---- */

struct dkt__instruction {
	uint64_t offset; /* from the start of the function */
	uint32_t size;
	const char *text; /* "movl   $0x0, -4(%rbp)" */
};

struct dkt__binary;

/* A function as the file has it. */
struct dkt__listing {
	const char *path; /* of the file that it was read from */
	bool copy; /* that is a copy of the recorded one */
	uint64_t address, size; /* in the file's symbol table */
	struct dkt__instruction *list; /* all of it, without gaps; NULL: see no_code */
	size_t n;
	const char *no_code, *no_lines; /* the reasons why there are none; NULL: there are */
	struct dkt__arena texts;
	struct dkt__binary *binary, *own; /* own: not the source's */
	uint64_t base; /* of the function, as dwfl numbers addresses */
	const void *last; /* the line that was asked for last */
	const char *inlined; /* the functions that it is in */
};

/*
 * Reads the function name that begins at spot->at. vmlinux: for functions of the kernel, its file with debug
 * information; NULL: looks where distributions put it. -ENOENT, with an error message: the file that was recorded
 * is not here. End it in either case, while the source is open.
 */
int dkt__listing_read(const struct dkt__spot *spot, const char *name, const char *vmlinux,
		      struct dkt__listing *listing);
/* Returns the message of the failure, which the caller frees. NULL: memory is out. */
char *dkt__spot_error(const struct dkt__spot *spot);
void dkt__listing_endp(struct dkt__listing *listing);

/* The line of the source that an instruction is of. */
struct dkt__listing_line {
	const char *file; /* as the compiler knew it */
	int line;
	const char *
		inlined; /* "inner < outer": the functions that the compiler put here; NULL: none */
};

/* Returns 0, or 1: unknown. The texts live as long as the code. */
int dkt__listing_line(struct dkt__listing *listing, uint64_t offset,
		      struct dkt__listing_line *line);
