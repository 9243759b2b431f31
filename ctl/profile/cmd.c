/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: shows which functions take the time, sampled now or from recordings. */
#include "compat/lustre/thread_class.h"
#include "ctl/app/cage.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/profile/profile.h"
#include "ctl/profile/sample.h"
#include "lib/base/buf.h"
#include "lib/base/stop.h"

OPT_OWN(profile,
	{ "before", 0, "FILE", AT(profile, before), "compare with the earlier recording FILE", .flags = OPT_OPENED },
	{ "callers", 0, NULL, AT(profile, callers), "print a tree from the innermost functions to their callers" },
	{ "count", 0, NULL, AT(profile, count), "let each sample count 1, not its period" },
	{ "idle", 0, NULL, AT(profile, idle), "with --off-cpu: show threads that only sleep, too" },
	{ "interval", 0, "NAME", AT(profile, interval), "with --off-cpu: count the time only in which a thread is in such an interval, as latency lists them: fsync", .offers = OFFER_INTERVALS },
	{ "keys", 'k', "KEYS", AT(profile, keys), "group stacks by event, comm (default), pid, tid, cpu and, with --off-cpu, state; none: by nothing" },
	{ "mark-kernel", 0, NULL, AT(profile, mark_kernel), "with --style folded: append _[k] to functions of the kernel" },
	{ "min", 0, "PERCENT", AT(profile, least), "leave branches with a smaller share out of a tree (default 0.5)" },
	{ "off-cpu", 0, NULL, AT(profile, off_cpu), "show all time by the wall clock: where threads run, wait for a CPU, and wait for disk, lock, network or memory" },
	{ "output", 'o', "FILE", AT_APP(output), "live: write the samples to FILE (default perf.data); of a file: write the output to FILE" },
	{ "pid", 'p', "LIST", AT(select, pid), "live: sample these processes, with all their threads, and what these start; of a file: select records of the threads with these IDs: 1,42", .check = value_numbers },
	{ "style", 'S', "STYLE", AT(sink, style), "print as text (default), folded, speedscope or pprof; or draw svg, icicle or heatmap", .words = profile_styles },
	{ "took", 0, "TIME", AT(profile, took), "with --interval: take intervals that are longer than TIME, '>10ms', or shorter, '<1ms'" },
	{ "tree", 0, NULL, AT(profile, tree), "print a tree from the outermost functions to those that they call" },
	{ "wakers", 0, "N", AT(profile, wakers), "with --off-cpu: put those who ended a wait after its stack, and who woke them, up to N (1 to 8)" },
	{ .name = "by", .now = "keys" },
	{ .name = "group-by", .now = "keys" },
);

/* The choice was made when the samples were taken: all of them are shown. */
static void select_all(struct app *app)
{
	OPT_CHANGE(app, select)->pid = NULL;
	OPT_CHANGE(app, select)->comm = NULL;
}

/* Records, and shows what was recorded. The exit status of the command comes first. */
static int sample(struct app *app, char **argv)
{
	struct dkt__sampler_result result;
	struct profile_sample what;
	char *path = (char *)app->output;
	int shown, rc = profile_sample_read(app, &what);

	if (!rc && OPT(app, profile)->interval)
		rc = app_usage("profile: --interval is for a file: record the events of the"
			       " intervals, sched:sched_switch with its stack, and"
			       " sched:sched_waking");
	if (!rc)
		rc = profile_check_options(app);
	if (rc)
		return rc;
	rc = profile_record(app, &what, app->n_command ? argv + 1 : NULL, path, &result);
	if (!result.samples && result.seconds > 0)
		app_say("no samples were taken: nothing of what was chosen has used a CPU");
	if (!result.samples)
		return rc;
	select_all(app);
	/* The signal that ended the sampling does not end the answer. */
	dkt__stop_forget();
	/* Names in a profile are those of anyone's programs. */
	if (cage_enter(app, &path, 1, NULL, CAGE_PROGRAMS | CAGE_TEMPORARY))
		return app_worse(rc, app_fail(app));
	shown = profile_files(app, &path, 1, NULL);
	return rc ? rc : shown;
}

/*
 * For threads that are sampled, or whose time by the wall clock is wanted, --class tells the names; otherwise it is
 * that of records. The names stay in *globs.
 */
static int take_classes(struct app *app, bool live, char **globs)
{
	struct select_options *select = OPT_CHANGE(app, select);
	char *names __cleanup(free) = NULL;

	if (!select->classes || !(live || OPT(app, profile)->off_cpu))
		return 0;
	if (dkl_thread_classes_read(app->ctx, select->classes, &names))
		return app_usage("%s", dkt_error(app->ctx));
	*globs = dkt__format("%s%s%s", names, select->comm ? "," : "", select->comm ?: "");
	if (!*globs)
		return app_usage("out of memory");
	select->comm = *globs;
	select->classes = NULL;
	return 0;
}

int cmd_profile(struct app *app, int argc, char **argv)
{
	const int n = argc - app->n_command - 1;
	const bool live = !n && !app->input;
	char *globs __cleanup(free) = NULL;
	int rc;

	if (n && app->n_command)
		return app_usage("profile: cannot combine a file with a command; give one of them");
	rc = take_classes(app, live, &globs);
	if (rc)
		return rc;
	if (live)
		return sample(app, argv);
	if (profile_sample_given(app))
		return app_usage("profile: --%s is for a profile that is taken now, not for a file",
				 profile_sample_given(app));
	return profile_files(app, argv + 1, (size_t)n, app->output);
}
