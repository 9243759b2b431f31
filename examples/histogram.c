/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the records of an event in a recording by fields: histogram FILE SYSTEM:EVENT KEY[,KEY...]
 * Build: cc histogram.c $(pkg-config --cflags --libs libdktrace)
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <dktrace/dktrace.h>

/* The source skips the records of other events without decoding them. */
static bool is_wanted(void *data, struct dkt_event *event)
{
	return event == data;
}

static int count(struct dkt_source *source, struct dkt_hist *hist)
{
	struct dkt_record record;
	int next, err = 0;

	while (!err && (next = dkt_source_next(source, &record)) != DKT_NEXT_END)
		err = next < 0 ? next : dkt_hist_add(hist, source, &record);
	return err;
}

static int print(struct dkt_hist *hist)
{
	const struct dkt_table_info *info;
	struct dkt_table *table = NULL;
	struct dkt_buf *buf = NULL;
	size_t row, column, len = 0;
	const char *text;
	int err = dkt_hist_read(hist, NULL, &table);

	if (!err)
		err = dkt_table_sort(table, NULL);
	if (!err)
		err = dkt_buf_new(&buf);
	info = err ? NULL : dkt_table_info(table);
	for (row = 0; info && row < info->n_rows; row++)
		for (column = 0; column < info->n_columns; column++) {
			dkt_table_text(table, row, column, buf);
			dkt_buf_str(buf, column + 1 < info->n_columns ? "\t" : "\n");
		}
	text = buf ? dkt_buf_data(buf, &len) : NULL;
	if (len)
		fwrite(text, 1, len, stdout);
	if (!err)
		err = dkt_buf_error(buf);
	dkt_buf_free(buf);
	dkt_table_free(table);
	return err;
}

int main(int argc, char **argv)
{
	DKT_OPTS(dkt_hist_opts, opts, .keys = argc > 3 ? argv[3] : NULL);
	struct dkt_source *source = NULL;
	struct dkt_event *event = NULL;
	struct dkt_hist *hist = NULL;
	struct dkt_ctx *ctx;
	const char *system;
	int err;

	if (argc != 4 || dkt_ctx_new(NULL, &ctx)) {
		fprintf(stderr, "usage: histogram FILE SYSTEM:EVENT KEY[,KEY...]\n");
		return 2;
	}
	/* From now on, the context has the events of the kernel that made the recording. */
	err = dkt_source_open(ctx, argv[1], NULL, &source);
	system = strsep(&argv[2], ":");
	if (!err)
		event = dkt_event_find(ctx, system, argv[2] ? argv[2] : "");
	if (!err && !event)
		err = -ENOENT;
	if (!err)
		err = dkt_source_select(source, is_wanted, event);
	if (err == -EOPNOTSUPP) /* dkt_hist_add() skips the others, if the source cannot. */
		err = 0;
	if (!err)
		err = dkt_hist_new(ctx, &opts, &hist);
	if (!err)
		err = dkt_hist_event(hist, event);
	if (!err)
		err = count(source, hist);
	if (!err)
		err = print(hist);
	if (err)
		fprintf(stderr, "histogram: %s\n", dkt_error(ctx));
	else if (dkt_source_info(source)->damage)
		fprintf(stderr, "histogram: %s\n", dkt_source_info(source)->damage);
	dkt_hist_free(hist);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return err ? 1 : 0;
}
