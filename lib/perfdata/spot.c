/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of samples in programs and in the kernel, and the code that is there. */
#include "lib/debuginfo/build_id.h"
#include "lib/debuginfo/code.h"
#include "lib/debuginfo/vmlinux.h"
#include "lib/perfdata.h"
#include "lib/symbol.h"

int dkt__perf_spot(struct dkt_source *source, struct dkt__spot *spot)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;
	const struct dkt__perf_item *item = &perf->merge.item;
	const uint64_t ip = item->values[DKT__PERF_IP];
	struct dkt__perf_program *program;

	spot->at = ip;
	if (dkt__perf_is_kernel(item))
		return 0;
	program = dkt__perf_maps_program(dkt__perf_maps_of(perf, item->pid), ip, &spot->at);
	spot->program = program;
	spot->path = program ? dkt__perf_program_path(program) : NULL;
	return !program;
}

/* ---- the kernel ---- */

/* Opens a file if it is the recorded kernel; the user knows if the recording does not tell. */
static void try_kernel(struct dkt__perf *perf, const char *path, bool given,
		       struct dkt__listing *listing)
{
	if (!path || listing->own ||
	    dkt__binary_open(perf->streams.base.ctx, path, NULL, NULL, &listing->own))
		return;
	if (perf->n_kernel_build ?
		    dkt__binary_is_build(listing->own, perf->kernel_build, perf->n_kernel_build) :
		    given)
		return;
	dkt__binary_close(listing->own);
	listing->own = NULL;
}

static int open_kernel(struct dkt__perf *perf, const char *vmlinux, struct dkt__listing *listing)
{
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	char *path __cleanup(free) = perf->release ? dkt__vmlinux_path(perf->release) : NULL;
	char *message = dkt__error_take(ctx);

	try_kernel(perf, vmlinux, true, listing);
	if (vmlinux && !listing->own) {
		free(message);
		return dkt_fail(ctx, -ENOENT, "%s is not the kernel that was recorded", vmlinux);
	}
	for (int i = 0; i < BUILD_ID_PLACES; i++) {
		char *kept __cleanup(free) = dkt__build_id_path(ctx, (enum build_id_place)i,
								perf->kernel_build,
								perf->n_kernel_build, "elf");

		try_kernel(perf, kept, false, listing);
	}
	try_kernel(perf, path, false, listing);
	dkt__error_give(ctx, 0, message);
	return listing->own ?
		       0 :
		       dkt_fail(
			       ctx, -ENOENT,
			       "the code of the kernel is not here: no vmlinux of its build is where"
			       " packages with debug information put it; --vmlinux names it");
}

/* The kernel ran at other addresses than those in its file. */
static int read_kernel(struct dkt__perf *perf, const char *name, const char *vmlinux,
		       struct dkt__listing *listing)
{
	struct binary_symbol symbol;
	int err = open_kernel(perf, vmlinux, listing);

	listing->binary = listing->own;
	if (!err)
		err = dkt__binary_function(listing->binary, name, &symbol);
	return err ?: dkt__with_words(perf->streams.base.ctx, dkt__listing_fill(listing, &symbol));
}

/* ---- programs ---- */

int dkt__perf_code(const struct dkt__spot *spot, const char *name, const char *vmlinux,
		   struct dkt__listing *listing)
{
	struct dkt__perf *perf = (struct dkt__perf *)spot->source;
	struct dkt_ctx *ctx = perf->streams.base.ctx;
	struct dkt__perf_program *program = (struct dkt__perf_program *)(uintptr_t)spot->program;
	struct binary_symbol symbol = { 0 };
	uint64_t address;

	if (!program && dkt__symbol_module(ctx, spot->at))
		return dkt_fail(ctx, -ENOENT, "the code of kernel modules is not read");
	if (!program)
		return read_kernel(perf, name, vmlinux, listing);
	listing->binary = dkt__perf_program_binary(perf, program);
	if (listing->binary && !dkt__binary_find_address(listing->binary, spot->at, &address))
		dkt__binary_at(listing->binary, address, &symbol);
	if (!symbol.name)
		return dkt_fail(ctx, -ENOENT,
				"the file that was recorded is not here, neither as %s nor by its"
				" build ID",
				spot->path);
	listing->copy = strcmp(listing->binary->path, spot->path) != 0;
	return dkt__with_words(ctx, dkt__listing_fill(listing, &symbol));
}
