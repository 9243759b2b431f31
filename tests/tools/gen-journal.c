/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a recording in progress: gen-journal >FILE. */
#include "journal.h"

int main(void)
{
	struct made_journal j;

	journal_make(&j, PAGE_BYTES, PAGE_BYTES);
	return fwrite(j.data, 1, j.n, stdout) == j.n && !fflush(stdout) ? 0 : 1;
}
