/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tool's styles as styles of libdktrace-lustre. */
#include "compat/lustre/style.h"
#include "compat/liblustre/map.h"

#include "lib/base/opts.h"
#include "lib/inside.h"

static int lustre_begin(void *data, struct dkt_buf *buf)
{
	return dkl_style_begin(data, buf);
}

static int lustre_record(void *data, const struct dkt_record *record, const char *comm,
			 struct dkt_buf *buf)
{
	return dkl_style_record(data, record, comm, buf);
}

static int lustre_flush(void *data, struct dkt_buf *buf)
{
	return dkl_style_flush(data, buf);
}

static int lustre_end(void *data, struct dkt_buf *buf)
{
	return dkl_style_end(data, buf);
}

static void lustre_close(void *data)
{
	dkl_style_free(data);
}

int dkt_lustre_style_new(struct dkt_lustre_map *map, const char *name,
			 const struct dkt_style_opts *opts, struct dkt_style **out)
{
	DKT_OPTS(dkt__style_calls, calls, .begin = lustre_begin, .record = lustre_record,
		 .flush = lustre_flush, .end = lustre_end, .close = lustre_close);
	struct dkt_style_opts mine;
	struct style *style;
	int err = dkt__opts_take(map->ctx, dkt_style_opts, &mine, opts);

	*out = NULL;
	if (!err)
		err = dkl_style_new(map->ctx, map->classes, NULL, name, &mine, &style);
	return err ? err : dkt__style_make(map->ctx, &calls, style, out);
}
