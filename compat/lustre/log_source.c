/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lustre's debug log as a source of records: its binary records, the text that dk prints, or the copies
 * that the console sends to syslog.
 */
#include "compat/lustre/log_source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "compat/lustre/binary/event.h"
#include "compat/lustre/binary/line.h"
#include "compat/lustre/binary/runs.h"
#include "compat/lustre/binary/spill.h"
#include "compat/lustre/console_text.h"
#include "compat/lustre/log_ahead.h"
#include "compat/lustre/log_clean.h"
#include "compat/lustre/log_kind.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/inside.h"

/* CPUs of a text that is read at once, as their number is not known. */
#define CPUS_AT_ONCE 4096

struct log_source {
	struct dkt_ctx *ctx;
	struct dkt_event *event;
	struct record_sort *sort; /* of the epoch that is read */
	struct record_sort **sorts; /* of all epochs */
	size_t n_sorts, n_read; /* n_read: epochs up to the one that is read */
	uint32_t cpus;
	struct log_text *text; /* that is read at once; NULL: none */
	uint64_t last; /* key of its last record */
	struct log_ahead *ahead; /* NULL: dkl_log_source_find() is not used */
	struct spill spill; /* the records of a text */
	struct epochs epochs; /* of the spill */
	struct console console; /* of syslog */
	struct log_hosts hosts;
	int fd;
	bool bare; /* records have no fields */
	bool gaps; /* some records may be printed gaps */
	uint64_t bad; /* places with invalid data, whose CPU is unknown */
	char *damage;
	struct dkt_loss *losses; /* of each CPU */
	uint64_t done, size; /* bytes of records */
	const uint8_t *rec; /* the record that was returned last */
	uint32_t len;
	struct record_line format;
	char line[RECORD_MAX + RECORD_LINE_EXTRA];
	uint8_t data[RECORD_EVENT_MAX];
};

/* Turns the line that dk prints for a gap back into a gap. False: not such a line. */
static bool take_gap(const uint8_t *rec, size_t len, struct dkt_record *record)
{
	struct record_texts texts;
	const char *p;

	/* Quick, because it is asked for each record: such a line has no number of a source line. */
	if (record_head(rec).line)
		return false;
	dkl_record_texts(rec, len, &texts);
	if (texts.function_len != 11 || memcmp(texts.function, "lost_events", 11) ||
	    texts.file_len != 11 || memcmp(texts.file, "ring_buffer", 11))
		return false;
	p = texts.text;
	if (dkt__take_u64(&p, NULL, DKT__DEC, &record->lost))
		record->lost = DKT_LOST_UNKNOWN;
	record->event = NULL;
	record->data = NULL;
	record->size = 0;
	return true;
}

static void fill(const struct log_source *log, const uint8_t *rec, uint32_t len, uint8_t *data,
		 struct dkt_record *record)
{
	if (log->bare)
		dkl_record_event_head(log->event, rec, record);
	else
		dkl_record_event_fill(log->event, rec, len, data, record);
}

/* Reads the next record of a text that should be in order. */
static int next_of_text(struct log_source *log)
{
	int err = dkl_log_text_next(log->text, &log->rec, &log->len);
	uint64_t key;

	log->bad = dkl_log_text_bad(log->text);
	if (err)
		return err;
	key = record_key(log->rec);
	if (key < log->last || record_cpu(log->rec) >= log->cpus)
		return dkt_fail(log->ctx, LOG_NO_ORDER, "the text is not in order of time");
	log->last = key;
	return 0;
}

static int next_record(struct log_source *log)
{
	int err;

	if (log->text)
		return next_of_text(log);
	if (log->ahead)
		return dkl_log_ahead_next(log->ahead, &log->rec, &log->len);
	err = dkl_record_sort_next(log->sort, &log->rec, &log->len);
	while (err == 1 && log->n_read < log->n_sorts) {
		log->sort = log->sorts[log->n_read++];
		err = dkl_record_sort_next(log->sort, &log->rec, &log->len);
	}
	return err;
}

static int log_next(void *data, struct dkt_record *record)
{
	struct log_source *log = data;
	struct dkt_loss *loss;
	int err = next_record(log);

	if (err)
		return dkt__with_words(log->ctx, err);
	log->done += log->len;
	loss = &log->losses[record_cpu(log->rec)];
	fill(log, log->rec, log->len, log->data, record);
	if (!log->gaps || !take_gap(log->rec, log->len, record))
		loss->seen++;
	else if (record->lost != DKT_LOST_UNKNOWN)
		loss->lost += record->lost;
	return 0;
}

static int log_loss(void *data, int cpu, struct dkt_loss *loss)
{
	const struct log_source *log = data;

	if (cpu >= 0 && (uint32_t)cpu < log->cpus)
		*loss = log->losses[cpu];
	if (!cpu)
		loss->bad = log->bad;
	return 0;
}

static int log_bytes(const void *data, uint64_t *done, uint64_t *of)
{
	const struct log_source *log = data;

	*done = log->done;
	*of = log->size;
	return 0;
}

/* ---- the log ---- */

static int note_damage(struct log_source *log)
{
	const struct record_counts *counts = dkl_log_source_counts(log);

	char *other __cleanup(free) = log->damage;

	log->bad += counts->bad;
	if (counts->read_err)
		log->damage = dkt__format("%s%sit cannot be read from offset %" PRIu64 " on: %s",
					  other ? other : "", other ? "; " : "", counts->read_at,
					  strerror(-counts->read_err));
	else if (counts->end != RECORD_END)
		log->damage = dkt__format("%s%sthe record at offset %" PRIu64 " is incomplete",
					  other ? other : "", other ? "; " : "", counts->end_at);
	else {
		other = NULL;
		return 0;
	}
	return log->damage ? 0 : -ENOMEM;
}

/* Opens the epochs of a text, or all of another log. */
static int open_sorts(struct dkt_ctx *ctx, struct log_source *log, struct record_sort_opts opts)
{
	size_t n = DKT__MAX(log->epochs.n, (size_t)1);
	int err = 0;

	log->sorts = calloc(n, sizeof(struct record_sort *));
	if (!log->sorts)
		return -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		if (log->epochs.n)
			opts.index = &log->epochs.list[i];
		err = dkl_record_sort_new(ctx, &opts, &log->sorts[i]);
		if (err)
			return err;
		log->n_sorts = i + 1;
		log->cpus = DKT__MAX(log->cpus, dkl_record_sort_counts(log->sorts[i])->cpus);
	}
	log->sort = log->sorts[0];
	log->n_read = 1;
	return 0;
}

static int log_open(struct dkt_ctx *ctx, struct log_source *log, struct record_sort_opts opts)
{
	int err = dkt__with_words(ctx, open_sorts(ctx, log, opts));

	log->ctx = ctx;
	if (err)
		return err;
	/* Invalid lines are counted for the first CPU, also if no line is valid. */
	log->cpus = DKT__MAX(log->cpus, 1u);
	log->losses = calloc(log->cpus, sizeof(*log->losses));
	return log->losses ? dkt__with_words(ctx, note_damage(log)) : dkt__no_memory(ctx);
}

static struct log_source *log_alloc(int fd)
{
	struct log_source *log = calloc(1, sizeof(*log));

	if (log)
		*log = (struct log_source){ .fd = fd, .spill.fd = -1 };
	else
		close(fd);
	return log;
}

int dkl_log_source_new(struct dkt_ctx *ctx, const struct record_sort_opts *opts,
		       struct log_source **out)
{
	struct log_source *log = log_alloc(opts->fd);
	int err = log ? log_open(ctx, log, *opts) : dkt__no_memory(ctx);

	if (err) {
		dkl_log_source_free(log);
		log = NULL;
	}
	*out = log;
	return err;
}

void dkl_log_source_free(struct log_source *log)
{
	if (!log)
		return;
	dkl_log_text_close(log->text);
	dkl_log_ahead_free(log->ahead);
	for (size_t i = 0; i < log->n_sorts; i++)
		dkl_record_sort_free(log->sorts[i]);
	free(log->sorts);
	dkl_spill_close(&log->spill);
	dkl_epochs_clear(&log->epochs);
	dkl_log_hosts_clear(&log->hosts);
	close(log->fd);
	free(log->losses);
	free(log->damage);
	free(log);
}

const struct record_counts *dkl_log_source_counts(const struct log_source *log)
{
	return dkl_record_sort_counts(log->sorts[0]);
}

struct dkt_event *dkl_log_source_event(const struct log_source *log)
{
	return log->event;
}

void dkl_log_source_bare(struct log_source *log)
{
	log->bare = true;
}

int dkl_log_source_look_ahead(struct log_source *log)
{
	return dkl_log_ahead_new(log->sort, &log->ahead);
}

bool dkl_log_source_find(struct log_source *log, const struct message_key *key, const char *text,
			 size_t text_len, uint8_t *data, struct dkt_record *record)
{
	const uint8_t *rec;
	uint32_t len;

	if (!dkl_log_ahead_find(log->ahead, key, text, text_len, &rec, &len))
		return false;
	fill(log, rec, len, data, record);
	return true;
}

void dkl_log_source_line(struct log_source *log, struct dkt_buf *buf)
{
	char *end = dkl_record_line(&log->format, log->rec, log->len, log->line);

	dkt__buf_add(buf, log->line, (size_t)(end - log->line));
}

/* ---- the source ---- */

static void log_close(void *data)
{
	dkl_log_source_free(data);
}

static int create(struct log_source *log, struct dkt_ctx *ctx, const char *kind, bool owned,
		  const struct dkt_source_opts *opts, struct dkt_source **source)
{
	DKT_OPTS(dkt__source_calls, calls, .next = log_next, .loss = log_loss, .bytes = log_bytes,
		 .close = owned ? log_close : NULL);
	const DKT_OPTS(dkt_source_info, info, .kind = kind, .damage = log->damage,
		       .cpus = (int)log->cpus, .host = log->hosts.names,
		       .has_wall = !log->console.uptime);
	int err = dkt__source_make(ctx, &calls, log, &info, opts, source);

	if (!err)
		err = dkl_record_event(ctx, &log->event);
	if (err) {
		dkt_source_close(*source);
		*source = NULL;
	}
	return err;
}

int dkl_log_source_make(struct log_source *log, struct dkt_ctx *ctx,
			const struct dkt_source_opts *opts, struct dkt_source **source)
{
	return create(log, ctx, dkl_log_kind_name(LOG_BINARY), false, opts, source);
}

/* Reads a text into the spill. */
static int read_text(struct dkt_ctx *ctx, enum log_kind kind, const struct log_wants *wants,
		     struct log_source *log)
{
	struct stat st;
	int err = dkl_spill_open(ctx, &log->spill);

	log->spill.epochs = &log->epochs;
	log->epochs.none = !wants->epochs;
	if (!err && kind == LOG_TEXT) {
		err = dkl_log_text_read(ctx, log->fd, wants->texts, &log->hosts, &log->spill,
					&log->bad);
	} else if (!err) {
		log->console.hosts = &log->hosts;
		log->console.calendar.written = fstat(log->fd, &st) ? time(NULL) : st.st_mtime;
		err = dkl_console_text_read(ctx, log->fd, &log->console, &log->spill);
		log->epochs.never_back = log->console.uptime;
	}
	return err ? err : dkt__with_words(ctx, dkl_epochs_finish(&log->epochs));
}

/* Opens a text that is read while its records are asked for. */
static int open_at_once(struct dkt_ctx *ctx, const struct log_wants *wants, struct log_source *log)
{
	int err = dkl_log_text_open(ctx, log->fd, wants->texts, &log->text);

	log->ctx = ctx;
	log->cpus = CPUS_AT_ONCE;
	log->losses = calloc(log->cpus, sizeof(*log->losses));
	return err || log->losses ? err : dkt__no_memory(ctx);
}

static bool is_file(const struct log_source *log)
{
	struct stat st;

	return !fstat(log->fd, &st) && S_ISREG(st.st_mode);
}

static int open_file(struct dkt_ctx *ctx, const char *name, enum log_kind kind,
		     const struct log_wants *wants, struct log_source *log)
{
	struct record_sort_opts opts = { .fd = log->fd,
					 .name = name,
					 .show = { UINT32_MAX, UINT32_MAX } };
	struct stat st;
	int err = 0;

	log->gaps = true;
	/* All hosts are known only when all has been read. */
	if (kind == LOG_TEXT && wants->at_once && is_file(log) &&
	    !dkl_log_hosts_count(log->fd, false))
		return open_at_once(ctx, wants, log);
	if (kind != LOG_BINARY) {
		err = read_text(ctx, kind, wants, log);
		opts.fd = log->spill.fd;
	}
	log->size = fstat(opts.fd, &st) ? 0 : (uint64_t)st.st_size;
	opts.size = log->size;
	return err ? err : log_open(ctx, log, opts);
}

/* Reads Lustre's messages out of the dump of a kernel. -EINVAL: it is another file. */
static int open_dump(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		     struct dkt_source **source)
{
	struct record_sort_opts sort = { .name = opts->name ? opts->name : path,
					 .show = { UINT32_MAX, UINT32_MAX } };
	struct log_source *log = log_alloc(-1);
	int err = log ? dkl_spill_open(ctx, &log->spill) : dkt__no_memory(ctx);

	if (!err)
		err = dkl_dump_log_read(ctx, path, opts, &log->spill, &log->damage);
	if (!err) {
		sort.fd = log->spill.fd;
		sort.size = log->size = log->spill.size;
		err = log_open(ctx, log, sort);
	}
	if (err) {
		dkl_log_source_free(log);
		return err;
	}
	return create(log, ctx, dkl_log_kind_name(LOG_BINARY), true, opts, source);
}

#define NO_TIMES                                                                                   \
	"it has messages of Lustre, but behind no time that is known: those of syslog, of dmesg"   \
	" with or without -T and with --time-format iso, of all formats of journalctl but cat,"    \
	" of conman, and of JSON are read"

#define IN_STRINGS                                                                                 \
	"it has lines of Lustre's debug log in strings of JSON; 'jq -r' with the name of the"      \
	" string prints them as lines, which are read"

int dkl_log_source_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
			struct dkt_source **source)
{
	static const struct log_wants all = { 0 };

	return dkl_log_source_open_wanted(ctx, path, opts, &all, source);
}

int dkl_log_source_open_wanted(struct dkt_ctx *ctx, const char *path,
			       const struct dkt_source_opts *opts, const struct log_wants *wants,
			       struct dkt_source **source)
{
	int fd = opts && opts->fd ? fcntl(opts->fd - 1, F_DUPFD_CLOEXEC, 0) :
				    open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int err = fd < 0 ? 0 : dkl_log_clean(ctx, &fd);
	enum log_kind kind = fd < 0 || err ? LOG_NONE : dkl_log_kind_of(fd);
	const char *why = NULL;
	struct log_source *log;
	char byte;

	*source = NULL;
	if (err) {
		close(fd);
		return err;
	}
	if (kind == LOG_NONE) {
		if (fd >= 0 && pread(fd, &byte, 1, 0) < 0 && errno == EIO) {
			close(fd);
			return dkt_fail(ctx, -EIO, "read %s: %s",
					opts && opts->name ? opts->name : path, strerror(EIO));
		}
		if (fd >= 0) {
			why = dkl_log_kind_is_quoted(fd)   ? IN_STRINGS :
			      dkl_log_kind_lacks_times(fd) ? NO_TIMES :
							     NULL;
			close(fd);
		}
		err = opts && opts->buffer && !strcmp(opts->buffer, LOG_SOURCE_DUMP) ?
			      open_dump(ctx, path, opts, source) :
			      -EINVAL;
		if (err != -EINVAL)
			return err;
		err = dkt_source_open(ctx, path, opts, source);
		return err == -EINVAL && why ?
			       dkt_fail(ctx, err, "open %s: %s",
					opts && opts->name ? opts->name : path, why) :
			       err;
	}
	log = log_alloc(fd);
	if (!log)
		return dkt__no_memory(ctx);
	/*
	 * A copied descriptor shares the file position with other readers. Ignore errors: a pipe has
	 * no position.
	 */
	lseek(fd, 0, SEEK_SET);
	err = open_file(ctx, opts && opts->name ? opts->name : path, kind, wants, log);
	if (err) {
		dkl_log_source_free(log);
		return err;
	}
	return create(log, ctx, dkl_log_kind_name(kind), true, opts, source);
}

bool dkl_log_source_is(const struct dkt_source *source)
{
	const char *kind = dkt_source_info(source)->kind;

	for (int i = LOG_TEXT; i <= LOG_BINARY; i++)
		if (!strcmp(kind, dkl_log_kind_name((enum log_kind)i)))
			return true;
	return false;
}
