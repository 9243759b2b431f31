/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own records in dk's timeline: selected like the kernel's, in one of the styles. */
#include "dk_lustre.h"

#include <errno.h>
#include <stdlib.h>

#include "record_event.h"
#include "record_line.h"

/* Lustre does not say. */
#define COMM "<...>"

struct dk_lustre {
	const struct dk_opts *opts;
	struct dkt_expr *filter;
	struct dkt_buf *buf;
	struct dk_result *result;
	struct dkt_event *event; /* NULL: neither filter nor style ask for it */
	struct dkt_record as_event; /* of the event, if there is one */
	const uint8_t *rec; /* the next one; NULL: the end */
	uint32_t len;
	struct record_line kept;
	char line[RECORD_MAX + RECORD_LINE_EXTRA];
	uint8_t data[RECORD_EVENT_MAX];
};

static int step(struct dk_lustre *lustre)
{
	int err = record_sort_next(lustre->opts->lustre, &lustre->rec, &lustre->len);

	if (err)
		lustre->rec = NULL;
	return err == 1 ? 0 : err;
}

int dk_lustre_new(struct dkt_ctx *ctx, const struct dk_opts *opts, struct dkt_expr *filter,
		  struct dkt_buf *buf, struct dk_result *result, struct dk_lustre **out)
{
	const struct record_counts *counts = record_sort_counts(opts->lustre);
	struct dk_lustre *lustre = calloc(1, sizeof(*lustre));
	int err = 0;

	*out = NULL;
	if (!lustre)
		return -ENOMEM;
	lustre->opts = opts;
	lustre->filter = filter;
	lustre->buf = buf;
	lustre->result = result;
	result->dropped += counts->dropped;
	result->bad += counts->bad;
	if (filter || opts->style != DK_LEGACY)
		err = record_event(ctx, &lustre->event);
	if (!err)
		err = step(lustre);
	if (err) {
		dk_lustre_free(lustre);
		return err;
	}
	*out = lustre;
	return 0;
}

void dk_lustre_free(struct dk_lustre *lustre)
{
	free(lustre);
}

int dk_lustre_check(struct dk_lustre *lustre)
{
	return dkt_expr_check_match(lustre->filter, lustre->event);
}

int64_t dk_lustre_time(const struct dk_lustre *lustre)
{
	return lustre->rec ? record_time(lustre->rec) : INT64_MAX;
}

static bool selected(struct dk_lustre *lustre)
{
	const struct dk_opts *opts = lustre->opts;
	struct record_head head = record_head(lustre->rec);
	int64_t time = record_time(lustre->rec);

	if ((opts->cpu >= 0 && head.cpu != opts->cpu) ||
	    (opts->pid >= 0 && head.pid != (uint32_t)opts->pid))
		return false;
	if ((opts->since && time < opts->since) || (opts->until && time > opts->until))
		return false;
	if ((opts->types && !(head.mask & opts->types)) ||
	    (opts->subsystems && !(head.subsystem & opts->subsystems)))
		return false;
	return !lustre->filter || dkt_expr_match(lustre->filter, &lustre->as_event, COMM);
}

int dk_lustre_print(struct dk_lustre *lustre)
{
	size_t from;

	if (lustre->event)
		record_event_fill(lustre->event, lustre->rec, lustre->len, lustre->data,
				  &lustre->as_event);
	if (!selected(lustre)) {
		lustre->result->dropped++;
		return step(lustre);
	}
	dkt_buf_data(lustre->buf, &from);
	if (lustre->opts->style == DK_LEGACY) {
		char *end = record_line(&lustre->kept, lustre->rec, lustre->len, lustre->line);

		dkt_buf_add(lustre->buf, lustre->line, (size_t)(end - lustre->line));
	} else {
		dkt_style_trace(&lustre->as_event, COMM, lustre->buf);
	}
	if (lustre->opts->escape)
		dkt_buf_escape(lustre->buf, from);
	lustre->result->kept++;
	return step(lustre);
}
