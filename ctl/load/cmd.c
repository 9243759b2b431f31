/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* load: loads recordings into ClickHouse. */
#include "ctl/load/load.h"

#include <inttypes.h>
#include <unistd.h>

#include "answers/load/load.h"
#include "ctl/app/commands.h"
#include "ctl/input/inputs.h"
#include "fleet/collect/collection.h"
#include "lib/base/buf.h"
#include "lib/base/keymap.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/inside.h"

OPT_VALUES(load);

OPT_TABLE(server,
	{ "ca", 0, "FILE", AT(load, ca), "trust the certificates in FILE, in place of those of the system" },
	{ "layout", 0, "LAYOUT", AT(load, layout), "create tables as single (default), recent, replicated or distributed, or by the statements in the file LAYOUT" },
);

OPT_TABLE(load,
	{ "compression", 0, "NAME", AT(load, compression), "send the rows compressed with zlib, or none (default zlib; none to a server on this machine)", .words = value_compressions },
	{ "clickhouse", 0, "URL", AT(load, clickhouse), "load into the server http[s]://[USER@]HOST:8123/DATABASE", .check = value_server },
	{ "dry-run", 0, NULL, AT(load, dry_run), "print the statements that create tables and views; load nothing" },
	{ "reconnect", 0, "TIME", AT(load, reconnect), "try for TIME to reach the server again after an error (default 60s)" },
	{ "timeout", 0, "TIME", AT(load, server_timeout), "take it for an error if the server does not answer within TIME (default 5m)" },
);

/* Seconds to try again after an error of the server. */
#define PATIENCE 60.0

/* Seconds for an answer: the server writes a block meanwhile. */
#define LIMIT 300.0

struct taking {
	struct load *load;
	const struct pipeline *pipeline;
};

static int take(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	const struct taking *taking = data;
	const struct pipeline_part *part = pipeline_part(taking->pipeline, record);

	return load_add(taking->load, (size_t)(part - taking->pipeline->parts), source, record);
}

static void say(void *data, const char *statement)
{
	(void)data;
	printf("%s;\n", statement);
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

static void print_sum(const struct load_sum *sum)
{
	if (sum->whole == sum->files)
		printf("%" PRIu64 " %s, loaded before.\n", sum->files,
		       plural(sum->files, "file", "files"));
	else
		printf("%" PRIu64 " %s, %" PRIu64 " loaded before: %" PRIu64
		       " rows loaded, %" PRIu64 " were there.\n",
		       sum->files, plural(sum->files, "file", "files"), sum->whole, sum->rows,
		       sum->there);
}

static bool is_of(const struct collection_host *host, const char *name)
{
	return host->file && !strcmp(host->file, name);
}

/* Gets the number of a file from the description beside it. Returns false if that has no number. */
static bool number_beside(const struct app *app, const char *path, uint64_t *number)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *about __cleanup(free) = dkt__format("%.*s" COLLECTION_NAME, (int)(name - path), path);
	struct collection collection = { 0 };
	bool found = false;

	/* The file can be read without the description. */
	if (about && access(about, F_OK) == 0 && collection_read(app->ctx, about, &collection))
		free(dkt__error_take(app->ctx));
	for (size_t i = 0; !found && i < collection.n; i++)
		found = is_of(&collection.hosts[i], name) &&
			collection_load(&collection.hosts[i], number);
	collection_clear(&collection);
	return found;
}

/* Sets the number of each part. Several parts can be of one path: the boots of a directory of segments. */
static int digest_all(const struct inputs *in, struct load_source *sources)
{
	int err = 0;

	for (size_t i = 0; !err && i < in->n; i++) {
		sources[i].path = in->files[i].path;
		if (in->files[i].about ? collection_load(in->files[i].about, &sources[i].id) :
					 number_beside(in->app, sources[i].path, &sources[i].id))
			continue;
		for (size_t j = 0; j < i; j++)
			if (!strcmp(sources[j].path, sources[i].path))
				sources[i].id = dkt__mix(sources[j].id, 1);
		if (!sources[i].id)
			err = load_digest(in->app, sources[i].path, &sources[i].id);
	}
	return err;
}

static int load_all(struct app *app, struct inputs *in, struct load_opts *opts, bool rest)
{
	struct load_source *sources __cleanup(free) = calloc(in->n + 1, sizeof(*sources));
	struct load_sum sum = { 0 };
	struct taking taking = { .pipeline = &in->pipeline };
	struct load *load = NULL;
	int err = sources ? digest_all(in, sources) : dkt__no_memory(app->ctx);

	opts->sources = sources;
	if (!err)
		err = load_new(&in->pipeline, opts, &load);
	taking.load = load;
	if (!err && !load_is_done(load))
		err = inputs_each(in, take, &taking);
	if (!err && dkt__stopped())
		err = dkt_fail(app->ctx, -EINTR,
			       "load: interrupted; load the files again to go on");
	if (!err)
		err = load_finish(load, &sum);
	load_free(load);
	if (!err && !opts->say && !(rest && sum.whole == sum.files))
		print_sum(&sum);
	return err;
}

int load_read_opts(struct app *app, struct load_opts *opts)
{
	int rc;

	*opts = (struct load_opts){ .url = OPT(app, load)->clickhouse,
				    .ca = OPT(app, load)->ca,
				    .layout = OPT(app, load)->layout,
				    .patience = PATIENCE,
				    .limit = LIMIT,
				    .say = OPT(app, load)->dry_run ? say : NULL };
	if (OPT(app, load)->compression) {
		opts->compress = !strcmp(OPT(app, load)->compression, "zlib");
		opts->plain = !strcmp(OPT(app, load)->compression, "none");
		if (!opts->compress && !opts->plain)
			return app_usage("load: --compression is zlib or none");
	}
	rc = opt_seconds("timeout", OPT(app, load)->server_timeout, &opts->limit);
	if (rc || !OPT(app, load)->reconnect || strcmp(OPT(app, load)->reconnect, "0") != 0)
		return rc ?: opt_seconds("reconnect", OPT(app, load)->reconnect, &opts->patience);
	opts->patience = 0;
	return 0;
}

static int refuse_pipes(const struct inputs *in)
{
	int err = 0;

	for (size_t i = 0; !err && i < in->n; i++)
		err = load_refuse_pipe(in->app, in->files[i].path);
	return err;
}

/* rest: what an earlier load has left. */
static int load_files(struct app *app, char **paths, size_t n, bool rest)
{
	struct load_opts opts;
	struct record_args args = { 0 };
	struct inputs in = { 0 };
	int rc = load_read_opts(app, &opts);

	if (rc)
		return rc;
	dkt__stop_on_end();
	rc = record_args_read(app, &args);
	if (!rc)
		rc = inputs_new(app, paths, n, &in);
	if (!rc && (refuse_pipes(&in) || inputs_open_quietly(&in, &args) ||
		    load_all(app, &in, &opts, rest)))
		rc = app_fail(app);
	if (!rc)
		rc = inputs_report_losses(&in);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}

int load_rest(struct app *app, const char *dir)
{
	return load_files(app, (char **)&dir, 1, true);
}

int cmd_load(struct app *app, int argc, char **argv)
{
	if (!OPT(app, load)->clickhouse && !OPT(app, load)->dry_run)
		return app_usage("load: give the server: --clickhouse http://HOST:8123/DATABASE");
	return load_files(app, argv + 1, (size_t)argc - 1, false);
}
