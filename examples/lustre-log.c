/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the messages of some debug types in a file of Lustre's log, or in any other recording:
 * lustre-log FILE MASK [STYLE], for example lustre-log /tmp/lustre-log.1 rpctrace+dlmtrace json
 * Build: cc lustre-log.c $(pkg-config --cflags --libs libdktrace-lustre)
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <dktrace/lustre.h>

struct job {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct dkt_lustre_map *map;
	struct dkt_style *style;
	struct dkt_buf *buf;
	uint32_t mask;
};

static void write_out(struct dkt_buf *buf)
{
	size_t len;
	const char *text = dkt_buf_data(buf, &len);

	fwrite(text, 1, len, stdout);
	dkt_buf_reset(buf);
}

static int open_job(struct job *job, const char *file, const char *mask, const char *style)
{
	DKT_OPTS(dkt_style_opts, opts, .source = NULL);
	int err = dkt_lustre_mask_parse(job->ctx, DKT_LUSTRE_DEBUG, mask, 0, &job->mask);

	if (!err)
		err = dkt_lustre_source_open(job->ctx, file, NULL, &job->source);
	/* The map needs the events that the file defines. */
	if (!err)
		err = dkt_lustre_map_new(job->ctx, NULL, &job->map);
	opts.source = err ? NULL : dkt_source_info(job->source);
	if (!err)
		err = dkt_lustre_style_new(job->map, style, &opts, &job->style);
	return err ? err : dkt_buf_new(&job->buf);
}

static int print(struct job *job)
{
	struct dkt_record record;
	uint32_t types, subsystems;
	int next, err = dkt_style_begin(job->style, job->buf);

	while (!err && (next = dkt_source_next(job->source, &record)) != DKT_NEXT_END) {
		err = next < 0 ? next :
				 dkt_lustre_map_record(job->map, &record, &types, &subsystems);
		if (!err && types & job->mask)
			err = dkt_style_record(job->style, &record,
					       dkt_source_comm(job->source, &record), job->buf);
		write_out(job->buf);
	}
	if (!err)
		err = dkt_style_end(job->style, job->buf);
	write_out(job->buf);
	return err;
}

int main(int argc, char **argv)
{
	struct job job = { .ctx = NULL };
	int err;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: lustre-log FILE MASK [STYLE]\n");
		return 2;
	}
	err = dkt_ctx_new(NULL, &job.ctx);
	if (!err)
		err = open_job(&job, argv[1], argv[2], argc > 3 ? argv[3] : "legacy");
	if (!err)
		err = print(&job);
	if (err)
		fprintf(stderr, "lustre-log: %s\n",
			job.ctx && *dkt_error(job.ctx) ? dkt_error(job.ctx) : strerror(-err));
	dkt_buf_free(job.buf);
	dkt_style_free(job.style);
	dkt_lustre_map_free(job.map);
	dkt_source_close(job.source);
	dkt_ctx_free(job.ctx);
	return err ? 1 : 0;
}
