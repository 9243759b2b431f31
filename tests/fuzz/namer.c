/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the replies of the process that names what was sampled. */
#include "ctl/profile/namer.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_round round, again;
	struct dkt_buf buf = { 0 };

	if (profile_round_init(&round) || profile_round_init(&again))
		return 0;
	/* Stacks that were read are written in a form that is read as the same. */
	if (!namer_get(data, size, &round) && !namer_put(&round.names, &round.tree, &buf)) {
		if (buf.len <= NAMER_REPLY && namer_get(buf.data, buf.len, &again))
			abort();
		if (again.samples > round.samples)
			abort();
	}
	free(buf.data);
	profile_round_clear(&round);
	profile_round_clear(&again);
	return 0;
}
