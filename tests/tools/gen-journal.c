/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a recording in progress: gen-journal [BYTES-OF-A-PAGE [IN-THE-OTHER-BUFFER [ID [FIRST [WALL [KERNEL]]]]]] >FILE. */
#include "lib/base/parse.h"
#include "tests/helper/journal.h"

int main(int argc, char **argv)
{
	/*
	 * The size of a page in both buffers, the ID of the recording, the time of its first record, us to
	 * the time of day.
	 */
	uint64_t numbers[5] = { PAGE_BYTES, PAGE_BYTES };
	struct made_journal j;

	for (int i = 1; i < argc && i <= 5; i++)
		if (dkt__parse_u64(argv[i], DKT__DEC, &numbers[i - 1]) ||
		    (i < 3 && numbers[i - 1] > PAGE_BYTES))
			return 2;
	journal_begin(&j, (uint32_t)numbers[0], (uint32_t)numbers[1],
		      (struct made_instances){ .id = numbers[2],
					       .first = numbers[3],
					       .wall = numbers[4],
					       .kernel = argc > 6 ? argv[6] : NULL });
	journal_fill(&j);
	return fwrite(j.data, 1, j.n, stdout) == j.n && !fflush(stdout) ? 0 : 1;
}
