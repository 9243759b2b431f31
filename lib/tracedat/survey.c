/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens files in succession: finds out which of them one kernel wrote in one boot, and what they say of that
 * kernel.
 */
#include "lib/base/parse.h"
#include "lib/event/catalogue.h"
#include "lib/plan/call_args.h"
#include "lib/tracedat/series.h"

/*
 * The clocks of two recordings of one boot differ from the wall clock by values that differ by less
 * than this, in ns.
 */
#define SAME_BOOT 1000000000

/* A copy of a text for the context's symbols. */
struct copy {
	struct dkt__symbol_text text;
	void *bytes;
};

struct survey {
	struct dkt__series *s;
	struct dkt__given *events; /* of all files */
	size_t n;
	uint32_t *by_id; /* an event's index in events, plus 1; 0: none yet */
	struct copy kallsyms, printk, btf; /* of the last file, which knows the most modules */
	bool any; /* a file has been read */
	int err; /* of the first file that cannot be opened */
};

/* ---- files ---- */

int dkt__series_open_file(const struct dkt__series *s, struct dkt__series_file *file)
{
	int err = dkt_ctx_new(NULL, &file->ctx);
	struct dkt__file bytes;
	struct dkt__dat *dat;

	if (err)
		return err;
	err = dkt__file_open(file->ctx, file->path, file->path, 0, &bytes);
	if (err)
		return err;
	if (!dkt__reader_tracedat.is(bytes.data, bytes.size))
		return dkt_fail(file->ctx, -EINVAL, "open %s: not a trace.dat file", file->path);
	err = dkt__dat_open(file->ctx, &bytes, &s->opts, false, &dat);
	if (!err)
		file->source = &dat->streams.base;
	return err;
}

void dkt__series_close_file(struct dkt__series_file *file)
{
	dkt_source_close(file->source);
	dkt_ctx_free(file->ctx);
	file->source = NULL;
	file->ctx = NULL;
}

uint32_t dkt__series_stream(const struct dkt__series *s, const char *name)
{
	uint32_t nr = 0;

	while (nr < s->n_streams && strcmp(s->streams[nr], name) != 0)
		nr++;
	return nr;
}

/* ---- what a file says ---- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * Returns the address of the first symbol, which is that of the kernel and usually another one in each
 * boot; 0: unknown.
 */
static uint64_t base_of(const struct dkt__symbol_text *text)
{
	uint8_t *unpacked __cleanup(free) = text->codec ? malloc(text->size + 1) : NULL;
	const char *line = text->bytes;
	void *state = NULL;
	uint64_t base = 0;
	int err = 0;

	if (!text->bytes || text->size < text->skip || (text->codec && !unpacked))
		return 0;
	if (text->codec) {
		err = text->codec->decompress(&state, text->bytes, text->n, unpacked, text->size);
		text->codec->release(state);
		unpacked[text->size] = '\0';
		line = (const char *)unpacked + text->skip;
	} else if (!memchr(line, '\n', text->n)) {
		return 0;
	}
	return err || dkt__take_u64(&line, NULL, DKT__HEX, &base) ? 0 : base;
}

/* False: the kernel was at another address, so this is another boot. */
static bool same_base(const struct survey *survey, const struct dkt__symbol_text *text)
{
	const struct copy *last = &survey->kallsyms;
	struct dkt__symbol_text earlier = last->text;
	uint64_t before, now;

	if (!last->bytes || !text->bytes ||
	    (earlier.n == text->n && !memcmp(last->bytes, text->bytes, text->n)))
		return true;
	earlier.bytes = last->bytes;
	before = base_of(&earlier);
	now = base_of(text);
	return !before || !now || before == now;
}

/* True if the file is of the same kernel and boot as those before it. */
static bool fits(const struct survey *survey, const struct dkt__series_file *file)
{
	const struct dkt_source_info *all = &survey->s->base.info;
	const struct dkt_source_info *info = dkt_source_info(file->source);
	const struct dkt_ctx *ctx = survey->s->base.ctx;

	/* A file that is cut at its beginning says nothing of its kernel. */
	if (!info->host && !info->kernel && !info->clock && info->damage)
		return true;
	return same(all->host, info->host) && same(all->kernel, info->kernel) &&
	       same(all->clock, info->clock) && all->has_wall == info->has_wall &&
	       llabs(all->wall - info->wall) < SAME_BOOT &&
	       ctx->big_endian == file->ctx->big_endian && ctx->long_size == file->ctx->long_size &&
	       same(ctx->machine, file->ctx->machine) &&
	       same_base(survey, &((const struct dkt__dat *)file->source)->kallsyms);
}

static bool same_event(const struct dkt__given *given, const struct dkt_event *event)
{
	return given->len == event->format_len && !strcmp(given->system, event->system) &&
	       !memcmp(given->text, event->format, given->len);
}

/* False: an event has the number of another one. */
static bool events_fit(const struct survey *survey, const struct dkt__events *events)
{
	for (size_t i = 0; i < events->n_all; i++) {
		const struct dkt_event *event = &events->events[i];
		uint32_t nr = survey->by_id[event->id];

		if (nr && !same_event(&survey->events[nr - 1], event))
			return false;
	}
	return true;
}

static int add_event(struct survey *survey, const struct dkt_event *event)
{
	struct dkt_ctx *ctx = survey->s->base.ctx;
	int err = dkt__given_add(ctx, &survey->events, &survey->n, event->system, event->format,
				 event->format_len);

	survey->by_id[event->id] = (uint32_t)survey->n;
	return dkt__with_words(ctx, err);
}

static int add_events(struct survey *survey, const struct dkt__events *events)
{
	int err = 0;

	for (size_t i = 0; !err && i < events->n_all; i++)
		if (!survey->by_id[events->events[i].id])
			err = add_event(survey, &events->events[i]);
	return err;
}

static int add_streams(struct dkt__series *s, const struct dkt_source *source)
{
	const char *name, *copy;

	for (uint32_t i = 0; (name = dkt_source_stream(source, i)); i++) {
		if (dkt__series_stream(s, name) < s->n_streams)
			continue;
		copy = dkt__ctx_strndup(s->base.ctx, name, strlen(name));
		if (!copy || dkt__append(s->streams, s->n_streams, copy))
			return dkt__no_memory(s->base.ctx);
	}
	return 0;
}

/* Files of one boot have equal symbols but for modules: most are not copied again. */
static int copy_text(struct dkt_ctx *ctx, struct copy *copy, const struct dkt__symbol_text *text)
{
	void *bytes;

	if (!text->bytes ||
	    (copy->bytes && copy->text.n == text->n && !memcmp(copy->bytes, text->bytes, text->n)))
		return 0;
	bytes = malloc(text->n + 1);
	if (!bytes)
		return dkt__no_memory(ctx);
	memcpy(bytes, text->bytes, text->n);
	free(copy->bytes);
	*copy = (struct copy){ .text = *text, .bytes = bytes };
	return 0;
}

static int copy_string(struct dkt_ctx *ctx, const char *text, const char **copy)
{
	*copy = text ? dkt__ctx_strndup(ctx, text, strlen(text)) : NULL;
	return text && !*copy ? dkt__no_memory(ctx) : 0;
}

/* The first file tells the kernel. */
static int begin(struct survey *survey, const struct dkt__series_file *file)
{
	struct dkt_ctx *ctx = survey->s->base.ctx;
	const struct dkt_source_info *its = dkt_source_info(file->source);
	struct dkt_source_info *info = &survey->s->base.info;
	int err;

	ctx->big_endian = file->ctx->big_endian;
	ctx->long_size = file->ctx->long_size;
	*info = (struct dkt_source_info){ .sz = sizeof(*info),
					  .has_wall = its->has_wall,
					  .wall = its->wall };
	err = dkt__ctx_machine(ctx, file->ctx->machine);
	if (!err)
		err = copy_string(ctx, its->kind, &info->kind);
	if (!err)
		err = copy_string(ctx, its->host, &info->host);
	if (!err)
		err = copy_string(ctx, its->kernel, &info->kernel);
	if (!err)
		err = copy_string(ctx, its->clock, &info->clock);
	survey->any = true;
	return err;
}

/* ---- all files ---- */

/* Before a record is read, the losses are those that the kernel has counted. */
static int add_told(struct dkt__series *s, struct dkt_source *source)
{
	struct dkt_loss loss;
	uint64_t *sum;

	for (int cpu = 0; cpu < dkt_source_info(source)->cpus; cpu++) {
		sum = dkt__reach(s->told, s->n_told, (size_t)cpu);
		if (!sum)
			return dkt__no_memory(s->base.ctx);
		if (!dkt_source_get_loss(source, cpu, &loss, sizeof(loss)))
			*sum += loss.lost;
	}
	return 0;
}

static int add_missed(struct dkt__series *s, const struct dkt_source *source)
{
	const struct dkt__missed *missed = dkt__source_missed(source);
	int err = 0;

	for (; !err && missed; missed = missed->next)
		err = dkt__source_add_missed(&s->base, missed->probe, missed->n);
	return err;
}

static int add_disks(struct dkt__series *s, const struct dkt_source *source)
{
	const struct dkt__disks *disks = dkt__source_disks(source, 0);

	return disks ? dkt__with_words(s->base.ctx, dkt__disks_join(&s->disks, disks)) : 0;
}

static int add_facts(struct survey *survey, struct dkt__series_file *file)
{
	const struct dkt__dat *dat = (const struct dkt__dat *)file->source;
	const struct dkt_source_info *its = dkt_source_info(file->source);
	struct dkt__series *s = survey->s;
	uint64_t done, of;
	int err = add_events(survey, file->ctx->events);

	if (!err)
		err = add_streams(s, file->source);
	if (!err)
		err = copy_text(s->base.ctx, &survey->kallsyms, &dat->kallsyms);
	if (!err)
		err = copy_text(s->base.ctx, &survey->printk, &dat->printk);
	if (!err)
		err = copy_text(s->base.ctx, &survey->btf, &dat->btf);
	if (!err)
		err = add_told(s, file->source);
	if (!err)
		err = add_missed(s, file->source);
	if (!err)
		err = add_disks(s, file->source);
	if (err)
		return err;
	s->base.info.cpus = DKT__MAX(s->base.info.cpus, its->cpus);
	s->base.info.growing |= its->growing;
	if (s->id && its->id && s->id != its->id)
		file->after_pause = true;
	s->id = its->id ? its->id : s->id;
	if (!dkt__source_get_bytes(file->source, &done, &of))
		s->bytes += of;
	/* A file that fails here fails again when it is read. */
	if (!dkt_source_next(file->source, &file->next))
		file->least = file->next.ts;
	return 0;
}

static int leave_out(struct survey *survey, struct dkt__series_file *file, int err)
{
	struct dkt__series *s = survey->s;
	const char *words = file->ctx && *dkt_error(file->ctx) ? dkt_error(file->ctx) :
								 strerror(-err);

	if (err == -ENOMEM)
		return dkt__no_memory(s->base.ctx);
	if (!survey->err)
		survey->err = dkt_fail(s->base.ctx, err, "%s", words);
	/* The writer has just begun the last one. */
	file->empty = err == -ENODATA && file == &s->files[s->n - 1];
	file->bad = !file->empty;
	if (file->bad)
		dkt__series_damage(s, NULL, words);
	return 0;
}

/* Returns 1 if the file is not of this series. */
static int look_at(struct survey *survey, struct dkt__series_file *file)
{
	int err = dkt__series_open_file(survey->s, file);

	file->least = UINT64_MAX;
	if (err)
		return leave_out(survey, file, err);
	if (!survey->any)
		err = begin(survey, file);
	else if (!fits(survey, file) || !events_fit(survey, file->ctx->events))
		return 1;
	return err ? err : add_facts(survey, file);
}

/*
 * A CPU's records may be written later than newer ones of other CPUs, but not by a whole file. A file
 * whose times are damaged must not have all files before it opened at once.
 */
static void find_least(struct dkt__series *s)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->files[i].least == UINT64_MAX && i + 1 < s->n)
			s->files[i].least = s->files[i + 1].least;
	for (size_t i = 0; i + 1 < s->n; i++)
		s->files[i].least = DKT__MIN(s->files[i].least, s->files[i + 1].least);
}

/* Returns the text with bytes that live as long as the context. */
static int keep_text(struct dkt_ctx *ctx, struct copy *copy)
{
	copy->text.bytes = copy->bytes ? dkt__ctx_strndup(ctx, copy->bytes, copy->text.n) : NULL;
	return copy->bytes && !copy->text.bytes ? dkt__no_memory(ctx) : 0;
}

/* Gives the context what the files say. */
static int give(struct survey *survey)
{
	struct dkt_ctx *ctx = survey->s->base.ctx;
	int err = dkt__events_given(ctx, survey->events, survey->n);

	if (!err)
		err = keep_text(ctx, &survey->kallsyms);
	if (!err)
		err = keep_text(ctx, &survey->printk);
	if (!err)
		err = keep_text(ctx, &survey->btf);
	if (!err)
		err = dkt__symbols_given(ctx, &survey->kallsyms.text, &survey->printk.text);
	return err ? err : dkt__call_args_given(ctx, &survey->btf.text);
}

static int look_at_all(struct survey *survey)
{
	struct dkt__series *s = survey->s;
	int err = 0;

	for (size_t i = 0; !err && i < s->n; i++) {
		err = look_at(survey, &s->files[i]);
		dkt__series_close_file(&s->files[i]);
		if (err == 1)
			dkt__series_cut(s, i);
	}
	if (err < 0)
		return err;
	if (!survey->any)
		return survey->err;
	s->base.info.damage = s->damage;
	find_least(s);
	return give(survey);
}

/*
 * Opens each file for a moment: the context gets the events and symbols of all, and the source the
 * facts. s->n becomes the number of files that are of one kernel and boot.
 */
static int survey_files(struct dkt__series *s)
{
	struct survey survey = { .s = s, .by_id = calloc(MAX_ID, sizeof(*survey.by_id)) };
	int err = survey.by_id ? look_at_all(&survey) : dkt__no_memory(s->base.ctx);

	free(survey.events);
	free(survey.by_id);
	free(survey.kallsyms.bytes);
	free(survey.printk.bytes);
	free(survey.btf.bytes);
	return err;
}

/* ---- the call ---- */

static int take_files(struct dkt__series *s, const struct dkt__series_item *files, size_t n)
{
	struct dkt_ctx *ctx = s->base.ctx;
	struct dkt__series_item file;
	int err = 0;

	s->files = calloc(n + 1, sizeof(*s->files));
	if (!s->files)
		return dkt__no_memory(ctx);
	for (size_t i = 0; !err && i < n; i++) {
		const struct dkt__series_item *its =
			(const void *)((const char *)files + i * files->sz);
		struct dkt__series_file *to = &s->files[s->n];
		const char *slash;

		if (its->sz != files->sz)
			return dkt_fail(ctx, -EINVAL, "the files of a series differ in sz");
		err = dkt__opts_take(ctx, dkt__series_item, &file, its);
		if (err)
			break;
		if (!file.path)
			return dkt_fail(ctx, -EINVAL, "a file of a series has no path");
		to->path = strdup(file.path);
		if (!to->path)
			return dkt__no_memory(ctx);
		s->n++;
		slash = strrchr(to->path, '/');
		to->name = slash ? slash + 1 : to->path;
		to->after_gap = file.after_gap;
		to->after_pause = file.after_pause;
	}
	return err;
}

static int open_series(struct dkt__series *s, const struct dkt__series_item *files, size_t n,
		       const struct dkt_source_opts *opts, size_t *taken)
{
	struct dkt_source_opts mine;
	int err = dkt__source_opts_take(s->base.ctx, &mine, opts);

	if (err)
		return err;
	s->opts = mine;
	/* The series seeks to the window in each file. */
	s->opts.since = s->opts.until = 0;
	err = dkt__source_opts_keep(s->base.ctx, &s->opts);
	if (!err)
		err = take_files(s, files, n);
	if (!err)
		err = survey_files(s);
	if (err)
		return err;
	*taken = s->n;
	dkt__source_times(&s->base, &mine, &s->since, &s->until);
	return 0;
}

int dkt__source_series(struct dkt_ctx *ctx, const struct dkt__series_item *files, size_t n,
		       const struct dkt_source_opts *opts, size_t *taken,
		       struct dkt_source **source)
{
	struct dkt__series *s;

	dkt__needs(ctx, dkt__clear(source) && dkt__clear(taken) && ctx && files);
	if (!n)
		return dkt_fail(ctx, -EINVAL, "a series needs a file");
	if (ctx->given || ctx->events)
		return dkt_fail(ctx, -EBUSY, "open %s: the context belongs to another kernel",
				files->path);
	s = calloc(1, sizeof(*s));
	if (!s)
		return dkt__no_memory(ctx);
	s->base = (struct dkt_source){ .ops = &dkt__series_ops, .ctx = ctx };
	s->gap_cpu = -1;
	return dkt__source_opened(&s->base, open_series(s, files, n, opts, taken), source);
}
