/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre timeline: all messages about one thing, of all files in order of time. */
#include "compat/lustre_log/thing.h"
#include "ctl/app/groups.h"
#include "ctl/lustre_log/lustre_log.h"

struct view {
	struct lustre *lustre;
	struct thing thing;
	struct sink sink;
};

static int learn(void *data, const struct log_line *line)
{
	return dkl_thing_learn(data, line);
}

static int put_line(void *data, const struct log_line *line)
{
	struct view *view = data;

	return dkl_thing_is_in(&view->thing, line) ? dkl_sink_add(&view->sink, line->record) : 0;
}

static int put_gap(void *data, uint32_t host, const struct dkt_record *gap)
{
	struct view *view = data;

	(void)host;
	return dkl_sink_add(&view->sink, gap);
}

static int print(struct view *view)
{
	const struct app *app = view->lustre->app;
	const struct print_options *given = OPT(app, print);
	const struct lustre_sink sink = { .line = put_line, .gap = put_gap, .data = view };
	struct outfile file = OUTFILE_INIT;
	struct sink_opts opts = { .raw_text = given->raw_text };
	int err = dkl_style_find(given->json ? "json" : given->csv ? "csv" : "legacy", &opts.style);

	if (!err)
		err = dkl_sink_open_file(app->ctx, &opts, NULL, &file);
	if (!err)
		err = dkl_sink_open(&view->sink, &opts, &view->lustre->in.pipeline, &file);
	if (!err)
		err = dkl_sink_begin(&view->sink);
	if (!err)
		err = lustre_each(view->lustre, &sink);
	if (!err)
		err = dkl_sink_finish(&view->sink);
	dkl_outfile_close(&file);
	if (!err && !view->sink.records)
		app_say("no message is about %s", view->thing.text);
	return view->sink.out.closed ? EXIT_PIPE : err;
}

int lustre_print_about(struct lustre *lustre, const char *word)
{
	struct view view = { .lustre = lustre };
	const struct lustre_sink first = { .line = learn, .data = &view.thing };
	int err = dkl_thing_read(&view.thing, word);

	if (err == -EINVAL)
		err = app_usage("lustre timeline: the word is empty");
	/* The lines of a thread before the first one that has its name belong to it, too. */
	if (!err && view.thing.kind == THING_WORD)
		err = lustre_look_ahead(lustre, &first);
	if (!err)
		err = print(&view);
	dkl_sink_close(&view.sink);
	dkl_thing_clear(&view.thing);
	return err;
}

int lustre_timeline(struct lustre *lustre)
{
	return lustre_print_about(lustre, lustre->word);
}
