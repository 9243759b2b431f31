/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classes and subsystems that options name, to record or to select. */
#include "compat/lustre/mask.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

int dkl_mask_option(struct dkt_ctx *ctx, const char *option, enum mask_kind kind, const char *text,
		    uint32_t *mask)
{
	const char *names = kind == MASK_SUBSYSTEM ? "subsystems" : "classes";
	const size_t blank = strspn(text, " \t\n,");
	/* A sign keeps dkl_mask_parse() from adding the classes that a debug log always has. */
	char *exact __cleanup(free) =
		dkt__format("%s%s", strchr("+-0123456789", text[blank]) ? "" : "+", text + blank);
	struct mask_value parsed;
	struct dkt__guess guess;
	int err;

	if (!exact)
		return dkt__no_memory(ctx);
	err = dkl_mask_parse(kind, exact, 0, &parsed);
	*mask = parsed.value;
	if (!err && !*mask && kind != MASK_SOURCES)
		return dkt_fail(ctx, -EINVAL, "--%s: '%s' names no %s; see 'dktrace list %s'",
				option, text, names, names);
	if (err != -EINVAL || !parsed.bad)
		return err ? dkt_fail(ctx, -EINVAL, "--%s: '%s' ends without a name", option,
				      text) :
			     0;
	dkt__guess_start(&guess, parsed.bad, parsed.bad_len);
	dkl_mask_guess(kind, &guess);
	return dkt_fail(ctx, -EINVAL, "--%s: unknown name '%.*s'; see 'dktrace list %s'%s", option,
			(int)parsed.bad_len, parsed.bad, names, dkt__guess_words(&guess));
}
