/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Refuses probes inside instructions of programs. The kernel checks its own code, but not theirs. */
#include "lib/debuginfo/instruction.h"
#include "lib/probe/define.h"

/* A place as the user can write it: FUNCTION+OFFSET, or an offset in the file. */
static char *words(struct probe_define *define, uint64_t address)
{
	struct binary_symbol symbol;
	uint64_t offset = 0;

	dkt__binary_at(define->binary, address, &symbol);
	if (define->place.function && !define->place.has_line && symbol.name)
		return dkt__format("%s+%llu", define->place.function,
				   (unsigned long long)(address - symbol.address));
	dkt__binary_offset(define->binary, address, &offset);
	return dkt__format("0x%llx", (unsigned long long)offset);
}

static int refuse(struct probe_define *define, uint64_t address,
		  const struct instruction_place *place)
{
	char *at __cleanup(free) = words(define, address);
	char *before __cleanup(free) = words(define, place->before);
	char *after __cleanup(free) = words(define, place->after);

	if (!at || !before || !after)
		return dkt__no_memory(define->ctx);
	return dkt_fail(define->ctx, -EILSEQ,
			"%s of %s is inside an instruction, and a probe there would crash the"
			" program; instructions begin at %s and %s",
			at, define->binary->path, before, after);
}

int dkt__probe_check_instruction(struct probe_define *define, uint64_t address, bool given)
{
	struct instruction_place place;
	char *at __cleanup(free) = NULL;
	int err;

	if (define->opts->inside)
		return 0;
	err = dkt__instruction_at(define->binary, address, &place);
	if (!err && place.before != address)
		return refuse(define, address, &place);
	if (err != -EOPNOTSUPP)
		return err;
	at = words(define, address);
	if (given && at)
		dkt_log(define->ctx, DKT_LOG_WARN,
			"%s of %s: not checked whether an instruction begins there, and a probe"
			" inside one crashes the program: %s",
			at, define->binary->path, dkt_error(define->ctx));
	return 0;
}
