/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes ELF files and their DWARF: places found in a file are within it. */
#include <sys/mman.h>

#include "lib/debuginfo/code.h"
#include "lib/debuginfo/dwarf_line.h"
#include "lib/debuginfo/sdt.h"
#include "lib/probe/define.h"
#include "tests/fuzz/replay.h"

/* libdw loses a few bytes over some files that lie. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libdw\nleak:libelf\n";
}

struct walk {
	struct dkt__binary *binary;
	size_t size;
	size_t n;
};

static void look_at(struct walk *walk, uint64_t address)
{
	struct dkt__guess guess;
	struct probe_value value = { 0 };
	const struct probe_features features = { .arg = true };
	struct probe_scope scope = { .ctx = walk->binary->ctx,
				     .features = &features,
				     .is_user = true };
	struct dwarf_place place;

	if (dkt__dwarf_place(walk->binary, address, &place))
		return;
	dkt__guess_start(&guess, "number", 6);
	dkt__probe_dwarf_scope(&scope, &place);
	scope.variable(&scope, "number", &value, &guess);
	scope.is_user = false;
	if (scope.argument)
		scope.argument(&scope, 1, &value);
	scope.result(&scope, &value);
	if (value.typed) {
		struct ctype it;
		char names[64];

		if (!walk->binary->types.get(&walk->binary->types, value.type, &it)) {
			walk->binary->types.get(&walk->binary->types, it.target, &it);
			dkt__ctype_member_names(&walk->binary->types, it.id, names, sizeof(names));
		}
	}
	dkt__dwarf_place_clear(&place);
}

/* Lists the function; each instruction is within it, and behind the one before it. */
static void list(struct dkt__binary *binary, const struct binary_symbol *symbol)
{
	struct dkt__listing listing __cleanup(listing_end) = { .binary = binary };
	struct dkt__listing_line line;
	uint64_t at = 0;

	must(!dkt__listing_fill(&listing, symbol));
	for (size_t i = 0; i < listing.n; i++) {
		must(listing.list[i].offset == at && listing.list[i].text);
		at += listing.list[i].size;
		if (i < 32 && !dkt__listing_line(&listing, listing.list[i].offset, &line))
			must(line.file && line.line > 0);
	}
	must(at <= symbol->size);
}

static int one(void *data, const struct binary_symbol *symbol)
{
	struct walk *walk = data;
	uint64_t offset, address;

	if (!dkt__binary_offset(walk->binary, symbol->address, &offset)) {
		if (offset >= walk->size)
			abort();
		dkt__binary_address(walk->binary, offset, &address);
	}
	look_at(walk, symbol->address);
	if (walk->n < 4)
		list(walk->binary, symbol);
	return ++walk->n > 64;
}

static int one_marker(void *data, const struct sdt_note *note)
{
	struct walk *walk = data;
	unsigned int i, n = dkt__sdt_args(note->args);
	struct sdt_arg arg;
	uint64_t offset;

	if (!dkt__binary_data_offset(walk->binary, note->semaphore, &offset) &&
	    offset >= walk->size)
		abort();
	for (i = 0; i <= n && i < 64; i++)
		if (!dkt__sdt_arg(walk->binary->machine, note->args, i, &arg) && !*arg.fetch)
			abort();
	return ++walk->n > 128;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd __cleanup(close) = memfd_create("fuzz", MFD_CLOEXEC);
	struct binary_symbol symbol;
	struct dkt__binary *binary;
	struct dwarf_line *lines;
	struct dkt_ctx *ctx;
	char path[40], *where;
	size_t n;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || dkt_ctx_new(NULL, &ctx))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!dkt__binary_open(ctx, path, NULL, NULL, &binary)) {
		struct walk walk = { .binary = binary, .size = size };

		dkt__binary_functions(binary, one, &walk);
		dkt__sdt_each(binary, one_marker, &walk);
		dkt__binary_function(binary, "target", &symbol);
		if (!dkt__dwarf_lines(binary, "target.c", NULL, 5, &lines, &n))
			free(lines);
		if (!dkt__dwarf_inlined(binary, "twice", &where))
			free(where);
		dkt__binary_close(binary);
	}
	dkt_ctx_free(ctx);
	return 0;
}
