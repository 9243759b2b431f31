/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges several inputs in order of time, on the clock of the first. */
#include "ctl/input/inputs.h"

#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/input/causes.h"
#include "ctl/input/collected.h"
#include "ctl/input/unpack.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/stop.h"
#include "lib/base/ticks.h"
#include "lib/inside.h"

static int begin(struct app *app, size_t n, struct inputs *inputs)
{
	*inputs = (struct inputs){ .app = app, .files = calloc(n + 1, sizeof(*inputs->files)) };
	return inputs->files ? 0 : dkt__no_memory(app->ctx);
}

/* ---- offsets ---- */

/* Reads "3ms", "-1500" or "2s". */
static bool read_shift(const char *text, int64_t *ns)
{
	bool minus = *text == '-';
	uint64_t value;

	if (dkt__parse_time(text + minus, 1, &value) || value > INT64_MAX)
		return false;
	*ns = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

/* Reads FILE=TIME,... */
static int read_offsets(struct inputs *inputs)
{
	char *copy __cleanup(free) =
		OPT(inputs->app, input)->offset ? strdup(OPT(inputs->app, input)->offset) : NULL;
	char *save = NULL;

	for (char *word = copy ? strtok_r(copy, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save)) {
		char *equals = strrchr(word, '=');
		size_t i;

		if (equals)
			*equals = '\0';
		for (i = 0; equals && i < inputs->n && strcmp(inputs->files[i].path, word); i++)
			;
		if (!equals || i == inputs->n)
			return app_usage("--offset: '%s' is not one of the files; write FILE=TIME",
					 word);
		if (!read_shift(equals + 1, &inputs->files[i].offset))
			return app_usage(
				"--offset: '%s' is not a time such as -1500ns or 3ms" DKT__TIME_UNITS,
				equals + 1);
		inputs->files[i].known = INPUTS_BY_USER;
	}
	return 0;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static const struct dkt_source_info *info_of(const struct inputs *inputs, size_t i)
{
	return dkt_source_info(inputs->files[i].in.source);
}

/* True if guest's recording has the shifts to the clock of the recording host. */
static bool is_pair(const struct inputs *inputs, size_t guest, size_t host)
{
	uint64_t id = info_of(inputs, host)->id;
	struct dkt__source_peer peer;

	for (size_t i = 0;
	     !dkt__source_peer(inputs->files[guest].in.source, i, &peer, sizeof(peer)); i++)
		if (!peer.name && id && peer.id == id)
			return true;
	return false;
}

bool inputs_same_boot(const struct inputs *inputs, size_t i, size_t j)
{
	return !collected_differ(inputs, i, j) &&
	       dkl_pipeline_same_boot(inputs->files[i].in.source, inputs->files[j].in.source);
}

int inputs_relate(struct inputs *inputs, size_t i, size_t first)
{
	const struct dkt_source_info *base = info_of(inputs, first), *info = info_of(inputs, i);
	int64_t apart = info->wall - base->wall;
	struct inputs_file *file = &inputs->files[i];
	int err;

	if (file->known == INPUTS_BY_USER || file->known == INPUTS_BY_REQUESTS ||
	    file->known == INPUTS_BY_ROUND_TRIPS)
		return 0;
	if ((is_pair(inputs, i, first) || is_pair(inputs, first, i)) &&
	    base->has_wall == info->has_wall && same(base->clock, info->clock)) {
		file->known = INPUTS_GUEST;
		file->offset = apart;
		return 0;
	}
	if (inputs_same_boot(inputs, i, first)) {
		file->known = INPUTS_ONE_CLOCK;
		return 0;
	}
	err = collected_relate(inputs, i, first);
	if (err <= 0)
		return err;
	if (dkt__clock_ticks(base->clock) || dkt__clock_ticks(info->clock))
		return dkt_fail(inputs->app->ctx, -EINVAL,
				"%s cannot be put in order of time with %s: a clock of them does"
				" not count nanoseconds",
				file->in.path, inputs->files[first].in.path);
	if (!base->has_wall || !info->has_wall)
		return dkt_fail(inputs->app->ctx, -EINVAL,
				"%s has no wall-clock times: give --offset %s=TIME, the time to"
				" add to its times to get those of %s",
				base->has_wall ? file->in.path : inputs->files[first].in.path,
				file->in.path, inputs->files[first].in.path);
	file->known = INPUTS_BY_WALL_CLOCK;
	file->offset = apart;
	return 0;
}

/* Returns words about the accuracy of the file's offset to the first one. */
static const char *accuracy(const struct inputs *inputs, size_t i, size_t first)
{
	const struct inputs_file *file = &inputs->files[i];

	switch (file->known) {
	case INPUTS_BY_USER:
		return "as given";
	case INPUTS_BY_REQUESTS:
	case INPUTS_BY_ROUND_TRIPS:
		return file->accuracy;
	case INPUTS_ONE_CLOCK:
		return "which is its own";
	case INPUTS_GUEST:
		return "by the shifts recorded for a guest and its host";
	default:
		return same(info_of(inputs, i)->host, info_of(inputs, first)->host) ?
			       "accurate to 2 us, by the wall clock of their host" :
			       "accurate to 2 us plus the difference between the hosts' wall"
			       " clocks";
	}
}

void inputs_report_offset(const struct inputs *inputs, size_t i, size_t first)
{
	const struct inputs_file *file = &inputs->files[i];
	const char *sign = file->offset < 0 ? "-" : "+";
	uint64_t size = file->offset < 0 ? -(uint64_t)file->offset : (uint64_t)file->offset;

	app_say("%s: %s%" PRIu64 ".%09" PRIu64 " s to the clock of %s, %s", file->in.path, sign,
		size / 1000000000, size % 1000000000, inputs->files[first].in.path,
		accuracy(inputs, i, first));
}

/* ---- names ---- */

static bool is_taken(const struct inputs *inputs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (same(inputs->files[i].name, name))
			return true;
	return false;
}

/*
 * Uses the host's name, or the file's name if the host is unknown or has recorded several files. Adds a
 * number to a name that is taken.
 */
static int find_name(struct inputs *inputs, size_t i)
{
	const char *host = info_of(inputs, i)->host, *base;
	struct inputs_file *file = &inputs->files[i];

	/* The names of several hosts have spaces between. */
	if (host && strchr(host, ' '))
		host = NULL;
	for (size_t j = 0; host && j < inputs->n; j++)
		if (j != i && inputs->files[j].in.source && same(host, info_of(inputs, j)->host))
			host = NULL;
	base = strrchr(file->in.path, '/');
	if (file->about)
		host = file->about->name;
	base = host ? host : base && base[1] ? base + 1 : file->in.path;
	if (!is_taken(inputs, i, base))
		file->name = strdup(base);
	else
		file->name = dkt__format("%s.%zu", base, i + 1);
	return file->name ? 0 : -ENOMEM;
}

int inputs_name(struct inputs *inputs)
{
	int err = 0;

	for (size_t i = 0; !err && i < inputs->n; i++)
		if (inputs->files[i].in.source)
			err = find_name(inputs, i);
	return err;
}

/* ---- records ---- */

/* Returns n points without their errors, which the caller frees. NULL: out of memory. */
static struct dkt_merge_point *merge_points(const struct inputs_file *file, size_t n)
{
	struct dkt_merge_point *points = calloc(n + 1, sizeof(*points));

	for (size_t i = 0; points && i < n; i++)
		points[i] = (struct dkt_merge_point){ .time = file->points[i].time,
						      .offset = file->points[i].offset };
	return points;
}

static int merge(struct inputs *inputs)
{
	struct dkt_merge_part *parts __cleanup(free) = calloc(inputs->n + 1, sizeof(*parts));
	struct dkt_source_clock *clocks __cleanup(free) = calloc(inputs->n + 1, sizeof(*clocks));
	int err = parts && clocks ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < inputs->n; i++) {
		struct inputs_file *file = &inputs->files[i];
		const size_t n = file->known == INPUTS_BY_ROUND_TRIPS ? file->n_points : 0;

		parts[i] = (struct dkt_merge_part){ .sz = sizeof(*parts),
						    .name = file->name,
						    .offset = file->offset,
						    .points = merge_points(file, n),
						    .n_points = n,
						    .clock = &clocks[i] };
		err = parts[i].points ? collected_clock(inputs, i, &clocks[i]) : -ENOMEM;
	}
	if (!err)
		err = dkl_pipeline_merge(&inputs->pipeline, parts);
	for (size_t i = 0; parts && clocks && i < inputs->n; i++) {
		free((void *)parts[i].points);
		free((void *)clocks[i].points);
	}
	return err;
}

static void look(void *data)
{
	struct inputs *inputs = data;

	progress_look(&inputs->progress, inputs->pipeline.source);
}

static int init_pipeline(const struct inputs *inputs, struct pipeline *pipeline)
{
	int err = dkl_pipeline_init(pipeline, inputs->app->ctx, inputs->n);

	for (size_t i = 0; !err && i < inputs->n; i++) {
		const struct input *in = &inputs->files[i].in;

		if (!in->source)
			continue;
		dkl_pipeline_add(pipeline, in->ctx, in->source, in->path);
		pipeline->parts[pipeline->n - 1].on = input_is_on(in);
	}
	return err;
}

int inputs_check_events(const struct inputs *inputs, const struct selection *selection)
{
	struct pipeline all;
	int err = init_pipeline(inputs, &all);

	if (!err)
		err = dkl_pipeline_check_events(&all, selection);
	dkl_pipeline_clear(&all);
	return err;
}

int inputs_start(struct inputs *inputs, struct record_args *args, bool merged)
{
	int err = init_pipeline(inputs, &inputs->pipeline);

	inputs->pipeline.classes = args->classes;
	inputs->pipeline.look = look;
	inputs->pipeline.absent = inputs->collected ? inputs->collected->absent : NULL;
	inputs->pipeline.n_absent = inputs->collected ? inputs->collected->n_absent : 0;
	inputs->pipeline.data = inputs;
	if (!err && merged)
		err = merge(inputs);
	if (!err)
		err = dkl_pipeline_find_clocks(&inputs->pipeline);
	for (size_t i = 0; i < inputs->pipeline.n && inputs->pipeline.n == inputs->n; i++) {
		inputs->pipeline.parts[i].lacks = inputs->files[i].lacks;
		if (i)
			inputs->pipeline.parts[i].accuracy = accuracy(inputs, i, 0);
	}
	return err ? err : dkl_pipeline_select(&inputs->pipeline, &args->selection);
}

static int add_more(struct inputs *inputs, size_t i, const struct record_args *args)
{
	struct inputs_file *files = inputs->files;
	struct input before = files[i - 1].in;

	files = reallocarray(files, inputs->n + 2, sizeof(*files));
	if (!files)
		return dkt__no_memory(inputs->app->ctx);
	inputs->files = files;
	memmove(&files[i + 1], &files[i], (inputs->n++ - i) * sizeof(*files));
	files[i] = (struct inputs_file){ .path = before.path };
	return input_open_more(inputs->app, &files[i - 1].in, args, &files[i].in);
}

/* Opens the file. What a damaged archive does not give is as if it had not come. */
static int open_one(struct inputs *inputs, size_t i, const struct record_args *args)
{
	struct inputs_file *file = &inputs->files[i];
	int err = input_open(inputs->app, file->path, args, 0, &file->in);
	const char *damage = err ? NULL : unpack_damage(inputs->app, file->path);

	if (!damage || file->lacks)
		return err;
	file->lacks = strdup(damage);
	return file->lacks ? 0 : dkt__no_memory(inputs->app->ctx);
}

int inputs_open_file(struct inputs *inputs, size_t *i, const struct record_args *args)
{
	size_t nr = (*i)++;
	int err = open_one(inputs, nr, args);

	while (!err && input_has_more(&inputs->files[*i - 1].in))
		err = add_more(inputs, (*i)++, args);
	return err;
}

int inputs_open_one(struct app *app, const char *path, struct record_args *args,
		    struct inputs *inputs)
{
	int err = begin(app, 1, inputs);

	if (!err && collected_is(path))
		err = dkt_fail(
			app->ctx, -EISDIR,
			"%s has the files of several hosts; give one of them, such as those that"
			" 'dktrace info %s' lists, or 'dktrace merge' them first",
			path, path);
	if (err)
		return err;
	inputs->files[inputs->n++].path = path;
	args->once = true;
	err = open_one(inputs, 0, args);
	if (!err && input_has_more(&inputs->files[0].in))
		err = input_refuse_more(app, &inputs->files[0].in);
	if (!err)
		err = inputs_check_events(inputs, &args->selection);
	return err ? err : inputs_start(inputs, args, false);
}

static int open_all(struct inputs *inputs, struct record_args *args, bool quiet)
{
	int err = 0;

	for (size_t i = 0; !err && i < inputs->n;)
		err = inputs_open_file(inputs, &i, args);
	if (!err)
		err = inputs_check_events(inputs, &args->selection);
	for (size_t i = 1; !err && i < inputs->n; i++)
		err = inputs_relate(inputs, i, 0);
	if (!err)
		err = causes_narrow(inputs, args);
	for (size_t i = 1; !err && !quiet && i < inputs->n; i++)
		inputs_report_offset(inputs, i, 0);
	if (!err)
		err = inputs_name(inputs);
	return err ? err : inputs_start(inputs, args, !quiet || inputs->n > 1);
}

int inputs_open_all(struct inputs *inputs, struct record_args *args)
{
	return open_all(inputs, args, false);
}

int inputs_open_quietly(struct inputs *inputs, struct record_args *args)
{
	return open_all(inputs, args, true);
}

int inputs_exchange(const struct inputs *inputs, exchange_fn fn, void *data,
		    struct exchange **exchange)
{
	const struct pipeline *pipeline = &inputs->pipeline;
	struct dkt_ctx **ctxs __cleanup(free) = calloc(pipeline->n + 1, sizeof(struct dkt_ctx *));

	*exchange = NULL;
	if (!ctxs)
		return -ENOMEM;
	for (size_t i = 0; i < pipeline->n; i++)
		ctxs[i] = pipeline->parts[i].ctx;
	return exchange_new(ctxs, pipeline->n, fn, data, exchange);
}

int inputs_each(struct inputs *inputs, pipeline_fn fn, void *data)
{
	int err, counted;

	progress_source(&inputs->progress, inputs->pipeline.source, false);
	err = dkl_pipeline_each(&inputs->pipeline, fn, data);
	progress_end(&inputs->progress);
	counted = dkl_pipeline_count(&inputs->pipeline);
	return err ? err : counted;
}

static int write_file(struct inputs *inputs, const struct sink_opts *opts, struct outfile *file,
		      struct sink *sink)
{
	int counted, err = 0;

	for (size_t i = 0; !err && i < inputs->n; i++)
		err = input_check_output(&inputs->files[i].in, file);
	if (!err)
		err = dkl_sink_open(sink, opts, &inputs->pipeline, file);
	progress_source(&inputs->progress, inputs->pipeline.source, false);
	if (!err)
		err = dkl_pipeline_print(&inputs->pipeline, sink);
	if (!err && opts->writer && dkt__stopped())
		err = dkt_fail(inputs->app->ctx, -EINTR, "interrupted: %s is not written",
			       file->path);
	progress_end(&inputs->progress);
	counted = dkl_pipeline_count(&inputs->pipeline);
	err = err ? err : counted;
	return err ? err : dkl_outfile_commit(file);
}

int inputs_write(struct inputs *inputs, const struct sink_opts *opts, const char *path)
{
	struct outfile file = OUTFILE_INIT;
	struct sink sink = { 0 };
	int rc = 0, err;

	/* On some file systems its file has a temporary name, which a signal must not leave behind. */
	if (opts->writer)
		dkt__stop_on_end();
	err = dkl_sink_open_file(inputs->app->ctx, opts, path, &file);
	if (!err)
		err = write_file(inputs, opts, &file, &sink);
	if (err)
		rc = sink.out.closed ? EXIT_PIPE : app_fail(inputs->app);
	dkl_sink_close(&sink);
	print_output(&file);
	dkl_outfile_close(&file);
	return rc ? rc : inputs_report_losses(inputs);
}

bool inputs_lack_hosts(const struct inputs *inputs)
{
	return inputs->collected && inputs->collected->incomplete;
}

/* Returns true if an archive was damaged. */
static bool report_archives(const struct inputs *inputs)
{
	const char *damage;
	bool told = false;

	for (size_t i = 0; i < inputs->n; i++) {
		damage = unpack_damage(inputs->app, inputs->files[i].path);
		if (!damage)
			continue;
		app_say("%s: %s", inputs->files[i].in.path, damage);
		told = true;
	}
	return told;
}

/* Says which chosen CPU no file has. After all records: text files and pipes do not tell before. */
static void report_cpus(const struct inputs *inputs)
{
	int *chosen __cleanup(free) = NULL, cpus = 0;
	size_t n = 0;

	if (!OPT(inputs->app, select)->cpu ||
	    dkt__parse_list(OPT(inputs->app, select)->cpu, INT32_MAX, &chosen, &n))
		return;
	for (size_t i = 0; i < inputs->pipeline.n; i++)
		cpus = DKT__MAX(cpus, dkt_source_info(inputs->pipeline.parts[i].source)->cpus);
	for (size_t i = 0; i < n; i++)
		if (chosen[i] >= cpus) {
			app_say("--cpu: %s %s no record of CPU %d",
				inputs->n > 1 ? "the files" : inputs->files[0].path,
				inputs->n > 1 ? "have" : "has", chosen[i]);
			return;
		}
}

int inputs_report_losses(struct inputs *inputs)
{
	enum losses_verdict worst = LOSSES_NONE, one;
	uint64_t pauses = 0;
	bool told = false;

	for (size_t i = 0; i < inputs->pipeline.n; i++) {
		one = dkl_losses_report(&inputs->pipeline.parts[i].losses, "dktrace",
					inputs->pipeline.parts[i].name, NULL);
		worst = one > worst ? one : worst;
		pauses += inputs->pipeline.parts[i].losses.pauses;
	}
	for (size_t i = 0; i < inputs->n; i++)
		if (inputs->files[i].in.source && input_report_gaps(&inputs->files[i].in))
			told = true;
	/* The times are not known of a window on the trace's clock. */
	if (pauses && !told)
		app_say("%s: nothing was recorded for a time", inputs->files[0].path);
	if (pauses || told || inputs_lack_hosts(inputs))
		worst = DKT__MAX(worst, LOSSES_LOST);
	if (report_archives(inputs))
		worst = LOSSES_DAMAGE;
	if (inputs->pipeline.incomplete)
		app_say("incomplete messages of Lustre: %" PRIu64
			"; the recording stopped before all of their records were written",
			inputs->pipeline.incomplete);
	if (inputs->pipeline.selection)
		dkl_rate_report(&inputs->pipeline.selection->rate, "dktrace");
	report_cpus(inputs);
	return worst == LOSSES_DAMAGE ? EXIT_FAILED : worst ? EXIT_LOST : 0;
}

/* ---- files ---- */

static int add_path(struct inputs *inputs, const char *path)
{
	struct inputs_file *files = reallocarray(inputs->files, inputs->n + 2, sizeof(*files));

	if (!files) {
		dkt__no_memory(inputs->app->ctx);
		return app_fail(inputs->app);
	}
	inputs->files = files;
	files[inputs->n++] = (struct inputs_file){ .path = path };
	return 0;
}

int inputs_new(struct app *app, char **paths, size_t n, struct inputs *inputs)
{
	int rc = 0;
	bool is;

	if (begin(app, n, inputs))
		return app_fail(app);
	for (size_t i = 0; !rc && i < n; i++) {
		rc = collected_add(inputs, paths[i], &is);
		if (!rc && !is)
			rc = add_path(inputs, paths[i]);
	}
	return rc ? rc : read_offsets(inputs);
}

static int copy_file(const struct inputs *from, size_t nr, struct inputs *inputs)
{
	const struct inputs_file *file = &from->files[nr];
	struct inputs_file *copy = &inputs->files[inputs->n++];

	*copy = (struct inputs_file){ .path = file->path,
				      .name = file->name ? strdup(file->name) : NULL,
				      .offset = file->offset,
				      .known = file->known,
				      .about = file->about,
				      .collection = file->collection,
				      .lacks = file->lacks ? strdup(file->lacks) : NULL,
				      .accuracy = file->accuracy ? strdup(file->accuracy) : NULL };
	if (file->n_points)
		copy->points = calloc(file->n_points, sizeof(*copy->points));
	if (!copy->name != !file->name || !copy->accuracy != !file->accuracy ||
	    !copy->lacks != !file->lacks || !copy->points != !file->n_points)
		return dkt__no_memory(from->app->ctx);
	copy->n_points = file->n_points;
	if (copy->points)
		memcpy(copy->points, file->points, file->n_points * sizeof(*copy->points));
	return 0;
}

int inputs_take(struct inputs *from, const size_t *list, size_t n, struct inputs *inputs)
{
	int err = begin(from->app, n, inputs);

	for (size_t i = 0; !err && i < n; i++) {
		err = copy_file(from, list[i], inputs);
		inputs->files[i].in = from->files[list[i]].in;
		from->files[list[i]].in = (struct input){ 0 };
	}
	return err;
}

int inputs_copy(const struct inputs *from, struct inputs *inputs)
{
	int err = begin(from->app, from->n, inputs);

	for (size_t i = 0; !err && i < from->n; i++)
		err = copy_file(from, i, inputs);
	return err;
}

void inputs_clear(struct inputs *inputs)
{
	dkl_pipeline_clear(&inputs->pipeline);
	for (size_t i = 0; inputs->files && i < inputs->n; i++) {
		input_close(&inputs->files[i].in);
		free(inputs->files[i].name);
		free(inputs->files[i].lacks);
		free(inputs->files[i].accuracy);
		free(inputs->files[i].points);
	}
	collected_free(inputs->collected);
	free(inputs->files);
	*inputs = (struct inputs){ 0 };
}
