/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge: files of one host or of several as one, in order of time. */
#include <errno.h>
#include <stdlib.h>

#include "input/inputs.h"
#include "input/sink.h"

struct merging {
	struct app *app;
	struct inputs in;
	struct dkt_ctx **ctxs; /* by stream */
	struct sink sink;
};

static int open_all(struct merging *m, struct report_args *args)
{
	struct inputs *in = &m->in;
	int err = 0;

	/* The window is one of the first file's clock. */
	args->several = true;
	for (size_t i = 0; !err && i < in->n; i++)
		err = input_open_picked(m->app, in->files[i].path, args, &in->files[i].in);
	if (!err)
		err = inputs_check_events(in, &args->selection);
	for (size_t i = 1; !err && i < in->n; i++) {
		err = inputs_relate(in, i, 0);
		if (!err)
			inputs_tell_offset(in, i, 0);
	}
	if (!err)
		err = inputs_name(in);
	if (!err)
		err = inputs_join(in);
	m->ctxs = err ? NULL : calloc(in->n_streams, sizeof(*m->ctxs));
	if (!err && !m->ctxs)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < in->n_streams; i++)
		m->ctxs[i] = in->files[in->file_of[i]].in.ctx;
	return err ? err : inputs_seek(in, args);
}

static int merge_records(struct merging *m)
{
	struct dkt_source *source = m->in.source;
	struct progress progress;
	struct dkt_record record;
	int err, more = 0;

	progress_source(&progress, source);
	while (!more && !(err = progress_next(&progress, source, &record))) {
		if (input_wants(&m->in.files[m->in.file_of[record.stream]].in, source, &record))
			more = sink_add(&m->sink, &record);
	}
	progress_end(&progress);
	if (more)
		return more;
	return err < 0 ? inputs_fail(&m->in, err) : sink_finish(&m->sink);
}

static int merge_files(struct merging *m, struct report_args *args)
{
	int err = open_all(m, args);

	if (!err)
		err = sink_open(&m->sink, m->in.source, m->ctxs, m->in.n_streams, m->app->output);
	for (size_t i = 0; !err && i < m->in.n; i++)
		err = outfile_check_input(&m->sink.file, m->in.files[i].path);
	return err ? err : merge_records(m);
}

int cmd_merge(struct app *app, int argc, char **argv)
{
	struct merging m = { .app = app };
	struct report_args args = { 0 };
	int one, rc;

	if (!app->output)
		return app_usage("merge: needs --output");
	rc = sink_format(app, app->output, &m.sink);
	if (!rc)
		rc = inputs_new(app, argv + 1, (size_t)argc - 1, &m.in);
	if (!rc)
		rc = report_args_read(app, &args);
	if (!rc && merge_files(&m, &args))
		rc = sink_fail(&m.sink);
	else if (!rc)
		for (size_t i = 0; i < m.in.n; i++) {
			one = input_tell(&m.in.files[i].in, false);
			rc = one == EXIT_FAILED || !rc ? one : rc;
		}
	if (!rc && m.sink.gaps)
		rc = EXIT_LOST;
	sink_close(&m.sink);
	inputs_clear(&m.in);
	free(m.ctxs);
	report_args_clear(&args);
	return rc;
}
