/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of the debug log in one timeline, the kernel's and Lustre's own; how dk ended. */
#include "compat/dk/timeline.h"

#include <inttypes.h>

#include "compat/dk/dk.h"
#include "compat/io/say.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/util.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* ---- the kernel's records ---- */

/*
 * Returns the record of an incomplete message. A traceoff trigger on one probe of Lustre's messages
 * stops recording before the other probes of the same message, which is the one the user waits for.
 * While the log records, the rest of the message is still to come.
 */
static bool next_left(struct timeline *t, struct dkt_record *record)
{
	bool on = false;

	if (t->apart || (!dkt__instance_get_on(t->in, &on) && on))
		return false;
	if (!dkl_legacy_style_left(t->legacy, record))
		return false;
	t->incomplete++;
	return true;
}

static int next_of_kernel(struct timeline *t, struct dkt_record *record)
{
	int err;

	while (!(err = dkt_source_next(t->kernel, record))) {
		t->met++;
		/* The message is returned with another record. */
		if (t->apart || !dkl_legacy_style_keep(t->legacy, record))
			return 0;
	}
	if (err > 0 && next_left(t, record))
		return 0;
	t->ended = err == DKT_NEXT_END;
	return err;
}

static int ours_next(void *data, struct dkt_record *record)
{
	struct timeline *t = data;
	int err = next_of_kernel(t, record);

	if (err)
		return err;
	if (!t->first)
		t->first = record->ts;
	if (t->stepped && t->steps.n > 1)
		record->ts += (uint64_t)dkl_log_wall_at(&t->steps, record->ts) - (uint64_t)t->wall;
	return 0;
}

static const char *ours_comm(void *data, const struct dkt_record *record)
{
	return dkt_source_comm(((struct timeline *)data)->kernel, record);
}

static int ours_loss(void *data, int cpu, struct dkt_loss *loss)
{
	return dkt_source_get_loss(((struct timeline *)data)->kernel, cpu, loss, sizeof(*loss));
}

static int ours_done(void *data)
{
	return dkt_source_done(((struct timeline *)data)->kernel);
}

static int open_ours(struct timeline *t)
{
	DKT_OPTS(dkt__source_calls, calls, .next = ours_next, .comm = ours_comm, .loss = ours_loss,
		 .done = ours_done, .host = t->kernel);

	struct dkt_source_info info = *dkt_source_info(t->kernel);

	info.wall = t->stepped ? t->wall : info.wall;
	return dkt__source_make(t->ctx, &calls, t, &info, NULL, &t->ours);
}

/* ---- all records ---- */

int dkl_timeline_open_lustre(struct timeline *t)
{
	return t->lustre ? dkl_log_source_make(t->lustre, t->ctx, NULL, &t->theirs) : 0;
}

int dkl_timeline_merge(struct timeline *t)
{
	struct dkt_merge_part parts[2];
	int err = t->kernel ? open_ours(t) : 0;
	size_t n = 0;

	t->ended = !t->kernel;
	if (err || !t->theirs) {
		t->source = t->ours;
		return err;
	}
	if (t->ours)
		parts[n++] = (struct dkt_merge_part){ .sz = sizeof(*parts),
						      .source = t->ours,
						      .name = "" };
	parts[n++] = (struct dkt_merge_part){
		.sz = sizeof(*parts), .source = t->theirs, .name = "", .offset = -t->wall
	};
	return dkt_source_merge(parts, n, &t->source);
}

void dkl_timeline_close(struct timeline *t)
{
	if (t->theirs)
		dkt_source_close(t->source);
	dkt_source_close(t->ours);
	dkt_source_close(t->theirs);
	dkt_source_close(t->kernel);
}

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
	dkl_cdebug_report_missed(result->missed, self, NULL, result->missed_words);
}
