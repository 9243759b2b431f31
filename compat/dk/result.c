/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports the result of printing the debug log. */
#include <inttypes.h>

#include "compat/dk/dk.h"
#include "compat/io/say.h"
#include "lib/base/when.h"

void dkl_dk_result_clear(struct dk_result *result)
{
	dkl_losses_clear(&result->losses);
	free(result->clock);
	free(result->unmatched);
	free(result->only_lustre);
	*result = (struct dk_result){ 0 };
}

/* The last time before a step of the clock, and the first one after it, as each clock showed it. */
static void print_step(const struct log_wall_part *before, bool stepped, const char *self)
{
	const struct log_wall_part *after = before + 1;
	const int64_t by = after->offset - before->offset;
	const int64_t last = dkt__wall_time(before->until, before->offset);
	const int64_t first = dkt__wall_time(after->from, after->offset);
	char from[DKT__WHEN_SIZE], to[DKT__WHEN_SIZE];

	dkt__format_when(DKT__MIN(last, first) / DKT__NSEC_PER_SEC, from);
	dkt__format_when(DKT__MAX(last, first) / DKT__NSEC_PER_SEC, to);
	fprintf(stderr, "%s: the clock was set %s by %.3f s, or the machine slept: ", self,
		by < 0 ? "back" : "forward", (double)llabs(by) / 1e9);
	if (stepped)
		fprintf(stderr, "lines from %s to %s can be out of order, and off by as much\n",
			from, to);
	else
		fprintf(stderr, "times of day before %s are off by as much\n", to);
}

void dkl_dk_result_print(const struct dk_result *result, const char *self, FILE *out)
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
		dkl_say_line(stderr,
			     "%s: times are of the clock '%s', which has no wall-clock time", self,
			     result->clock);
	if (result->own)
		fprintf(stderr, "%s: %" PRIu64 " records of %s itself skipped\n", self, result->own,
			self);
	for (size_t i = 0; i + 1 < result->steps.n; i++)
		print_step(&result->steps.parts[i], result->stepped, self);
	dkl_losses_report(&result->losses, self, NULL,
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
