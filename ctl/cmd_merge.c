/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge: files of one host or of several as one, in order of time. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "sink.h"

/* Records between two looks at the time. */
#define BATCH 4096

/* Clocks of one host that differ by less from the wall clock have been running all the time. ns. */
#define SAME_BOOT 1000000000

/* How the offset of a file is known. */
enum known {
	BY_WALL_CLOCK,
	BY_USER,
	ONE_CLOCK,
};

struct merging {
	struct app *app;
	struct input *in;
	struct dkt_merge_part *parts;
	struct dkt_ctx **ctxs;
	char **names;
	enum known *known;
	size_t n;
	struct sink sink;
	struct dkt_source *source;
};

/* ---- offsets ---- */

/* "3ms", "-1500", "2s" as ns. */
static bool read_shift(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }
	};
	char *end;
	size_t i;

	errno = 0;
	*ns = strtoll(text, &end, 10);
	for (i = 0; !errno && end != text && i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].unit))
			return !__builtin_mul_overflow(*ns, units[i].ns, ns);
	return false;
}

/* FILE=TIME,... */
static int read_offsets(struct merging *m, char **files)
{
	char *copy __cleanup(free) = m->app->offset ? strdup(m->app->offset) : NULL;
	char *word, *save = NULL;
	size_t i;

	for (word = copy ? strtok_r(copy, ",", &save) : NULL; word;
	     word = strtok_r(NULL, ",", &save)) {
		char *equals = strrchr(word, '=');

		if (equals)
			*equals = '\0';
		for (i = 0; equals && i < m->n && strcmp(files[i], word); i++)
			;
		if (!equals || i == m->n)
			return app_usage("--offset: '%s' is none of the files; FILE=TIME", word);
		if (!read_shift(equals + 1, &m->parts[i].offset))
			return app_usage("--offset: '%s' is no time such as -1500ns or 3ms",
					 equals + 1);
		m->known[i] = BY_USER;
	}
	return 0;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* What the times of a file are away from those of the first. */
static int find_offset(struct merging *m, size_t i)
{
	const struct dkt_source_info *first = dkt_source_info(m->in[0].source);
	const struct dkt_source_info *info = dkt_source_info(m->in[i].source);
	bool one_clock = same(first->host, info->host) && same(first->clock, info->clock);
	int64_t apart = info->wall - first->wall;

	if (m->known[i] == BY_USER)
		return 0;
	if (one_clock && (!first->has_wall || !info->has_wall || llabs(apart) < SAME_BOOT)) {
		m->known[i] = ONE_CLOCK;
		return 0;
	}
	if (!first->has_wall || !info->has_wall)
		return dkt_fail(
			m->app->ctx, -EINVAL,
			"%s does not know wall-clock times: give --offset %s=TIME, what is to"
			" be added to its times to get those of %s",
			first->has_wall ? m->in[i].path : m->in[0].path, m->in[i].path,
			m->in[0].path);
	m->parts[i].offset = apart;
	return 0;
}

/* Says how far the clocks are apart, and how well that is known. */
static void tell_offset(const struct merging *m, size_t i)
{
	int64_t ns = m->parts[i].offset;
	const char *sign = ns < 0 ? "-" : "+";
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	fprintf(stderr, "dktrace: %s: %s%" PRIu64 ".%09" PRIu64 " s to the clock of %s, ",
		m->in[i].path, sign, size / 1000000000, size % 1000000000, m->in[0].path);
	if (m->known[i] == BY_USER)
		fprintf(stderr, "as given\n");
	else if (m->known[i] == ONE_CLOCK)
		fprintf(stderr, "which is its own\n");
	else
		fprintf(stderr, "to 2 us and what the hosts' wall clocks differed\n");
}

/* ---- names ---- */

static bool is_taken(const struct merging *m, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(m->names[i], name))
			return true;
	return false;
}

/* The host's name, or the file's where several are of one host or it is not known. */
static int find_name(struct merging *m, size_t i)
{
	const char *host = dkt_source_info(m->in[i].source)->host, *base;
	size_t j;

	for (j = 0; host && j < m->n; j++)
		if (j != i && same(host, dkt_source_info(m->in[j].source)->host))
			host = NULL;
	base = strrchr(m->in[i].path, '/');
	base = host ? host : base && base[1] ? base + 1 : m->in[i].path;
	if (asprintf(&m->names[i], "%s", base) < 0) {
		m->names[i] = NULL;
		return -ENOMEM;
	}
	if (!is_taken(m, i, m->names[i]))
		return 0;
	free(m->names[i]);
	if (asprintf(&m->names[i], "%s.%zu", base, i + 1) < 0) {
		m->names[i] = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* ---- the whole ---- */

static int open_all(struct merging *m, const struct report_args *args, char **files)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < m->n; i++) {
		err = input_open_picked(m->app, files[i], args, &m->in[i]);
		m->parts[i].source = m->in[i].source;
		m->ctxs[i] = m->in[i].ctx;
	}
	for (i = 0; !err && i < m->n; i++) {
		err = find_offset(m, i);
		if (!err)
			err = find_name(m, i);
		m->parts[i].name = m->names[i];
		if (i && !err)
			tell_offset(m, i);
	}
	return err ? err : dkt_source_merge(m->parts, m->n, &m->source);
}

static int merge_records(struct merging *m)
{
	struct progress progress = { 0 };
	struct dkt_record record;
	uint64_t done, of;
	unsigned int n = 0;
	int err, more = 0;
	size_t i;

	if (!dkt_source_bytes(m->source, &done, &of))
		progress_begin(&progress, of);
	while (!more && !(err = dkt_source_next(m->source, &record))) {
		if (input_wants(&m->in[record.stream], &record))
			more = sink_add(&m->sink, &record);
		if (++n % BATCH == 0 && !dkt_source_bytes(m->source, &done, &of))
			progress_at(&progress, done);
	}
	progress_end(&progress);
	if (more)
		return more;
	for (i = 0; err < 0 && i < m->n; i++)
		if (*dkt_error(m->in[i].ctx))
			return input_fail(m->app, &m->in[i], err);
	return err < 0 ? err : sink_finish(&m->sink);
}

static int merge_files(struct merging *m, const struct report_args *args, char **files)
{
	size_t i;
	int err = open_all(m, args, files);

	if (!err)
		err = sink_open(&m->sink, m->source, m->ctxs, m->n, m->app->output);
	for (i = 0; !err && i < m->n; i++)
		err = outfile_check_input(&m->sink.file, files[i]);
	return err ? err : merge_records(m);
}

static void merging_clear(struct merging *m)
{
	size_t i;

	sink_close(&m->sink);
	dkt_source_close(m->source);
	for (i = 0; m->in && i < m->n; i++)
		input_close(&m->in[i]);
	for (i = 0; m->names && i < m->n; i++)
		free(m->names[i]);
	free(m->in);
	free(m->parts);
	free(m->ctxs);
	free(m->names);
	free(m->known);
}

int cmd_merge(struct app *app, int argc, char **argv)
{
	struct merging m = { .app = app, .n = (size_t)argc - 1 };
	struct report_args args = { 0 };
	size_t i;
	int one, rc;

	if (!app->output)
		return app_usage("merge: needs --output");
	rc = sink_format(app, app->output, &m.sink);
	m.in = calloc(m.n, sizeof(*m.in));
	m.parts = calloc(m.n, sizeof(*m.parts));
	m.ctxs = calloc(m.n, sizeof(*m.ctxs));
	m.names = calloc(m.n, sizeof(*m.names));
	m.known = calloc(m.n, sizeof(*m.known));
	if (!m.in || !m.parts || !m.ctxs || !m.names || !m.known)
		rc = rc ? rc : app_usage("out of memory");
	if (!rc)
		rc = read_offsets(&m, argv + 1);
	if (!rc)
		rc = report_args_read(app, &args);
	if (!args.source.buffer)
		args.source.flags = DKT_SOURCE_ALL;
	if (!rc && merge_files(&m, &args, argv + 1))
		rc = app_fail(app);
	else if (!rc)
		for (i = 0; i < m.n; i++) {
			one = input_tell(&m.in[i], false);
			rc = one == EXIT_FAILED || !rc ? one : rc;
		}
	if (!rc && m.sink.gaps)
		rc = EXIT_LOST;
	merging_clear(&m);
	report_args_clear(&args);
	return rc;
}
