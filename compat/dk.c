/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Printing the debug log: records of a capture, selected, in one of the styles. */
#include "dk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "style_legacy.h"
#include "util.h"

/* Text is written when there is so much of it. */
#define CHUNK (256 * 1024)

/* A capture that follows looks again so often, ms. */
#define POLL_MS 200

struct printer {
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	const struct dk_opts *opts;
	struct dk_result *result;
	struct dkt_capture *capture;
	struct legacy_style *legacy;
	struct dkt_expr *filter;
	struct dkt_buf *buf;
	int64_t wall; /* to add to a record's time */
	int32_t self;
	int fd;
};

void dk_result_clear(struct dk_result *result)
{
	free(result->lost_by_cpu);
	*result = (struct dk_result){ 0 };
}

/* ---- output ---- */

/* Writes out all text. Called by the capture before it forgets records. */
static int flush_text(void *data)
{
	struct printer *p = data;
	size_t len, done = 0;
	const char *text = dkt_buf_data(p->buf, &len);
	int err = dkt_buf_error(p->buf);

	while (!err && done < len) {
		ssize_t n = write(p->fd, text + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			err = -errno;
	}
	dkt_buf_reset(p->buf);
	p->result->closed = err == -EPIPE;
	return err ? dkt_fail(p->ctx, err, "write output: %s", strerror(-err)) : 0;
}

static int flush_if_full(struct printer *p)
{
	size_t len;

	dkt_buf_data(p->buf, &len);
	return len < CHUNK ? 0 : flush_text(p);
}

/* ---- selection ---- */

static bool selected(struct printer *p, const struct dkt_record *rec)
{
	const struct dk_opts *opts = p->opts;
	int64_t wall = (int64_t)rec->ts + p->wall;

	if (opts->cpu >= 0 && rec->cpu != (uint32_t)opts->cpu)
		return false;
	if ((opts->since && wall < opts->since) || (opts->until && wall > opts->until))
		return false;
	/* A gap is told whatever else is asked for: what was lost could have been it. */
	if (!rec->event)
		return true;
	if (opts->pid >= 0 && rec->pid != opts->pid)
		return false;
	if (opts->types || opts->subsystems || opts->hidden_types || opts->hidden_subsystems) {
		struct class_bits bits = legacy_style_bits(p->legacy, rec);

		if (mask_hides(opts->hidden_types, bits.types) ||
		    mask_hides(opts->hidden_subsystems, bits.subsystems))
			return false;
		if ((opts->types && !(bits.types & opts->types)) ||
		    (opts->subsystems && !(bits.subsystems & opts->subsystems)))
			return false;
	}
	return !p->filter || dkt_expr_match(p->filter, rec, dkt_capture_comm(p->capture, rec->pid));
}

static void print_record(struct printer *p, const struct dkt_record *rec)
{
	size_t from;

	if (p->opts->skip_self && rec->event && rec->pid == p->self) {
		p->result->own++;
		return;
	}
	if (!selected(p, rec)) {
		p->result->dropped += rec->event != NULL;
		return;
	}
	dkt_buf_data(p->buf, &from);
	if (p->opts->style == DK_LEGACY)
		legacy_style_line(p->legacy, rec, p->wall, p->buf);
	else
		dkt_style_trace(rec, dkt_capture_comm(p->capture, rec->pid), p->buf);
	if (p->opts->escape)
		dkt_buf_escape(p->buf, from);
	p->result->kept += rec->event != NULL;
}

static bool stopped(const struct printer *p)
{
	return p->opts->stop && *p->opts->stop;
}

static int print_all(struct printer *p)
{
	struct dkt_record rec;
	int err = 0;

	while (!stopped(p)) {
		err = dkt_capture_next(p->capture, &rec);
		if (err == 2) {
			err = flush_text(p);
			if (!err)
				err = dkt_capture_done(p->capture);
			if (!err)
				err = dkt_capture_wait(p->capture, POLL_MS);
			if (err == -EINTR)
				err = 0;
		} else if (!err) {
			print_record(p, &rec);
			err = flush_if_full(p);
		}
		if (err)
			break;
	}
	return err == 1 ? 0 : err;
}

/* ---- the whole ---- */

static int count_losses(struct printer *p)
{
	struct dk_result *result = p->result;
	int cpu, err = 0, cpus = dkt_instance_cpus(p->in);
	size_t len;
	FILE *f = open_memstream(&result->lost_by_cpu, &len);

	if (!f)
		return -ENOMEM;
	for (cpu = 0; cpu < cpus; cpu++) {
		struct dkt_loss loss;

		/* A saved tree may have no statistics. */
		if (dkt_capture_loss(p->capture, cpu, &loss) == -ENOMEM)
			err = -ENOMEM;
		result->bad += loss.bad;
		result->lost += loss.lost;
		if (loss.lost)
			fprintf(f, "%scpu %d: %" PRIu64, ftell(f) ? ", " : "", cpu, loss.lost);
	}
	return fclose(f) ? -ENOMEM : err;
}

static int printer_run(struct printer *p, const char *spool, uint64_t until)
{
	DKT_OPTS(dkt_capture_opts, opts, .flags = p->opts->flags, .spool = spool, .until = until,
		 .flush = flush_text, .data = p);
	int err = dkt_capture_open(p->in, &opts, &p->capture);
	int told;

	if (err)
		return err;
	err = print_all(p);
	if (!err)
		err = flush_text(p);
	if (!err)
		err = dkt_capture_done(p->capture);
	told = count_losses(p);
	return err ? err : told;
}

static int printer_init(struct printer *p, const struct class_map *map)
{
	int err = dkt_buf_new(&p->buf);

	if (!err)
		err = legacy_style_new(p->ctx, map, &p->legacy);
	if (!err && p->opts->filter)
		err = debuglog_expr(p->ctx, p->opts->filter, &p->filter);
	return err;
}

static void printer_clear(struct printer *p)
{
	dkt_capture_close(p->capture);
	legacy_style_free(p->legacy);
	dkt_expr_free(p->filter);
	dkt_buf_free(p->buf);
}

int dk_print(struct debuglog *log, const struct dk_opts *opts, int fd, struct dk_result *result)
{
	struct printer p = { .ctx = log->ctx,
			     .in = log->in,
			     .opts = opts,
			     .result = result,
			     .fd = fd,
			     .self = getpid() };
	char *spool __cleanup(free) = debuglog_spool(log);
	uint64_t until = 0;
	int err;

	*result = (struct dk_result){ 0 };
	if (!spool)
		return -ENOMEM;
	err = debuglog_map(log);
	if (!err)
		err = printer_init(&p, log->map);
	if (!err && log->in) {
		err = dkt_instance_wall(log->in, &p.wall);
		/* What happens from now on, this program's own doing too, is for the next one. */
		if (!err && !(opts->flags & DKT_CAPTURE_FOLLOW))
			err = dkt_instance_now(log->in, &until);
		if (!err)
			err = printer_run(&p, spool, until);
	}
	printer_clear(&p);
	return err;
}

int dk_print_saved(struct dkt_ctx *ctx, const struct dk_opts *opts, int fd,
		   struct dk_result *result)
{
	struct printer p = { .ctx = ctx, .opts = opts, .result = result, .fd = fd, .self = -1 };
	struct class_map *map = NULL;
	struct dkt_event *const *events;
	size_t n;
	int err;

	*result = (struct dk_result){ 0 };
	err = dkt_instance_open(ctx, NULL, 0, &p.in);
	if (!err)
		err = dkt_instance_wall(p.in, &p.wall);
	if (!err)
		err = dkt_events(ctx, &events, &n);
	if (!err)
		err = class_map_load(ctx, &map);
	if (!err)
		err = class_map_resolve(map, events, n);
	if (!err)
		err = printer_init(&p, map);
	if (!err)
		err = printer_run(&p, NULL, 0);
	printer_clear(&p);
	class_map_free(map);
	dkt_instance_close(p.in);
	return err;
}

int dk_clear(struct debuglog *log)
{
	char *spool __cleanup(free) = debuglog_spool(log);

	if (!spool)
		return -ENOMEM;
	return log->in ? dkt_capture_clear(log->in, spool) : 0;
}
