/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: the threads whose time by the wall clock is wanted. */
#include "ctl/profile/wanted.h"

#include <limits.h>

#include "compat/lustre/programs.h"
#include "ctl/app/groups.h"
#include "lib/base/parse.h"

int wanted_take(struct app *app, struct wanted_threads *wanted)
{
	struct select_options *select = OPT_CHANGE(app, select);
	int err = 0;

	*wanted = (struct wanted_threads){ 0 };
	if (select->pid && dkt__parse_list(select->pid, INT_MAX, &wanted->tids, &wanted->n_tids))
		return app_usage("--pid: '%s' is not a list of numbers", select->pid);
	if (select->comm)
		err = dkl_programs_read(app->ctx, select->comm, &wanted->comms);
	select->pid = select->comm = NULL;
	return err ? app_usage("%s", dkt_error(app->ctx)) : 0;
}

void wanted_clear(struct wanted_threads *wanted)
{
	free(wanted->tids);
	dkt__strings_clear(&wanted->comms);
}

static bool has_tid(const struct wanted_threads *wanted, int32_t tid)
{
	for (size_t i = 0; i < wanted->n_tids; i++)
		if (wanted->tids[i] == tid)
			return true;
	return false;
}

bool wanted_is(void *data, int32_t tid, const char *comm)
{
	const struct wanted_threads *wanted = data;

	return (!wanted->n_tids || has_tid(wanted, tid)) &&
	       (!wanted->comms.n || dkl_programs_have(&wanted->comms, comm));
}

int wanted_check(struct dkt_ctx *ctx, const struct wall *wall, enum profile_side side,
		 const char *path)
{
	const struct wall_facts *facts = wall_facts(wall, side);

	if (facts->threads)
		return 0;
	if (!facts->switches && !facts->samples)
		return dkt_fail(
			ctx, -ENODATA,
			"%s has no records of sched:sched_switch, which tell when threads wait;"
			" record them with 'dktrace profile --off-cpu', or with 'dktrace record"
			" --stack -e sched:sched_switch -e sched:sched_waking'",
			path);
	if (facts->missed)
		return dkt_fail(ctx, -ENODATA,
				"%s tells when threads stop running, but not when they run again:"
				" perf record needs --switch-events, or -a",
				path);
	return dkt_fail(ctx, -ENODATA,
			"%s has no time of these threads; 'dktrace profile --off-cpu --keys tid'"
			" without a selection lists those that it has",
			path);
}
