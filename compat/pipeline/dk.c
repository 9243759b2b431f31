/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Printing the debug log: records of a live source, selected, in one of the styles. */
#include "pipeline/dk.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>

#include "base/stop.h"
#include "base/util.h"
#include "lustre/message/cdebug.h"
#include "pipeline/chooser.h"
#include "pipeline/dk/lustre.h"
#include "pipeline/dk/out.h"

/* Records between two looks at how far it is. */
#define BATCH 4096

/* A source that follows looks again so often, ms. */
#define POLL_MS 200

/* Or how full a CPU's buffer is by then. */
#define WAKE_PERCENT 50

struct printer {
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	const struct dk_opts *opts;
	struct dk_result *result;
	struct dkt_source *source;
	struct dk_lustre *lustre; /* Lustre's own records; NULL: there are none */
	struct dk_out out;
	struct legacy_style *legacy; /* the style's */
	struct chooser *chooser;
	unsigned int flags; /* enum dkt_live_flags */
	uint64_t met, waiting; /* records: so far, and in the log when it began */
	uint64_t *last; /* of each CPU, the time of the last record that is no part of a message */
	int64_t wall; /* to add to a record's time */
	int32_t self;
};

/* A message that was recorded here and by Lustre is shown once, as Lustre has it. */
static bool is_in_lustre(struct printer *p, const struct dkt_record *rec)
{
	const struct message *message = p->lustre ? legacy_style_message(p->legacy, rec) : NULL;

	return message && dk_lustre_has(p->lustre, message, rec, p->wall);
}

static int print_shown(struct printer *p, const struct dkt_record *rec)
{
	if (p->opts->skip_self && rec->event && rec->pid == p->self) {
		p->result->own++;
		return 0;
	}
	if (!chooser_takes(p->chooser, rec, p->source, NULL)) {
		p->result->dropped += rec->event != NULL;
		return 0;
	}
	if (is_in_lustre(p, rec))
		return 0;
	if (!chooser_in_rate(p->chooser, rec, NULL)) {
		p->result->dropped++;
		return 0;
	}
	p->result->kept += rec->event != NULL;
	if (p->opts->file)
		return p->opts->file->add(p->opts->file->data, rec);
	return style_record(p->out.style, rec, rec->event ? dkt_source_comm(p->source, rec) : "",
			    p->out.buf);
}

static int print_record(struct printer *p, const struct dkt_record *rec)
{
	/* Part of a message that another record prints; a file gets both records. */
	if (legacy_style_keep(p->legacy, rec))
		return p->opts->file ? p->opts->file->add(p->opts->file->data, rec) : 0;
	p->last[rec->cpu] = rec->ts;
	return print_shown(p, rec);
}

/* Prints those of Lustre's own records that are not younger. */
static int print_lustre(struct printer *p, int64_t until)
{
	int err = 0;

	while (!err && p->lustre && dk_lustre_time(p->lustre) <= until && !dkt__stopped()) {
		err = dk_lustre_print(p->lustre, p->wall);
		if (!err)
			err = dk_out_write_if_full(&p->out);
	}
	return err;
}

/*
 * A traceoff trigger on one of the probes of Lustre's messages stops the recording before the others
 * of the same message: the message that matters most would be missing. While the log records, the
 * others are on their way.
 */
static int print_left(struct printer *p)
{
	struct dkt_record rec;
	bool on = false;
	int err = 0;

	if (p->opts->file || (!dkt_instance_get_on(p->in, &on) && on))
		return 0;
	for (int cpu = 0; !err && cpu < dkt_instance_cpus(p->in); cpu++) {
		if (!legacy_style_left(p->legacy, (uint32_t)cpu, p->last[cpu], &rec))
			continue;
		p->last[cpu] = rec.ts;
		p->result->incomplete++;
		err = print_lustre(p, (int64_t)rec.ts + p->wall);
		if (!err)
			err = print_shown(p, &rec);
	}
	return err;
}

/* A source that follows has come to its end: all of it is written out before it waits. */
static int wait_for_more(struct printer *p)
{
	int err = print_left(p);

	if (!err)
		err = dk_out_flush(&p->out);
	if (!err)
		err = dkt_source_done(p->source);
	if (err)
		return err;
	err = dkt_source_wait(p->source, POLL_MS);
	return err == -EINTR ? 0 : err;
}

/* What the kernel says it has; a saved tree may not tell. */
static void count_waiting(struct printer *p)
{
	struct dkt_cpu_stats stats;
	int cpus = dkt_instance_cpus(p->in);

	for (int cpu = 0; cpu < cpus; cpu++)
		if (!dkt_instance_get_stats(p->in, cpu, &stats))
			p->waiting += stats.entries;
	p->opts->look(p->opts->look_data, 0, p->waiting);
}

static void look(struct printer *p)
{
	if (p->opts->look && ++p->met % BATCH == 0)
		p->opts->look(p->opts->look_data, p->met, p->waiting);
}

static int print_all(struct printer *p)
{
	struct dkt_record rec;
	int err = 0;

	if (p->opts->look)
		count_waiting(p);
	while (!dkt__stopped()) {
		err = dkt_source_next(p->source, &rec);
		if (err == 2) {
			err = wait_for_more(p);
		} else if (!err) {
			err = print_lustre(p, (int64_t)rec.ts + p->wall);
			if (err)
				break;
			err = print_record(p, &rec);
			look(p);
			if (!err)
				err = dk_out_write_if_full(&p->out);
		}
		if (err)
			break;
	}
	if (err != 1)
		return err;
	err = print_left(p);
	return err ? err : print_lustre(p, INT64_MAX - 1);
}

/* ---- the whole ---- */

static int count_losses(struct printer *p)
{
	struct dk_result *result = p->result;
	int err = 0, cpus = dkt_instance_cpus(p->in);
	size_t len;
	FILE *f = open_memstream(&result->lost_by_cpu, &len);

	if (!f)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct dkt_loss loss;

		/* A saved tree may have no statistics. */
		if (dkt_source_loss(p->source, cpu, &loss) == -ENOMEM)
			err = -ENOMEM;
		result->bad += loss.bad;
		result->lost += loss.lost;
		if (loss.lost)
			fprintf(f, "%scpu %d: %" PRIu64, ftell(f) ? ", " : "", cpu, loss.lost);
	}
	return fclose(f) ? -ENOMEM : err;
}

static int lustre_alone(struct printer *p)
{
	int err = style_begin(p->out.style, p->out.buf);

	if (!err)
		err = print_lustre(p, INT64_MAX - 1);
	if (!err)
		err = style_end(p->out.style, p->out.buf);
	return err ? err : dk_out_write(&p->out);
}

/* Lustre's own records have been taken out of the kernel: they are shown even without ours. */
static int only_lustre(struct printer *p)
{
	p->result->only_lustre = dkt_error_take(p->ctx);
	return lustre_alone(p);
}

static int print_text(struct printer *p)
{
	int err = style_begin(p->out.style, p->out.buf);

	if (!err)
		err = print_all(p);
	if (!err)
		err = style_end(p->out.style, p->out.buf);
	return err ? err : dk_out_settle(&p->out);
}

static int write_file(struct printer *p)
{
	const struct dk_file *file = p->opts->file;
	int err = file->begin(file->data, p->source);

	if (!err)
		err = print_all(p);
	if (!err && dkt__stopped())
		err = dkt_fail(p->ctx, -ECANCELED, "interrupted: the log is as it was");
	if (!err)
		err = file->finish(file->data);
	return err;
}

/* Before the first record is looked at. */
static int drop_rights(struct printer *p)
{
	if (!p->opts->drop_rights)
		return 0;
	return dkt_caps_limit(p->ctx, DKT_KEEP_SYMBOLS | DKT_KEEP_TRACEFS | p->opts->keep_rights);
}

static int printer_run(struct printer *p, const char *spool, uint64_t until)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = p->flags, .spool = spool, .until = until,
		 .flush = dk_out_settle, .data = &p->out, .wake_percent = WAKE_PERCENT);
	int err = dkt_source_live(p->in, &opts, &p->source);
	int told;

	p->last = calloc((size_t)dkt_instance_cpus(p->in) + 1, sizeof(*p->last));
	if (!err && !p->last)
		err = -ENOMEM;
	if (!err)
		err = drop_rights(p);
	if (err)
		return p->lustre ? only_lustre(p) : err;
	err = p->opts->file ? write_file(p) : print_text(p);
	if (!err)
		err = dkt_source_done(p->source);
	told = count_losses(p);
	p->result->unmatched = chooser_explain(p->chooser, p->result->kept);
	return err ? err : told;
}

/* Somebody may have chosen a clock that has no wall-clock time: its times are better than nothing. */
static int find_wall(struct printer *p)
{
	int err = p->in ? dkt_instance_wall(p->in, &p->wall) : 0;

	return err == -EOPNOTSUPP ? dkt_instance_get_clock(p->in, &p->result->clock) : err;
}

/* What the style writes in and with; map NULL: only Lustre's own records. */
static int open_style(struct printer *p, const struct class_map *map)
{
	char host[HOST_NAME_MAX + 1] = { 0 };
	struct dkt_source_info source = { .kind = "ring buffers",
					  .host = host,
					  .clock = p->result->clock ?: "mono",
					  .cpus = p->in ? dkt_instance_cpus(p->in) : 0,
					  .has_wall = !p->result->clock,
					  .wall = p->wall };
	DKT_OPTS(dkt_style_opts, opts, .source = &source, .dir = p->opts->dir,
		 .color = p->opts->color, .raw_text = p->opts->raw_text);
	int err = dkt_buf_new(&p->out.buf);

	gethostname(host, sizeof(host) - 1);
	if (!err)
		err = style_new(p->ctx, map, p->opts->style, &opts, &p->out.style);
	if (!err)
		p->legacy = style_legacy(p->out.style);
	return err;
}

static int open_chooser(struct printer *p)
{
	const struct dkt_source_info info = { .has_wall = !p->result->clock, .wall = p->wall };
	uint64_t since, until;
	int err = selection_window(p->opts->selection, p->ctx, &info, &since, &until);

	if (!err)
		err = chooser_new(p->ctx, p->wall, p->opts->selection, p->legacy, &p->chooser);
	if (!err)
		chooser_set_window(p->chooser, since, until);
	return err;
}

/* -EINVAL if no record could be chosen: that would empty the log for nothing. */
static int check_chooser(struct printer *p)
{
	const struct selection *s = p->opts->selection;
	const int cpus = dkt_instance_cpus(p->in);
	struct dkt_event **on __cleanup(free) = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n_cpus; i++)
		if (s->cpus[i] >= cpus)
			return dkt_fail(p->ctx, -EINVAL, "there is no cpu %d: they are 0 to %d",
					s->cpus[i], cpus - 1);
	if (!p->lustre && chooser_check_events(p->ctx, s) == -ENOENT)
		return -ENOENT;
	/* A saved tree may not say which were on. */
	if (s->filter && dkt_instance_get_events(p->in, &on, &n))
		n = 0;
	return chooser_check_filter(p->chooser, on, n,
				    p->lustre ? dk_lustre_event(p->lustre) : NULL);
}

static int open_lustre(struct printer *p)
{
	return dk_lustre_new(p->opts, &p->out, p->result, &p->lustre);
}

static int printer_init(struct printer *p, const struct class_map *map)
{
	int err = find_wall(p);

	if (!err)
		err = open_style(p, map);
	if (!err)
		err = open_chooser(p);
	if (!err && p->opts->lustre)
		err = open_lustre(p);
	return !err && p->in ? check_chooser(p) : err;
}

static void printer_clear(struct printer *p)
{
	dkt_source_close(p->source);
	dk_lustre_free(p->lustre);
	style_free(p->out.style);
	chooser_free(p->chooser);
	free(p->last);
	dkt_buf_free(p->out.buf);
	p->result->closed = p->out.closed;
}

static int print_kernel(struct debuglog *log, struct printer *p)
{
	char *spool __cleanup(free) = NULL;
	uint64_t until = 0;
	int err = debuglog_spool(log, &spool);

	/* What happens from now on, this program's own doing too, is for the next one. */
	if (!err && !(p->opts->flags & DKT_LIVE_FOLLOW) && !p->result->clock)
		err = dkt_instance_now(log->in, &until);
	return err ? err : printer_run(p, spool, until);
}

/* All that the probe misses is in Lustre's own buffer, which a log that follows does not show. */
static int follow_kernel(struct debuglog *log, struct printer *p)
{
	uint64_t before = cdebug_missed(log->ctx), after;
	int err = print_kernel(log, p);

	after = err ? before : cdebug_missed(log->ctx);
	p->result->missed = after > before ? after - before : 0;
	return err;
}

int dk_print(struct debuglog *log, const struct dk_opts *opts, int fd, struct dk_result *result)
{
	struct printer p = { .ctx = log->ctx,
			     .in = log->in,
			     .opts = opts,
			     .flags = opts->flags,
			     .result = result,
			     .out = { .ctx = log->ctx, .fd = fd },
			     .self = getpid() };
	int err;

	*result = (struct dk_result){ 0 };
	err = debuglog_map(log);
	if (!err)
		err = printer_init(&p, log->map);
	if (!err && log->in)
		err = opts->flags & DKT_LIVE_FOLLOW ? follow_kernel(log, &p) :
						      print_kernel(log, &p);
	printer_clear(&p);
	return err;
}

int dk_print_lustre(struct dkt_ctx *ctx, const struct dk_opts *opts, int fd,
		    struct dk_result *result)
{
	struct printer p = { .ctx = ctx,
			     .opts = opts,
			     .flags = opts->flags,
			     .result = result,
			     .out = { .ctx = ctx, .fd = fd },
			     .self = -1 };
	int err;

	*result = (struct dk_result){ 0 };
	err = open_style(&p, NULL);
	if (!err)
		err = open_lustre(&p);
	if (!err)
		err = drop_rights(&p);
	if (!err)
		err = lustre_alone(&p);
	printer_clear(&p);
	return err;
}

int dk_print_saved(struct dkt_ctx *ctx, const struct dk_opts *opts, int fd,
		   struct dk_result *result)
{
	struct printer p = { .ctx = ctx,
			     .opts = opts,
			     .flags = opts->flags,
			     .result = result,
			     .out = { .ctx = ctx, .fd = fd },
			     .self = -1 };
	struct class_map *map = NULL;
	int err;

	*result = (struct dk_result){ 0 };
	err = dkt_instance_open(ctx, NULL, 0, &p.in);
	if (!err)
		err = class_map_open(ctx, NULL, &map);
	if (!err)
		err = printer_init(&p, map);
	/* Nothing of a tree goes away, so that there is nothing to keep. */
	p.flags &= ~(unsigned int)DKT_LIVE_KEEP;
	if (!err)
		err = printer_run(&p, NULL, 0);
	printer_clear(&p);
	class_map_free(map);
	dkt_instance_close(p.in);
	return err;
}

int dk_clear(struct debuglog *log)
{
	char *spool __cleanup(free) = NULL;
	int err = debuglog_spool(log, &spool);

	if (err)
		return err;
	return log->in ? dkt_spool_clear(log->in, spool) : 0;
}
