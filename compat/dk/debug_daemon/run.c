/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon: writes the log's records to a file until it is told to stop. */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "compat/apply/apply.h"
#include "compat/dk/debug_daemon.h"
#include "compat/dk/debug_daemon/file.h"
#include "compat/io/output.h"
#include "compat/log/directory.h"
#include "compat/lustre/binary/event.h"
#include "compat/lustre/mask.h"
#include "compat/lustre/style_legacy.h"
#include "compat/pipeline/pipeline.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* The daemon looks for records after this time, ms; Lustre's does every second ... */
#define POLL_MS 500

/* ... or when a CPU's buffer is this full. */
#define WAKE_PERCENT 50

/* The kernel's own limit is 10 lines of a process in 5 seconds. */
#define KMSG_BURST    8 /* lines per interval; more are counted as skipped */
#define KMSG_INTERVAL 5 /* seconds */

/* Copies of records in the kernel log. */
struct kmsg {
	int fd; /* -1: not open, or not available */
	uint64_t since; /* beginning of the interval, s */
	unsigned int n; /* copies in it */
	uint64_t skipped;
};

struct daemon {
	struct dkt_ctx *ctx;
	struct debuglog *log;
	struct dkt_source *source;
	struct legacy_style *style;
	struct daemon_file *file;
	struct daemon_state state;
	struct dkt_buf *buf;
	struct kmsg kmsg;
	struct timespec settings_at; /* time of the settings file from which printk was read */
	uint64_t pos; /* where an earlier daemon stopped in the same file; UINT64_MAX: unknown */
	uint32_t printk;
	int64_t wall;
	int state_fd;
	pid_t self;
	bool last; /* a signal came: the next records are the last ones */
};

/* ---- the kernel log ---- */

/* The kernel's limit for a line is a little less than 1 KiB. */
#define KMSG_TEXT 900

/* Returns the same level as Lustre. */
static int level(uint32_t classes)
{
	static const struct {
		const char *class;
		int level;
	} levels[] = { { "emerg", 0 }, { "error", 3 }, { "warning", 4 } };

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		int bit = dkl_mask_bit(MASK_DEBUG, levels[i].class, strlen(levels[i].class));

		if (bit >= 0 && classes & 1u << bit)
			return levels[i].level;
	}
	return 6;
}

/* Returns the text after the fifth colon of a line: PID:EXT:(FILE:LINE:FUNC()) TEXT. */
static const char *after_stack(const char *line, const char *end)
{
	for (int i = 0; i < 5 && line; i++) {
		line = memchr(line, ':', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	return line;
}

static void put(struct kmsg *kmsg, int priority, const char *text, size_t len)
{
	char out[KMSG_TEXT + 64];
	int n = snprintf(out, sizeof(out), "<%d>dktrace: %.*s\n", priority,
			 len > KMSG_TEXT ? KMSG_TEXT : (int)len, text);

	/* The kernel log is only a copy: the file has this record, too. */
	if (n > 0 && write(kmsg->fd, out, (size_t)n) < 0)
		kmsg->skipped++;
}

/* Copies a record of these classes, a line of the legacy style, at a limited rate. */
static void copy_to_kmsg(struct kmsg *kmsg, uint32_t classes, const char *line, size_t len)
{
	const uint64_t now = dkt__monotonic_ns() / DKT__NSEC_PER_SEC;
	const char *end = line + len, *text;
	char note[64];
	int n;

	if (kmsg->fd < 0)
		kmsg->fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (kmsg->fd < 0)
		return;
	if (now >= kmsg->since + KMSG_INTERVAL) {
		n = snprintf(note, sizeof(note), "skipped %llu messages",
			     (unsigned long long)kmsg->skipped);
		if (kmsg->skipped && n > 0)
			put(kmsg, 6, note, (size_t)n);
		kmsg->since = now;
		kmsg->n = 0;
		kmsg->skipped = 0;
	}
	if (kmsg->n >= KMSG_BURST) {
		kmsg->skipped++;
		return;
	}
	kmsg->n++;
	text = after_stack(line, end);
	text = text ? text : line;
	while (end > text && end[-1] == '\n')
		end--;
	put(kmsg, level(classes), text, (size_t)(end - text));
}

/* ---- records ---- */

static int take_record(void *data, struct dkt_source *source, const struct dkt_record *rec)
{
	struct daemon *d = data;
	struct class_bits bits;
	uint8_t binary[RECORD_FROM_LINE_MAX];
	const char *line;
	size_t len;
	int err;

	(void)source;
	/* A record of our own write would cause the next write, without end. */
	if (rec->event && rec->pid == d->self) {
		d->state.own++;
		return 0;
	}
	if (dkl_legacy_style_keep(d->style, rec))
		return 0;
	bits = dkl_legacy_style_bits(d->style, rec);
	dkt_buf_reset(d->buf);
	dkl_legacy_style_line(d->style, rec, d->wall, d->buf);
	line = dkt_buf_data(d->buf, &len);
	err = dkt_buf_error(d->buf);
	if (err)
		return err;
	if (bits.classes & d->printk)
		copy_to_kmsg(&d->kmsg, bits.classes, line, len);
	len = dkl_record_from_line(rec, &bits, d->wall, line, len, binary);
	return dkl_daemon_file_add(d->file, binary, len, rec->event != NULL);
}

/* ---- state ---- */

static void count_lost(struct daemon *d)
{
	struct losses losses = { 0 };

	/* Ignores an error: a CPU with unknown counts counts as one without losses. */
	dkl_losses_count(&losses, d->source);
	d->state.lost = losses.lost;
	dkl_losses_clear(&losses);
}

static int save_state(struct daemon *d)
{
	d->state.pos = dkl_daemon_file_pos(d->file);
	d->state.records = d->file->done.records;
	d->state.bytes = d->file->done.bytes;
	d->state.rounds = d->file->rounds;
	return dkl_daemon_save(d->ctx, d->state_fd, &d->state);
}

/*
 * Called before records are removed from the log. Saves the position, so that a later daemon does
 * not overwrite them.
 */
static int flush(void *data)
{
	struct daemon *d = data;
	int err = dkl_daemon_file_flush(d->file);

	return err ? err : save_state(d);
}

/* Reads printk again if the settings have changed. */
static void load_printk(struct daemon *d)
{
	struct settings set;
	struct stat st;

	if (fstatat(d->log->dirfd, DEBUGLOG_SETTINGS, &st, 0) ||
	    !memcmp(&st.st_mtim, &d->settings_at, sizeof(st.st_mtim)))
		return;
	if (dkl_settings_load(d->ctx, d->log->dirfd, DEBUGLOG_SETTINGS, &set))
		return;
	d->settings_at = st.st_mtim;
	d->printk = set.printk;
	dkl_settings_clear(&set);
}

/* Uses another context, because a change frees the events, to which our records point. */
static void follow_masks(struct daemon *d)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = dkt_tracefs_dir(d->ctx));
	struct dkt_ctx *ctx;

	if (dkt_ctx_new(&opts, &ctx))
		return;
	dkl_debuglog_follow(ctx, d->log->name);
	dkt_ctx_free(ctx);
}

/* ---- the loop ---- */

static int drained(struct daemon *d)
{
	int err = flush(d);

	if (!err)
		err = dkt_source_done(d->source);
	/* The wall clock may have been set. */
	if (!err)
		err = dkt__instance_get_wall(d->log->in, &d->wall);
	if (!err) {
		count_lost(d);
		err = save_state(d);
	}
	return err;
}

/* After a signal, reads once more until no record is left. */
static int later(void *data)
{
	struct daemon *d = data;
	int err = drained(d);

	if (err || d->last)
		return err ? err : DKT_NEXT_END;
	d->last = dkt__stopped();
	follow_masks(d);
	load_printk(d);
	err = dkt_source_wait(d->source, d->last ? 0 : POLL_MS);
	return err == -EINTR ? 0 : err;
}

static int loop(struct daemon *d)
{
	struct pipeline pipeline;
	int err = dkl_pipeline_init(&pipeline, d->ctx, 1);

	if (!err) {
		dkl_pipeline_add(&pipeline, d->ctx, d->source, NULL);
		pipeline.later = later;
		pipeline.data = d;
		err = dkl_pipeline_each(&pipeline, take_record, d);
	}
	dkl_pipeline_clear(&pipeline);
	return err;
}

/* ---- beginning and end ---- */

/* Finds the position at which an earlier daemon stopped in the same file. */
static int load_pos(struct daemon *d, const char *name)
{
	struct daemon_state before;
	int err = dkl_daemon_load(d->ctx, d->log->dir, &before);

	if (err)
		return err;
	d->pos = before.file && !strcmp(before.file, name) ? before.pos : UINT64_MAX;
	dkl_daemon_state_clear(&before);
	return 0;
}

static int open_log(struct daemon *d, const char *instance, const char *name)
{
	int err = dkl_debuglog_open(d->ctx, instance, 0, &d->log);

	if (!err && !d->log->in)
		err = dkt_fail(d->ctx, -ENOENT,
			       "nothing is recorded yet: set a mask first, set_param debug=...");
	if (!err)
		err = dkl_debuglog_map(d->log);
	/* Comes before the lock: closing the state file again would release the lock of fcntl(). */
	if (!err)
		err = load_pos(d, name);
	if (!err)
		err = dkl_daemon_lock(d->ctx, d->log->dir, &d->state_fd);
	return err;
}

static int open_file(struct daemon *d, const struct daemon_state *wanted)
{
	d->state = (struct daemon_state){ .mb = wanted->mb, .rotate = wanted->rotate };
	d->state.file = strdup(wanted->file);
	if (!d->state.file)
		return -ENOMEM;
	return dkl_daemon_file_open(d->ctx, wanted->file, wanted->mb << 20,
				    (unsigned int)wanted->rotate, d->pos, &d->file);
}

static int open_source(struct daemon *d)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW, .flush = flush, .data = d,
		 .wake_percent = WAKE_PERCENT);
	int err = dkl_log_dir_create(d->log);

	if (!err)
		err = dkt_buf_new(&d->buf);
	if (!err)
		err = dkl_legacy_style_new(d->ctx, d->log->map, NULL, &d->style);
	if (!err)
		err = dkt__instance_get_wall(d->log->in, &d->wall);
	if (!err)
		err = dkt_source_live(d->log->in, &opts, &d->source);
	return err;
}

/* Later it opens files only in its own directories, except for the next file of --rotate. */
static int drop_privileges(struct daemon *d)
{
	unsigned int keep = 0;
	int err = dkl_output_keep(d->ctx, d->state.file, &keep);

	return err ? err : dkt__caps_limit(d->ctx, keep | DKT__KEEP_SYMBOLS | DKT__KEEP_TRACEFS);
}

static void daemon_clear(struct daemon *d)
{
	dkt_source_close(d->source);
	dkl_legacy_style_free(d->style);
	dkl_daemon_file_close(d->file);
	dkl_daemon_state_clear(&d->state);
	dkt_buf_free(d->buf);
	if (d->kmsg.fd >= 0)
		close(d->kmsg.fd);
	dkl_debuglog_close(d->log);
	if (d->state_fd >= 0)
		close(d->state_fd);
}

int dkl_daemon_run(struct dkt_ctx *ctx, const char *instance, const struct daemon_state *wanted,
		   int ready)
{
	struct daemon d = { .ctx = ctx, .state_fd = -1, .kmsg = { .fd = -1 }, .self = getpid() };
	int err = open_log(&d, instance, wanted->file);

	dkt__stop_on_end();
	prctl(PR_SET_NAME, "dktrace-daemon");
	if (!err)
		err = open_file(&d, wanted);
	if (!err)
		err = open_source(&d);
	if (!err)
		err = drop_privileges(&d);
	if (!err)
		err = save_state(&d);
	if (!err && ready >= 0 && (write(ready, "", 1) != 1 || close(ready)))
		err = dkt_fail(ctx, -errno, "report that the daemon runs: %s", strerror(errno));
	if (!err) {
		load_printk(&d);
		err = loop(&d);
		/* Records that could not be written stay in the log. */
		if (err)
			d.state.error = strdup(dkt_error(ctx));
		save_state(&d);
	}
	daemon_clear(&d);
	return err;
}
