/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre: answers questions from Lustre's debug logs. */
#include "compat/lustre_log/leaks.h"
#include "compat/lustre_log/rpc_text.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/lustre_log/lustre_log.h"

OPT_OWN(lustre,
	{ "file", 0, "FILE", AT(lustre, file), "path: only calls on this file, a name or a FID in brackets" },
	{ "job", 0, "JOB", AT(lustre, job), "path: only this job" },
	{ "keys", 'k', "FIELD", AT(lustre, keys), "group rpc by one or two of opcode (default), nid, job, thread, client, user, target; path by opcode, call, job, client or target; or none", .words = lustre_groups },
	{ "opcode", 0, "NAME", AT(lustre, opcode), "path: only calls of which a request with this opcode took longest" },
	{ "slowest", 0, "N", AT(lustre, slowest), "show the N slowest and the N oldest that did not end (default 5)" },
	{ "sort", 0, "COLUMN", AT(lustre, sort), "sort by COLUMN[.ascending]" },
	{ "xid", 0, "NUMBER", AT(lustre, xid), "rpc: print every message about the request NUMBER" },
	{ .name = "by", .now = "keys" },
	{ .name = "group-by", .now = "keys" },
);

const char *const lustre_groups[] = { "opcode", "nid",    "job",  "thread", "client",
				      "user",   "target", "call", "none",   NULL };

const struct lustre_analysis lustre_analyses[] = {
	/* clang-format off */
	{ "rpc",       "how long RPCs take, which are slow, which did not end", "rpc --keys job oss1.dk", "rpctrace", .wants = dkl_rpc_text_wanted, .run = lustre_rpc },
	{ "path",      "where calls and their requests spend their time", "path --slowest 3 client.dk mds1.dk", "vfstrace+rpctrace+dlmtrace", .run = lustre_path },
	{ "locks",     "how long locks wait, for whom, and how long callbacks take", "locks oss1.dk client.dk", "dlmtrace", .wants = lustre_locks_wanted, .run = lustre_locks },
	{ "evictions", "the story before each eviction, timeout and reconnect", "evictions mds1.dk client.dk", "dlmtrace+rpctrace+ha", .run = lustre_evictions },
	{ "threads",   "for which lock, reply, disk or journal each thread waits", "threads oss1.dk client.dk", "rpctrace+dlmtrace", .run = lustre_threads },
	{ "leaks",     "memory that was allocated and not freed, by source line", "leaks oss1.dk", "malloc", .wants = dkl_malloc_text_wanted, .run = lustre_leaks },
	{ "messages",  "the source lines that filled the log", "messages oss1.dk", NULL, .run = lustre_messages },
	{ "masks",     "what the log lacks for the other analyses", "masks oss1.dk", NULL, .run = lustre_masks },
	{ "timeline",  "all messages about a FID, a NID, an XID, a thread or a word", "timeline ll_ost00_001 oss1.dk", NULL, .word = true, .run = lustre_timeline },
	{ "params",    "what fills space, grants and caches, from saved parameters", "params oss1.params", NULL, .no_log = true, .run = lustre_params },
	/* clang-format on */
	{ .name = NULL },
};

static int list(struct app *app)
{
	static const struct column columns[] = {
		{ .key = "analysis" },
		{ .key = "needs", .heading = "NEEDS DEBUG=+", .none = "-", .flags = COL_SPARE },
		{ .key = "description", .flags = COL_FOLD },
		{ .key = "example", .heading = "EXAMPLE: dktrace lustre" },
	};
	struct rows *rows = rows_new("analyses", columns, ARRAY_SIZE(columns));

	for (const struct lustre_analysis *row = lustre_analyses; row->name; row++)
		rows_add(rows, val_text(row->name), val_text(row->missing), val_text(row->words),
			 val_text(row->example));
	return print_rows(app, 0, rows, NULL);
}

static int open_and_run(struct lustre *lustre, const struct lustre_analysis *analysis)
{
	int err = lustre_open(lustre, analysis->word);

	return err ? err : analysis->run(lustre);
}

/* An analysis prints after the last record. It is run again if the file was not in order of time. */
static int run(struct lustre *lustre, const struct lustre_analysis *analysis)
{
	int err;

	lustre->args.wants.at_once = lustre->n_files == 1 && !analysis->word &&
				     !OPT(lustre->app, lustre)->xid;
	err = open_and_run(lustre, analysis);
	if (err == LOG_NO_ORDER && lustre->args.wants.at_once) {
		lustre_close_files(lustre);
		lustre->args.wants.at_once = false;
		err = open_and_run(lustre, analysis);
	}
	if (err > 0)
		return err;
	if (err) {
		dkl_pipeline_fail(&lustre->in.pipeline, err);
		return app_fail(lustre->app);
	}
	return inputs_report_losses(&lustre->in);
}

static int run_without_log(struct lustre *lustre, const struct lustre_analysis *analysis)
{
	return analysis->run(lustre) ? app_fail(lustre->app) : 0;
}

static int read_options(struct lustre *lustre)
{
	struct app *app = lustre->app;
	int rc = opt_number("slowest", OPT(app, lustre)->slowest, &lustre->slowest);

	if (!rc)
		rc = opt_number("top", OPT(app, print)->top, &lustre->top);
	return rc ? rc : record_args_read(app, &lustre->args);
}

int cmd_lustre(struct app *app, int argc, char **argv)
{
	struct lustre lustre = { .app = app, .slowest = 5 };
	const struct lustre_analysis *analysis;
	int nr, rc, first = 2;

	if (argc < 2)
		return list(app) ? app_fail(app) : 0;
	for (nr = 0; lustre_analyses[nr].name; nr++)
		;
	nr = app_find_row(app, argv[1], lustre_analyses, (size_t)nr, sizeof(*lustre_analyses));
	if (nr < 0)
		return EXIT_USAGE;
	analysis = &lustre_analyses[nr];
	if (analysis->word && argc > first)
		lustre.word = argv[first++];
	if (argc <= first)
		return app_usage("lustre %s: give %sthe files to read", analysis->name,
				 analysis->word ? "the word and " : "");
	lustre.files = argv + first;
	lustre.n_files = (size_t)(argc - first);
	rc = read_options(&lustre);
	/* --rate counts all messages, and those about one request are of any kind. */
	if (!lustre.args.selection.rate.limited && !OPT(app, lustre)->xid)
		lustre.args.wants.texts = analysis->wants;
	lustre.args.wants.epochs = true;
	if (!rc)
		rc = analysis->no_log ? run_without_log(&lustre, analysis) : run(&lustre, analysis);
	lustre_close(&lustre);
	return rc;
}
