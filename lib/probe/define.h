/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resolves probe definitions: shared by the files for the kernel, programs and events. */
#pragma once

#include "lib/debuginfo/btf.h"
#include "lib/debuginfo/dwarf_line.h"
#include "lib/debuginfo/dwarf_place.h"
#include "lib/probe.h"
#include "lib/probe/arg.h"

/* A place as the user wrote it. */
struct probe_place {
	char *module; /* NULL: none */
	char *function; /* may be a glob; NULL: none */
	char *file; /* of FILE:LINE */
	int line; /* 0: none */
	bool has_line;
	bool has_address;
	bool is_glob;
	bool on_return;
	uint64_t offset; /* in the function */
	uint64_t address; /* or an offset in a program */
};

struct probe_define {
	struct dkt_ctx *ctx;
	const struct dkt_probe_opts *opts;
	enum dkt_probe_kind kind;
	const char *const *args;
	size_t n;
	struct probe_place place;
	struct probe_features features;
	struct dkt_probes *probes;
	struct dkt__btf *btf; /* of btf_module */
	char *btf_module; /* NULL: the kernel itself */
	char *no_btf; /* why btf is missing */
	struct dkt__binary *binary;
	char *binary_module; /* a module of the kernel; NULL: the kernel itself */
	char *no_binary; /* why binary is missing */
};

/* Each resolves define->place for one kind of probe. */
int dkt__probe_kernel(struct probe_define *define);
int dkt__probe_program(struct probe_define *define);
int dkt__probe_marker(struct probe_define *define);
int dkt__probe_event(struct probe_define *define);
int dkt__probe_tracepoint(struct probe_define *define);
int dkt__probe_synthetic(struct probe_define *define);

/*
 * Opens the sources of types. If there is none, returns NULL and sets define->no_btf and
 * define->no_binary.
 */
struct dkt__btf *dkt__probe_btf(struct probe_define *define, const char *module);
struct dkt__binary *dkt__probe_kernel_binary(struct probe_define *define, const char *module);

/*
 * Refuses a place in a program at which no instruction begins, with -EILSEQ. given: the user gave the
 * address or the offset; then says if that is not known.
 */
int dkt__probe_check_instruction(struct probe_define *define, uint64_t address, bool given);

/*
 * Adds a probe on that place, with the arguments resolved in the scope; base and suffix form its
 * name: "vfs_read", "__return".
 */
int dkt__probe_add(struct probe_define *define, struct probe_scope *scope, const char *place,
		   const char *base, const char *suffix);

/* Calls add for each address in define->binary at which code of the place's source line begins. */
int dkt__probe_lines(struct probe_define *define,
		     int (*add)(struct probe_define *define, const struct binary_symbol *symbol,
				uint64_t address, const char *suffix));

/* Returns -E2BIG with an error message if n exceeds the limit of probes. */
int dkt__probe_check_max(struct probe_define *define, size_t n, const char *what);

/* Makes the scope look up names in DWARF; scope->data becomes a struct dwarf_place. */
void dkt__probe_dwarf_scope(struct probe_scope *scope, struct dwarf_place *place);

/* Callbacks for a scope without debug information: arguments by the calling convention. */
int dkt__probe_word_argument(struct probe_scope *scope, unsigned int n, struct probe_value *value);
int dkt__probe_word_result(struct probe_scope *scope, struct probe_value *value);

/*
 * Makes the scope refuse variables and arguments: on return, the registers and the stack that held
 * them on entry may hold something else.
 */
void dkt__probe_return_scope(struct probe_scope *scope);
