/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: reads recordings, and shows where the time goes by their samples. */
#include "compat/io/output.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/stdout.h"
#include "ctl/input/inputs.h"
#include "ctl/profile/profile.h"
#include "ctl/profile/wanted.h"
#include "ctl/profile/within.h"
#include "lib/base/stop.h"

/* ---- records ---- */

struct reading {
	struct profile *profile;
	struct wall *wall; /* NULL: what is read is not for it */
	const struct pipeline *pipeline;
};

static int add(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	const struct reading *reading = data;
	const struct pipeline *p = reading->pipeline;
	const size_t part = p->part_of ? p->part_of[record->stream] : 0;

	if (reading->wall)
		return wall_add(reading->wall, p->parts[part].ctx, (uint32_t)part, source, record);
	return profile_add(reading->profile, p->parts[part].ctx, (uint32_t)part, source, record);
}

/* The recordings of one side. */
struct files {
	char **paths;
	size_t n;
	struct record_args args;
	struct selection_time since, until; /* of wall-clock time: it is cut, not what is read */
	struct inputs in;
};

static int open_files(struct app *app, struct files *files)
{
	int rc = record_args_read(app, &files->args);

	if (!rc)
		rc = inputs_new(app, files->paths, files->n, &files->in);
	/* For intervals it is read twice. */
	files->args.once = files->n == 1 && !OPT(app, profile)->interval;
	if (dkl_selection_is_all(&files->args.selection))
		files->args.source.flags |= DKT__SOURCE_STACKS;
	if (!OPT(app, profile)->off_cpu)
		return rc;
	files->args.source.flags |= DKT__SOURCE_SWITCHES;
	files->since = files->args.selection.since;
	files->until = files->args.selection.until;
	files->args.selection.since = files->args.selection.until = (struct selection_time){ 0 };
	return rc;
}

static void close_files(struct files *files)
{
	inputs_clear(&files->in);
	record_args_clear(&files->args);
}

/* Sets the times of which the wall-clock time is wanted. */
static int find_window(struct files *files, struct wall_window *window)
{
	const struct pipeline *p = &files->in.pipeline;
	const struct selection times = { .since = files->since, .until = files->until };
	int err = dkl_selection_window(&times, p->parts[0].ctx, dkt_source_info(p->source),
				       &window->since, &window->until);

	window->until = window->until ?: UINT64_MAX;
	return err;
}

static int read_wall(struct files *files, struct reading *reading, enum profile_side side,
		     const struct wall_within *within)
{
	struct wall_window window;
	int err = find_window(files, &window);

	if (err)
		return err;
	wall_begin(reading->wall, side, &window, within);
	err = inputs_each(&files->in, add, reading);
	return err ?: wall_end(reading->wall);
}

/* Reads for the intervals first, if time counts only within them. */
static int read_wall_files(struct files *files, struct profile_view *view, struct wall *wall,
			   enum profile_side side, const struct wall_within_opts *opts)
{
	struct reading reading = { NULL, wall, &files->in.pipeline };
	struct wall_within *within = NULL;
	int err = 0;

	if (opts->name)
		err = within_find(&files->in, &files->args, opts, &within);
	if (!err)
		err = inputs_open_all(&files->in, &files->args);
	if (!err && within)
		err = within_check(view->app->ctx, within, opts, files->paths[0]);
	if (!err && within)
		view->within[side] = *wall_within_facts(within);
	if (!err)
		err = read_wall(files, &reading, side, within);
	wall_within_free(within);
	return err;
}

static int read_files(struct files *files, struct profile *profile, enum profile_side side)
{
	struct reading reading = { profile, NULL, &files->in.pipeline };
	int err = inputs_open_all(&files->in, &files->args);

	if (err)
		return err;
	profile->side = side;
	err = inputs_each(&files->in, add, &reading);
	return err ?: profile_end(profile);
}

/* An empty picture would pass for a machine that did nothing. */
static int check(const struct app *app, const struct profile *profile, const struct files *files,
		 enum profile_side side)
{
	const char *path = files->paths[0];
	uint64_t records = 0;

	if (profile->facts[side].all.samples)
		return 0;
	for (size_t i = 0; i < files->in.pipeline.n; i++)
		records += files->in.pipeline.parts[i].losses.seen;
	if (side == PROFILE_BEFORE && profile->n_events)
		return dkt_fail(app->ctx, -ENODATA,
				"%s has no samples of %s, with which they could be compared", path,
				profile->events[0]->name);
	if (!dkl_selection_is_all(&files->args.selection))
		return dkt_fail(app->ctx, -ENODATA,
				"no call stack is selected; 'dktrace info %s' shows the events"
				" and times of the file",
				path);
	if (!records)
		return dkt_fail(
			app->ctx, -ENODATA,
			"%s has no samples: nothing ran, or not for long; record for longer,"
			" or with a higher --frequency",
			path);
	return dkt_fail(app->ctx, -ENODATA,
			"%s has no call stacks; record them with 'perf record -g' or with"
			" 'dktrace record --stack EVENTS'",
			path);
}

/* ---- the command ---- */

static int read_all(struct app *app, struct profile_view *view, struct wall *wall,
		    const struct wall_within_opts *within, struct files *sides)
{
	int err = 0;

	for (int side = 0; !err && side < PROFILE_SIDES; side++) {
		if (!sides[side].n)
			continue;
		err = wall ? read_wall_files(&sides[side], view, wall, (enum profile_side)side,
					     within) :
			     read_files(&sides[side], view->profile, (enum profile_side)side);
		if (!err && wall)
			err = wanted_check(app->ctx, wall, (enum profile_side)side,
					   sides[side].paths[0]);
		else if (!err)
			err = check(app, view->profile, &sides[side], (enum profile_side)side);
	}
	if (!err && wall)
		wall_finish(wall);
	if (err)
		return err;
	view->info = dkt_source_info(sides[PROFILE_NOW].in.pipeline.source);
	for (size_t i = 0; i < sides[PROFILE_NOW].in.pipeline.n; i++) {
		const struct pipeline_part *part = &sides[PROFILE_NOW].in.pipeline.parts[i];

		losses_add_to(&view->losses, &part->losses);
		view->throttled += dkt__perf_throttled(part->source);
	}
	return 0;
}

/* Lets all that is printed go into the output. */
static int show(struct app *app, struct profile_view *view, const struct profile_form *form,
		struct outfile *file)
{
	FILE *earlier, *f = NULL;
	int err, failed = 0;

	/* main() reports that standard output has an error. */
	if (file->fd < 0) {
		err = profile_show(view, form);
		return err == -EIO ? 0 : err;
	}
	f = fdopen(dup(file->fd), "w");
	if (!f)
		return dkt_fail(app->ctx, -errno, "write %s: %s", file->path, strerror(errno));
	err = stdout_swap(app->ctx, f, &earlier);
	if (!err) {
		err = profile_show(view, form);
		stdout_swap(app->ctx, earlier, &f);
	}
	if (fflush(f) || ferror(f))
		failed = -errno;
	if (fclose(f) && !failed)
		failed = -errno;
	if (failed)
		return dkl_full_fail(app->ctx, failed, file->path);
	return err ?: dkl_outfile_commit(file);
}

/* Opens the output before it reads a record, so that a wrong name costs no time. */
static int run(struct app *app, struct profile_view *view, struct wall *wall,
	       const struct wall_within_opts *within, const struct profile_form *form,
	       struct files *sides, const char *output)
{
	struct outfile file = { .fd = -1, .placer = &app->placer };
	int err = output ? dkl_outfile_open(app->ctx, output, false, &file) : 0;

	for (int side = 0; side < PROFILE_SIDES; side++)
		for (size_t i = 0; !err && file.fd >= 0 && i < sides[side].in.n; i++)
			err = dkl_outfile_check_input(&file, sides[side].in.files[i].path);
	if (!err)
		err = read_all(app, view, wall, within, sides);
	if (!err)
		err = show(app, view, form, &file);
	print_output(&file);
	dkl_outfile_close(&file);
	return err ? app_fail(app) : 0;
}

int profile_files(struct app *app, char **paths, size_t n, const char *output)
{
	char *before = (char *)OPT(app, profile)->before;
	struct files sides[PROFILE_SIDES] = {
		[PROFILE_NOW] = { .paths = paths, .n = n },
		[PROFILE_BEFORE] = { .paths = &before, .n = before ? 1 : 0 },
	};
	struct profile profile = { 0 };
	struct profile_view view = {
		.app = app, .profile = &profile, .path = paths[0], .n_files = n, .before = before
	};
	struct wanted_threads wanted = { 0 };
	struct wall_opts wall_opts = { .chosen = wanted_is, .data = &wanted };
	struct wall_within_opts within;
	struct wall *wall = NULL;
	const struct profile_form *form;
	struct profile_opts opts = { 0 };
	int rc = profile_read_options(app, output, &opts, &form, &view);

	if (!rc)
		rc = profile_read_wall(app, form, &wall_opts, &within);
	if (!rc && OPT(app, profile)->off_cpu)
		rc = wanted_take(app, &wanted);
	for (int side = 0; !rc && within.name && side < PROFILE_SIDES; side++)
		for (size_t i = 0; !rc && i < sides[side].n; i++)
			if (!strcmp(sides[side].paths[i], "-"))
				rc = app_usage("profile: --interval reads the records twice; name"
					       " a file, not standard input");
	wall_opts.by = opts.by;
	view.interval = within.name;
	within.chosen = wall_opts.chosen;
	within.data = wall_opts.data;
	if (rc) {
		wanted_clear(&wanted);
		return rc;
	}
	dkt__stop_on_end();
	for (int side = 0; !rc && side < PROFILE_SIDES && sides[side].n; side++)
		rc = open_files(app, &sides[side]);
	if (!rc && (OPT(app, profile)->off_cpu ? wall_new(&wall_opts, &wall) :
						 profile_init(&profile, &opts)))
		rc = app_usage("out of memory");
	view.wall = wall;
	view.profile = wall ? wall_profile(wall) : &profile;
	if (!rc)
		rc = run(app, &view, wall, &within, form, sides, output);
	for (int side = 0; side < PROFILE_SIDES && sides[side].n; side++) {
		if (!rc || rc == EXIT_LOST)
			rc = app_worse(rc, inputs_report_losses(&sides[side].in));
		close_files(&sides[side]);
	}
	profile_clear(&profile);
	wall_free(wall);
	wanted_clear(&wanted);
	return rc;
}
