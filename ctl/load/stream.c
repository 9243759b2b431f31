/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads the recordings of a collection while they come. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/stat.h>

#include "ctl/input/collected.h"
#include "ctl/load/load.h"
#include "ctl/out/bar.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* How often files are looked at that have not grown, in ms. */
#define LOOK_MS 250

/* How often rows are sent, also if they are few. */
#define FLUSH_NS UINT64_C(5000000000)

/* Records of a host before it is another's turn. */
#define TURN 100000

/* A clock drifts by less than 50 ns in so many ns of its own. */
#define NEAR_NS UINT64_C(100000)

struct stream_host {
	bool joined; /* its records are loaded */
	bool ended; /* all of them are */
	bool left; /* for the end, because it cannot be read now */
	uint64_t last; /* the time that its last record got */
	uint64_t at; /* the time of its own clock for which offset was found */
	int64_t offset;
	bool placed; /* at and offset are known */
	uint64_t worst; /* how far a time could be off when it was given, at most, ns */
	char accuracy[UNIT_SIZE + 64]; /* the same in words */
};

struct stream {
	struct app *app;
	const char *dir;
	struct inputs in;
	struct record_args args;
	struct load_opts opts;
	struct pipeline pipeline;
	struct load *load;
	struct stream_host *hosts;
	size_t n; /* hosts to load */
	struct inputs_file *base; /* whose clock counts; NULL: not known yet */
	struct timespec written; /* the description that was read last */
	uint64_t flushed; /* when, ns */
	bool more; /* a host has records, but its turn is over */
};

/* ---- times ---- */

/* Relates a host to the base. False: nothing is measured yet. Wall clocks that differ would be taken for it. */
static bool relate(struct stream *s, size_t i)
{
	struct inputs_file *file = &s->in.files[i];

	if (file == s->base)
		return true;
	if (inputs_relate(&s->in, i, (size_t)(s->base - s->in.files)))
		free(dkt__error_take(s->app->ctx));
	return file->known == INPUTS_BY_ROUND_TRIPS || file->known == INPUTS_ONE_CLOCK;
}

/* Finds the offset at a time. The points before and after all measurements say nothing of the error. */
static void place(struct stream *s, size_t i, uint64_t time)
{
	const struct inputs_file *file = &s->in.files[i];
	struct stream_host *host = &s->hosts[i];
	struct dkt_clock_point at = { .offset = file == s->base ? 0 : file->offset };

	if (file != s->base && file->known == INPUTS_BY_ROUND_TRIPS)
		dkt__clock_at(file->points + 1, file->n_points - 2, time, &at);
	host->at = time;
	host->offset = at.offset;
	host->worst = DKT__MAX(host->worst, at.error);
	host->placed = true;
}

/* Converts a time to the clock of the base. */
static uint64_t convert(struct stream *s, size_t i, uint64_t time)
{
	struct stream_host *host = &s->hosts[i];

	if (!host->placed || time - host->at > NEAR_NS)
		place(s, i, time);
	/* New measurements do not set the clock back. */
	host->last = DKT__MAX(host->last, time + (uint64_t)host->offset);
	return host->last;
}

/* ---- files ---- */

/* A file that has no records yet is tried again later; one of another kind is left for the end. */
static void open_file(struct stream *s, size_t i)
{
	struct dkt_source_opts opts = s->args.source;
	struct inputs_file *file = &s->in.files[i];
	int fd __cleanup(close) = open(file->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	int rest = -1;
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	opts.flags |= DKT_SOURCE_GROWS;
	opts.name = file->path;
	err = app_new_ctx(s->app, NULL, &file->in.ctx);
	if (!err)
		err = dkt_source_pipe(file->in.ctx, fd, &opts, &rest, &file->in.source);
	dkt__closep(&rest);
	if (!err) {
		file->in.path = file->path;
		return;
	}
	dkt_ctx_free(file->in.ctx);
	file->in = (struct input){ 0 };
	s->hosts[i].left = err != -EAGAIN;
}

static bool is_failed(const struct inputs_file *file)
{
	return !strcmp(file->about->state, "failed");
}

/* The first file of the collection is the base, as for those who read it later. */
static void find_base(struct stream *s)
{
	for (size_t i = 0; !s->base && i < s->n; i++) {
		if (s->in.files[i].in.source)
			s->base = &s->in.files[i];
		else if (!s->hosts[i].left && !is_failed(&s->in.files[i]))
			return;
	}
}

static int join(struct stream *s, size_t i)
{
	struct pipeline_part *part = &s->pipeline.parts[i];

	if (!relate(s, i))
		return 0;
	part->ctx = s->in.files[i].in.ctx;
	part->source = s->in.files[i].in.source;
	s->pipeline.source = s->base->in.source;
	s->hosts[i].joined = true;
	return load_join(s->load, i);
}

/* ---- records ---- */

static int take_records(struct stream *s, size_t i)
{
	struct dkt_source *source = s->in.files[i].in.source;
	struct dkt_record record;
	int err = 0, n = 0;

	while (!err && n++ < TURN) {
		err = dkt_source_next(source, &record);
		if (err)
			break;
		record.ts = convert(s, i, record.ts);
		err = load_add(s->load, i, source, &record);
		if (err)
			return err;
	}
	s->more |= !err;
	s->hosts[i].ended = err == DKT_NEXT_END;
	/* Whoever reads the whole file says what is wrong with it. */
	s->hosts[i].left = err < 0;
	return 0;
}

static int look_at(struct stream *s, size_t i)
{
	struct stream_host *host = &s->hosts[i];
	int err = 0;

	if (!s->in.files[i].in.source)
		open_file(s, i);
	if (!s->base)
		find_base(s);
	if (!s->base || !s->in.files[i].in.source)
		return 0;
	if (!host->joined)
		err = join(s, i);
	return err || !host->joined ? err : take_records(s, i);
}

/* Reads the measurements again if there are new ones. */
static int renew(struct stream *s)
{
	char *path __cleanup(free) = collection_find(s->dir);
	struct stat st;
	int err;

	if (!path || stat(path, &st) || !memcmp(&st.st_mtim, &s->written, sizeof(s->written)))
		return 0;
	s->written = st.st_mtim;
	err = collected_renew(&s->in, s->dir);
	for (size_t i = 0; !err && i < s->n; i++)
		if (s->hosts[i].joined) {
			s->hosts[i].left |= !relate(s, i);
			s->hosts[i].placed = false;
		}
	return err;
}

static int look(struct stream *s)
{
	const uint64_t now = dkt__monotonic_ns();
	int err = renew(s);

	s->more = false;
	for (size_t i = 0; !err && i < s->n; i++)
		if (!s->hosts[i].ended && !s->hosts[i].left)
			err = look_at(s, i);
	if (!err && now - s->flushed > FLUSH_NS) {
		err = load_flush(s->load);
		s->flushed = dkt__monotonic_ns();
	}
	return err;
}

/* ---- all ---- */

static int begin(struct stream *s)
{
	struct load_source *sources;
	int err = collected_begin(s->app, s->dir, &s->in);

	if (err)
		return err;
	s->n = DKT__MIN(s->in.n, (size_t)LOAD_STREAMS);
	s->hosts = calloc(s->n + 1, sizeof(*s->hosts));
	s->opts.sources = sources = calloc(s->n + 1, sizeof(*sources));
	s->opts.joins = true;
	if (!s->hosts || !sources)
		return dkt__no_memory(s->app->ctx);
	err = dkl_pipeline_init(&s->pipeline, s->app->ctx, s->n);
	for (size_t i = 0; !err && i < s->n; i++) {
		sources[i].path = s->in.files[i].path;
		s->pipeline.parts[i].name = s->in.files[i].path;
		if (!collection_load(s->in.files[i].about, &sources[i].id))
			err = dkt_fail(s->app->ctx, -EBADMSG, "%s: a host has no number", s->dir);
	}
	s->pipeline.n = err ? 0 : s->n;
	s->flushed = dkt__monotonic_ns();
	return err ? err : load_new(&s->pipeline, &s->opts, &s->load);
}

static int finish(struct stream *s, struct load_sum *sum)
{
	for (size_t i = 0; i < s->n; i++) {
		struct pipeline_part *part = &s->pipeline.parts[i];
		struct stream_host *host = &s->hosts[i];
		char text[UNIT_SIZE];

		if (!host->ended)
			continue;
		part->offset = s->in.files[i].offset;
		if (s->in.files[i].known == INPUTS_BY_ROUND_TRIPS && &s->in.files[i] != s->base) {
			duration_text(host->worst, text);
			snprintf(host->accuracy, sizeof(host->accuracy),
				 "accurate to %s by round trips while it was recorded", text);
			part->accuracy = host->accuracy;
		}
		load_end(s->load, i, host->worst);
	}
	return load_finish(s->load, sum);
}

static int run(struct stream *s, int alive)
{
	struct pollfd writer = { .fd = alive };
	struct load_sum sum = { 0 };
	int err = begin(s), ended = 0;

	while (!err && (!ended || s->more)) {
		ended |= poll(&writer, 1, s->more ? 0 : LOOK_MS) > 0;
		err = look(s);
	}
	if (!err)
		err = finish(s, &sum);
	if (!err)
		printf("%" PRIu64 " rows were loaded while they were recorded.\n", sum.rows);
	return err;
}

static void clear(struct stream *s)
{
	load_free(s->load);
	dkl_pipeline_clear(&s->pipeline);
	inputs_clear(&s->in);
	record_args_clear(&s->args);
	free((void *)s->opts.sources);
	free(s->hosts);
}

int load_stream(struct app *app, const char *dir, int alive)
{
	struct stream s = { .app = app, .dir = dir };
	int rc = load_read_opts(app, &s.opts);

	if (!rc)
		rc = record_args_read(app, &s.args);
	if (!rc && run(&s, alive))
		rc = app_fail(app);
	clear(&s);
	return fflush(stdout) ? EXIT_FAILED : rc;
}
