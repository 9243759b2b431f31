/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports the result of printing the debug log. */
#include <inttypes.h>

#include "io/say.h"
#include "pipeline/dk.h"

void dk_result_clear(struct dk_result *result)
{
	losses_clear(&result->losses);
	free(result->clock);
	free(result->unmatched);
	free(result->only_lustre);
	*result = (struct dk_result){ 0 };
}

void dk_result_print(const struct dk_result *result, const char *self, FILE *out)
{
	fprintf(out,
		"Debug log: %" PRIu64 " lines, %" PRIu64 " kept, %" PRIu64 " dropped, %" PRIu64
		" bad.\n",
		result->kept + result->dropped + result->losses.bad, result->kept, result->dropped,
		result->losses.bad);
	fflush(out);
	if (result->only_lustre)
		fprintf(stderr, "%s: only Lustre's own buffer is shown: %s\n", self,
			result->only_lustre);
	if (result->unmatched)
		fprintf(stderr, "%s: %s\n", self, result->unmatched);
	if (result->last_boot)
		fprintf(stderr,
			"%s: times are on the clock of that boot, which counted from its start; its"
			" wall-clock time is unknown\n",
			self);
	if (result->clock)
		say_line(stderr, "%s: times are of the clock '%s', which has no wall-clock time",
			 self, result->clock);
	if (result->own)
		fprintf(stderr, "%s: %" PRIu64 " records of %s itself skipped\n", self, result->own,
			self);
	losses_report(&result->losses, self, NULL,
		      "a larger debug_mb or a narrower debug keeps more");
	if (result->incomplete)
		fprintf(stderr,
			"%s: incomplete messages of Lustre: %" PRIu64
			"; the recording stopped before"
			" all of their records were written\n",
			self, result->incomplete);
	if (result->missed)
		fprintf(stderr,
			"%s: messages of Lustre that were not recorded because the"
			" probe was busy: %" PRIu64 "; Lustre's own buffer has them\n",
			self, result->missed);
}
