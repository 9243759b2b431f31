/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: reads the files for the intervals in which the time of threads counts. */
#include "ctl/profile/within.h"

#include "ctl/app/groups.h"
#include "ctl/profile/profile.h"
#include "lib/base/buf.h"

/* An interval within others would need those, too. */
static bool is_of_thread(const struct dkt_interval *row)
{
	return row->per_task && !row->within;
}

/* Lists what could have been meant. */
static int refuse(const struct app *app, const char *name, bool known)
{
	char *names __cleanup(free) = strdup("");
	const struct dkt_interval *list;
	size_t n;

	if (dkt_interval_list(app->ctx, &list, &n))
		return app_usage("%s", dkt_error(app->ctx));
	for (size_t i = 0; names && i < n; i++) {
		char *longer = NULL;

		if (!is_of_thread(&list[i]) ||
		    dkt_interval_find(app->ctx, list[i].name) != &list[i])
			continue;
		longer = dkt__format("%s%s%s", names, *names ? ", " : "", list[i].name);
		free(names);
		names = longer;
	}
	return app_usage(known ? "profile: --interval: '%s' is not the time of one thread; these"
				 " are: %s" :
				 "profile: --interval: there is no '%s'; these are the time of one"
				 " thread: %s",
			 name, names ?: "");
}

int within_read(const struct app *app, struct wall_within_opts *opts)
{
	const struct profile_options *given = OPT(app, profile);
	const struct dkt_interval *row =
		given->interval ? dkt_interval_find(app->ctx, given->interval) : NULL;

	*opts = (struct wall_within_opts){ .ctx = app->ctx,
					   .name = given->interval,
					   .most = UINT64_MAX };
	if (given->interval && !given->off_cpu)
		return app_usage("profile: --interval needs --off-cpu");
	if (given->took && !given->interval)
		return app_usage("profile: --took needs --interval");
	if (given->interval && (!row || !is_of_thread(row)))
		return refuse(app, given->interval, row);
	return given->took ? opt_durations(given->took, &opts->least, &opts->most) : 0;
}

struct reading {
	struct wall_within *within;
	const struct pipeline *pipeline;
};

static int add(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	const struct reading *reading = data;
	const struct pipeline *p = reading->pipeline;
	const size_t part = p->part_of ? p->part_of[record->stream] : 0;

	return wall_within_add(reading->within, p->parts[part].ctx, (uint32_t)part, source, record);
}

int within_find(const struct inputs *files, const struct record_args *args,
		const struct wall_within_opts *opts, struct wall_within **within)
{
	struct inputs first = { 0 };
	struct record_args how = *args;
	struct reading reading;
	int err = wall_within_new(opts, within);

	if (!err)
		err = inputs_copy(files, &first);
	if (!err)
		err = inputs_open_quietly(&first, &how);
	reading = (struct reading){ *within, &first.pipeline };
	if (!err)
		err = inputs_each(&first, add, &reading);
	if (!err)
		wall_within_end(*within);
	inputs_clear(&first);
	return err;
}

int within_check(struct dkt_ctx *ctx, const struct wall_within *within,
		 const struct wall_within_opts *opts, const char *path)
{
	const struct wall_within_facts *facts = wall_within_facts(within);
	const struct dkt_interval *row = dkt_interval_find(ctx, opts->name);

	if (facts->intervals)
		return 0;
	if (facts->apart)
		return dkt_fail(
			ctx, -ENODATA,
			"%s: the threads that end '%s' are not those that begin it, so that it"
			" is not the time of a thread",
			path, opts->name);
	if (facts->roles == (DKT_INTERVAL_BEGIN | DKT_INTERVAL_END))
		return dkt_fail(ctx, -ENODATA, "%s has no '%s' that takes such a time", path,
				opts->name);
	return dkt_fail(ctx, -ENODATA,
			"%s has no records of '%s'; record its events, too: -e %s"
			" -e %s",
			path, opts->name, row ? row->begin : "", row ? row->end : "");
}
