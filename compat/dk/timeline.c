/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of the debug log in one timeline: the kernel's and Lustre's own. */
#include "compat/dk/timeline.h"

#include "lib/base/util.h"
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

	if (t->apart || (!dkt_instance_get_on(t->in, &on) && on))
		return false;
	for (int cpu = 0; cpu < dkt_instance_n_cpus(t->in); cpu++) {
		if (!dkl_legacy_style_left(t->legacy, (uint32_t)cpu, t->last[cpu], record))
			continue;
		t->last[cpu] = record->ts;
		t->incomplete++;
		return true;
	}
	return false;
}

static int next_of_kernel(struct timeline *t, struct dkt_record *record)
{
	int err;

	while (!(err = dkt_source_next(t->kernel, record))) {
		t->met++;
		/* The message is returned with another record. */
		if (!t->apart && dkl_legacy_style_keep(t->legacy, record))
			continue;
		t->last[record->cpu] = record->ts;
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

	return dkt__source_make(t->ctx, &calls, t, dkt_source_info(t->kernel), NULL, &t->ours);
}

/* ---- all records ---- */

int dkl_timeline_open_lustre(struct timeline *t)
{
	return t->lustre ? dkl_log_source_make(t->lustre, t->ctx, NULL, &t->theirs) : 0;
}

int dkl_timeline_open_kernel(struct timeline *t, const struct dkt_live_opts *opts)
{
	int err = dkt_source_live(t->in, opts, &t->kernel);

	if (err)
		return err;
	t->last = calloc((size_t)dkt_instance_n_cpus(t->in) + 1, sizeof(*t->last));
	if (t->last)
		return 0;
	dkt_source_close(t->kernel);
	t->kernel = NULL;
	return -ENOMEM;
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
	free(t->last);
}
