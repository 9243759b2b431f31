/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre: answers questions from Lustre's debug logs. */
#include "compat/lustre_log/leaks.h"
#include "compat/lustre_log/rpc_text.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/lustre_log/lustre_log.h"

OPT_OWN(lustre,
	{ "keys", 'k', "FIELD", AT(lustre, keys), "rpc: group by one or two of opcode (default), nid, job, thread, client; or none", .words = lustre_rpc_groups },
	{ "slowest", 0, "N", AT(lustre, slowest), "show the N slowest and the N oldest that did not end (default 5)" },
	{ "sort", 0, "COLUMN", AT(lustre, sort), "sort by COLUMN[.ascending]" },
	{ "xid", 0, "NUMBER", AT(lustre, xid), "rpc: print every message about the request NUMBER" },
	{ .name = "by", .now = "keys" },
	{ .name = "group-by", .now = "keys" },
);

const struct lustre_analysis lustre_analyses[] = {
	/* clang-format off */
	{ "rpc",       "how long RPCs take, which are slow, which did not end", "rpctrace", false, dkl_rpc_text_wanted, lustre_rpc },
	{ "locks",     "how long locks wait, for whom, and how long callbacks take", "dlmtrace", false, lustre_locks_wanted, lustre_locks },
	{ "evictions", "the story before each eviction, timeout and reconnect", "dlmtrace+rpctrace+ha", false, NULL, lustre_evictions },
	{ "leaks",     "memory that was allocated and not freed, by source line", "malloc", false, dkl_malloc_text_wanted, lustre_leaks },
	{ "messages",  "the source lines that filled the log", NULL, false, NULL, lustre_messages },
	{ "masks",     "what the log lacks for the other analyses", NULL, false, NULL, lustre_masks },
	{ "timeline",  "all messages about a FID, a NID, an XID, a thread or a word", NULL, true, NULL, lustre_timeline },
	/* clang-format on */
	{ .name = NULL },
};

static int list(struct app *app)
{
	static const struct column columns[] = {
		{ .key = "analysis" },
		{ .key = "needs", .heading = "NEEDS DEBUG=+", .none = "-" },
		{ .key = "description", .flags = COL_FOLD },
	};
	struct rows *rows = rows_new("analyses", columns, ARRAY_SIZE(columns));

	for (const struct lustre_analysis *row = lustre_analyses; row->name; row++)
		rows_add(rows, val_text(row->name), val_text(row->missing), val_text(row->words));
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
		rc = run(&lustre, analysis);
	lustre_close(&lustre);
	return rc;
}
