/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the debug log: the kernel's records and Lustre's own, selected, in one of the styles. */
#include "compat/dk/dk.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>

#include "compat/dk/timeline.h"
#include "compat/log/directory.h"
#include "compat/log/missed.h"
#include "compat/lustre/binary/event.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/pipeline/text_out.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/util.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* Sources of records that are not the log's. */
#define LIVE_APART (DKT_LIVE_SNAPSHOT | DKT_LIVE_LAST_BOOT)

/* A source that follows looks for records after this time, ms, ... */
#define POLL_MS 200

/* ... or when a CPU's buffer is this full. */
#define WAKE_PERCENT 50

struct printer {
	struct dkt_ctx *ctx;
	struct dkt_ctx *own; /* the same, if this file created it */
	struct debuglog *log; /* the log of dktrace; NULL: dktrace records nothing */
	const struct dk_opts *opts;
	struct dk_result *result;
	struct timeline time;
	struct dkt_buf *text; /* of a message; NULL: none can come twice */
	uint8_t theirs[RECORD_EVENT_MAX]; /* Lustre's record of it */
	struct pipeline pipeline; /* its only part is the timeline */
	struct sink sink;
	struct message *message; /* of Lustre's records */
	struct chooser *chooser;
	uint64_t waiting; /* records in the log when it was opened */
	int missed; /* the kept count of what the probe missed; -1: none */
	uint64_t only_theirs; /* Lustre's records less those that the probe has recorded, too */
	int32_t self;
};

/* ---- records ---- */

/* A probe and Lustre may have recorded the same message, which is printed once, with Lustre's text. */
static bool is_again(struct printer *p, const struct dkt_record *rec)
{
	const struct message *message = dkl_legacy_style_message(p->time.legacy, rec);
	struct message_key key;
	struct dkt_record theirs;
	const char *text;
	size_t len;

	if (!message)
		return false;
	dkl_message_key(message, rec, p->time.wall, &key);
	dkt_buf_reset(p->text);
	dkl_message_put_text(message, rec, p->text);
	text = dkt_buf_data(p->text, &len);
	if (!dkl_log_source_find(p->opts->lustre, &key, text ?: "", len, p->theirs, &theirs))
		return false;
	p->only_theirs--;
	theirs.ts -= (uint64_t)p->time.wall;
	return chooser_takes(p->chooser, &theirs, NULL);
}

static int print_record(struct printer *p, const struct dkt_record *rec)
{
	if (p->opts->skip_self && rec->event && rec->pid == p->self) {
		p->result->own++;
		return 0;
	}
	if (!chooser_takes(p->chooser, rec, p->time.source)) {
		p->result->dropped += rec->event != NULL;
		return 0;
	}
	if (p->text && !timeline_is_lustre(&p->time, rec) && is_again(p, rec))
		return 0;
	if (!dkl_chooser_in_rate(p->chooser, rec)) {
		p->result->dropped++;
		return 0;
	}
	p->result->kept += rec->event != NULL;
	return dkl_sink_add(&p->sink, rec);
}

static bool is_over(const struct printer *p)
{
	return dkt__stopped() || (p->opts->until && dkt__monotonic_ns() >= p->opts->until);
}

/* A signal or the time stops after a record, where timeline_may_stop() allows that. */
static int take_record(void *data, struct dkt_source *source, const struct dkt_record *rec)
{
	struct printer *p = data;
	int err;

	(void)source;
	p->only_theirs += timeline_is_lustre(&p->time, rec);
	/* A recording gets all records of a message, even if they are not selected. */
	if (p->time.apart && dkl_legacy_style_keep(p->time.legacy, rec))
		err = dkl_sink_add(&p->sink, rec);
	else
		err = print_record(p, rec);
	if (!err && is_over(p) && timeline_may_stop(&p->time, rec))
		return DKT_NEXT_END;
	return err;
}

/* The clock can be set while the log is followed. */
static void look_at_clock(struct printer *p)
{
	uint64_t now;
	int64_t offset;

	if (p->time.steps.n && !dkt_instance_get_now(p->time.in, &now) &&
	    !dkt__instance_get_wall(p->time.in, &offset))
		dkl_log_wall_add(&p->time.steps, now, offset);
}

/* Before a log that follows waits, everything read is written out. */
static int wait_for_more(void *data)
{
	struct printer *p = data;
	int err = dkl_text_out_flush(&p->sink.out);

	if (!err)
		err = dkl_text_out_look(&p->sink.out);
	if (!err)
		err = dkt_source_done(p->time.source);
	if (err || is_over(p))
		return err ? err : DKT_NEXT_END;
	look_at_clock(p);
	err = dkt_source_wait(p->time.kernel, POLL_MS);
	return err == -EINTR ? 0 : err;
}

/* The number of records that the kernel reports; a saved tree may not have it. */
static void count_waiting(struct printer *p)
{
	struct dkt_cpu_stats stats;

	for (int cpu = 0; cpu < dkt_instance_n_cpus(p->time.in); cpu++)
		if (!dkt_instance_get_stats(p->time.in, cpu, &stats, sizeof(stats)))
			p->waiting += stats.entries;
	p->opts->look(p->opts->look_data, 0, p->waiting);
}

static void look(void *data)
{
	struct printer *p = data;

	if (p->time.met)
		p->opts->look(p->opts->look_data, p->time.met, p->waiting);
}

static int print_all(struct printer *p)
{
	int err;

	p->pipeline.later = wait_for_more;
	p->pipeline.data = p;
	if (p->opts->look && p->time.kernel) {
		count_waiting(p);
		p->pipeline.look = look;
	}
	err = dkl_pipeline_each(&p->pipeline, take_record, p);
	return DKT__MIN(err, 0);
}

/* ---- opening and closing ---- */

/* Completes the output before its records are removed from the log. */
static int commit(struct printer *p)
{
	int err = dkl_sink_finish(&p->sink);

	if (!err && !p->opts->sink->whole)
		return p->sink.tracedat ? 0 : dkl_text_out_check(&p->sink.out);
	return err ? err : dkl_outfile_commit(p->opts->file);
}

static int print_log(struct printer *p)
{
	int err = dkl_sink_begin(&p->sink);

	if (!err)
		err = print_all(p);
	if (!err && p->opts->sink->whole && dkt__stopped())
		err = dkt_fail(p->ctx, -ECANCELED, "interrupted: the log is as it was");
	if (!err)
		err = commit(p);
	return err ? err : dkt_source_done(p->time.source);
}

static int open_kernel(struct printer *p)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = p->opts->flags, .flush = dkl_text_out_settle,
		 .data = &p->sink.out, .wake_percent = WAKE_PERCENT);
	int err = p->log->dir ? dkl_log_dir_create(p->log) : 0;

	/* Leaves newer records, for example of this process, for the next dk. */
	if (!err && p->log->dir && !(p->opts->flags & (DKT_LIVE_FOLLOW | LIVE_APART)) &&
	    !p->result->clock)
		err = dkt_instance_get_now(p->time.in, &opts.until);
	return err ? err : dkt_source_live(p->time.in, &opts, &p->time.kernel);
}

/* The records of an earlier boot may tell its wall-clock time. */
static void take_last_wall(struct printer *p)
{
	const struct dkt_source_info *info = dkt_source_info(p->time.kernel);

	p->result->last_boot = !info->has_wall;
	p->time.wall = info->wall;
}

/* Lustre's records have already been taken out of its buffer, so print them in any case. */
static int open_sources(struct printer *p)
{
	int err = p->time.in ? open_kernel(p) : 0;

	if (!err && p->result->last_boot)
		take_last_wall(p);
	/* Lustre's records have already been taken out of its buffer, so print them in any case. */
	if (err && p->time.theirs) {
		p->result->only_lustre = dkt__error_take(p->ctx);
		err = 0;
	}
	return err ? err : dkl_timeline_merge(&p->time);
}

static int drop_privileges(struct printer *p)
{
	if (!p->opts->drop_privileges)
		return 0;
	return dkt__caps_limit(p->ctx,
			       DKT__KEEP_SYMBOLS | DKT__KEEP_TRACEFS | p->opts->keep_privileges);
}

/* Tells of the steps between the printed records. */
static void take_steps(struct printer *p)
{
	struct log_wall *steps = &p->result->steps;

	*steps = p->time.steps;
	p->result->stepped = p->time.stepped;
	while (steps->n > 1 && (!p->time.first || p->time.first >= steps->parts[1].from))
		memmove(steps->parts, steps->parts + 1, --steps->n * sizeof(*steps->parts));
}

static int printer_run(struct printer *p)
{
	struct losses *losses = &p->result->losses;
	int err = drop_privileges(p);

	if (err)
		return err;
	err = print_log(p);
	/* A saved tree may have no statistics. */
	if (dkl_losses_count(losses, p->time.source) == -ENOMEM && !err)
		err = -ENOMEM;
	p->result->incomplete = p->time.incomplete;
	take_steps(p);
	p->result->unmatched = dkl_chooser_explain(p->chooser, p->result->kept);
	return err;
}

/* If another program has set a clock without wall-clock time, prints its times as they are. */
static int find_wall(struct printer *p)
{
	int err;

	/* The clock is that of this boot. */
	p->result->last_boot = p->opts->flags & DKT_LIVE_LAST_BOOT;
	if (p->result->last_boot)
		return 0;
	err = p->time.in ? dkt__instance_get_wall(p->time.in, &p->time.wall) : 0;
	if (p->log)
		dkl_log_wall_look(p->log, &p->time.steps);
	return err == -EOPNOTSUPP ? dkt__instance_get_clock(p->time.in, &p->result->clock) : err;
}

/*
 * Other styles than Lustre's, and files, have the times of the kernel's clock. A clock that was set forward by more
 * than the time since boot would make earlier times negative.
 */
static void follow_steps(struct printer *p)
{
	const char *style = p->opts->sink->style.name;

	p->time.stepped = style && (p->time.theirs || !strcmp(style, "legacy"));
	if (p->time.stepped && p->time.steps.n > 1)
		p->time.wall = dkl_log_wall_least(&p->time.steps, p->time.wall);
}

static void put_line(void *data, struct dkt_buf *buf)
{
	dkl_log_source_line(data, buf);
}

static int open_lustre(struct printer *p)
{
	struct log_source *lustre = p->opts->lustre;

	if (!lustre)
		return 0;
	p->result->dropped += dkl_log_source_counts(lustre)->dropped;
	p->message = dkl_message_new(p->ctx, dkl_log_source_event(lustre), NULL);
	if (p->message && p->sink.out.style)
		dkl_style_own(p->sink.out.style, dkl_log_source_event(lustre), p->message, put_line,
			      lustre);
	return p->message ? 0 : -ENOMEM;
}

/* The timeline joins messages of several records, which all styles read with the reader of the part. */
static int open_sink(struct printer *p)
{
	struct pipeline_part *part = &p->pipeline.parts[0];
	int err;

	dkl_pipeline_add(&p->pipeline, p->ctx, p->time.source, NULL);
	p->pipeline.joined = true;
	part->map = p->log ? p->log->map : NULL;
	/* Only a selection by class needs a map. */
	part->classless = !p->log && !dkl_selection_by_class(p->opts->selection);
	err = dkl_pipeline_messages(part);
	if (!err)
		err = dkl_sink_open(&p->sink, p->opts->sink, &p->pipeline, p->opts->file);
	if (!err && !p->sink.out.style)
		err = dkl_legacy_style_new(p->ctx, part->map, part->messages, &part->legacy);
	if (err)
		return err;
	p->time.legacy = p->sink.out.style ? dkl_style_legacy(p->sink.out.style) : part->legacy;
	return open_lustre(p);
}

static int open_chooser(struct printer *p)
{
	const struct dkt_source_info info = {
		.has_wall = !p->result->clock && !p->result->last_boot, .wall = p->time.wall
	};
	struct selection *selection = p->opts->selection;
	const bool is_legacy = p->sink.out.style && dkl_style_is_legacy(p->sink.out.style);
	uint64_t since, until;
	int err = dkl_selection_window(selection, p->ctx, &info, &since, &until);

	if (!err)
		err = dkl_chooser_new(p->ctx, p->time.wall, selection, p->time.legacy, &p->chooser);
	if (err)
		return err;
	dkl_chooser_set_window(p->chooser, since, until);
	/* Nothing but the lines of Lustre's records is needed. */
	if (p->opts->lustre && is_legacy && dkl_selection_is_all(selection) && !selection->n_cpus &&
	    !since && !until)
		dkl_log_source_bare(p->opts->lustre);
	if (!p->opts->lustre || !p->log)
		return 0;
	err = dkl_log_source_look_ahead(p->opts->lustre);
	return err ? err : dkt_buf_new(&p->text);
}

/* Refuses a selection that no record can match, because dk would empty the log for nothing. */
static int check_chooser(struct printer *p)
{
	const struct selection *s = p->opts->selection;
	struct log_source *lustre = p->opts->lustre;
	struct dkt_event **on __cleanup(free) = NULL;
	size_t n = 0;

	if (!lustre && dkl_chooser_check_events(p->ctx, s) == -ENOENT)
		return -ENOENT;
	/* A saved tree may lack the list of enabled events; records that are apart have another. */
	if (s->filter &&
	    (p->opts->flags & LIVE_APART || dkt_instance_get_events(p->time.in, &on, &n)))
		n = 0;
	return dkl_chooser_check_filter(p->chooser, on, n,
					lustre ? dkl_log_source_event(lustre) : NULL);
}

static int printer_init(struct printer *p)
{
	const struct selection *s = p->opts->selection;
	int err = dkl_selection_check_cpus(p->ctx, p->time.in, s->cpus, s->n_cpus);

	if (!err)
		err = dkl_pipeline_init(&p->pipeline, p->ctx, 1);
	if (!err)
		err = find_wall(p);
	if (!err)
		err = dkl_timeline_open_lustre(&p->time);
	if (!err)
		follow_steps(p);
	if (!err && (p->log || p->opts->lustre))
		err = open_sources(p);
	if (!err && p->time.source)
		err = open_sink(p);
	if (!err)
		err = open_chooser(p);
	return !err && p->log ? check_chooser(p) : err;
}

static void printer_clear(struct printer *p)
{
	p->result->closed = p->sink.out.closed;
	dkl_sink_close(&p->sink);
	dkl_timeline_close(&p->time);
	dkt_buf_free(p->text);
	dkl_message_free(p->message);
	dkl_chooser_free(p->chooser);
	/* The map is the log's. */
	if (p->log && p->pipeline.n)
		p->pipeline.parts[0].map = NULL;
	dkl_pipeline_clear(&p->pipeline);
	if (p->missed >= 0)
		close(p->missed);
	dkt_ctx_free(p->own);
}

/*
 * dk empties both logs, and Lustre's buffer has what the probe missed, unless another program has read
 * it or it was too small. Whatever else only that buffer has makes the number too small.
 */
static uint64_t missed_by_both(const struct printer *p, uint64_t all)
{
	const uint64_t since = dkl_missed_since(p->missed, all);

	if (!dkl_selection_is_all(p->opts->selection) || since <= p->only_theirs)
		return 0;
	return since - p->only_theirs;
}

static void count_missed(struct printer *p, uint64_t before)
{
	struct dk_result *result = p->result;
	uint64_t all;

	if (p->opts->flags & LIVE_APART)
		return;
	all = dkl_cdebug_missed(p->ctx);
	if (p->opts->flags & DKT_LIVE_FOLLOW) {
		/* The probe may have been created again. */
		result->missed = all > before ? all - before : 0;
		result->missed_words = CDEBUG_ELSEWHERE;
	} else if (p->opts->flags == DKT_LIVE_KEEP) {
		result->missed = all;
		result->missed_words = " since it was created; Lustre's own buffer may have them";
	} else if (!(p->opts->flags & ~(unsigned int)DKT_LIVE_WHOLE)) {
		result->missed = missed_by_both(p, all);
		result->missed_words = " or more, which Lustre's own buffer no longer had";
		dkl_missed_keep(p->missed, all);
	}
}

static int print(struct printer *p)
{
	uint64_t before = 0;
	int err = printer_init(p);

	if (err || !p->time.source)
		return err;
	if (p->opts->flags & DKT_LIVE_FOLLOW)
		before = dkl_cdebug_missed(p->ctx);
	err = printer_run(p);
	if (!err)
		count_missed(p, before);
	return err;
}

/* Without a log, Lustre's records belong to a new context without other events. */
static int open_context(struct printer *p)
{
	int err;

	if (p->log)
		return dkl_debuglog_map(p->log);
	err = dkt_ctx_new(NULL, &p->own);
	p->ctx = p->time.ctx = p->own;
	return err;
}

int dkl_dk_print(struct dkt_ctx *ctx, struct debuglog *log, const struct dk_opts *opts,
		 struct dk_result *result)
{
	struct printer p = {
		.ctx = ctx,
		.log = log && log->in ? log : NULL,
		.opts = opts,
		.result = result,
		.time = { .ctx = ctx, .lustre = opts->lustre, .apart = opts->sink->version },
		.missed = -1,
		.self = getpid()
	};
	int err;

	*result = (struct dk_result){ 0 };
	if (p.log) {
		p.time.in = log->in;
		p.missed = dkl_missed_open(log);
	}
	err = open_context(&p);
	if (!err)
		err = print(&p);
	if (err == -ENOMEM)
		dkt__with_words(ctx, err);
	else if (err && p.own && *dkt_error(p.own))
		dkt_fail(ctx, err, "%s", dkt_error(p.own));
	printer_clear(&p);
	return err;
}

int dkl_dk_clear(struct debuglog *log)
{
	int missed __cleanup(close) = -1;
	int err;

	if (!log->in)
		return 0;
	err = dkl_log_dir_create(log);
	if (!err)
		err = dkt_instance_clear(log->in);
	if (err)
		return err;
	missed = dkl_missed_open(log);
	if (missed >= 0)
		dkl_missed_keep(missed, dkl_cdebug_missed(log->ctx));
	return 0;
}
