/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a recording in progress: gen-journal [BYTES-OF-A-PAGE [IN-THE-OTHER-BUFFER]] >FILE. */
#include "base/parse.h"
#include "journal.h"

int main(int argc, char **argv)
{
	uint64_t sizes[2] = { PAGE_BYTES, PAGE_BYTES };
	struct made_journal j;

	for (int i = 1; i < argc && i < 3; i++)
		if (dkt__parse_u64(argv[i], DKT__DEC, &sizes[i - 1]) || sizes[i - 1] > PAGE_BYTES)
			return 2;
	journal_make(&j, (uint32_t)sizes[0], (uint32_t)sizes[1]);
	return fwrite(j.data, 1, j.n, stdout) == j.n && !fflush(stdout) ? 0 : 1;
}
