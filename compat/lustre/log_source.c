/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of Lustre's debug log as sources of records, beside those that the library knows. */
#include "lustre/log_source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "lustre/log_text.h"
#include "lustre/record/event.h"
#include "lustre/record/sort.h"

/* So much of a file is looked at to know its kind. */
#define LOOK 512

#define TEXT_WORDS   "text of the debug log"
#define BINARY_WORDS "binary debug log"

struct log_source {
	struct dkt_event *event;
	struct record_sort *sort;
	struct spill spill; /* the records that were a text */
	int fd;
	uint64_t bad;
	char *damage;
	uint64_t seen, lost;
	uint64_t done, size; /* bytes of records */
	uint8_t data[RECORD_EVENT_MAX];
};

/* The line that a gap in the log is printed as is a gap again. */
static bool take_gap(const uint8_t *rec, size_t len, struct dkt_record *record)
{
	struct record_texts texts;
	const char *p;

	record_texts(rec, len, &texts);
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

static int log_next(void *data, struct dkt_record *record)
{
	struct log_source *log = data;
	const uint8_t *rec;
	uint32_t len;
	int err = record_sort_next(log->sort, &rec, &len);

	if (err)
		return err;
	log->done += len;
	record_event_fill(log->event, rec, len, log->data, record);
	if (!take_gap(rec, len, record))
		log->seen++;
	else if (record->lost != DKT_LOST_UNKNOWN)
		log->lost += record->lost;
	return 0;
}

static int log_loss(void *data, int cpu, struct dkt_loss *loss)
{
	const struct log_source *log = data;

	/* What was lost and damaged is not known by CPU. */
	if (!cpu)
		*loss = (struct dkt_loss){ .seen = log->seen, .lost = log->lost, .bad = log->bad };
	return 0;
}

static int log_bytes(const void *data, uint64_t *done, uint64_t *of)
{
	const struct log_source *log = data;

	*done = log->done;
	*of = log->size;
	return 0;
}

static void log_close(void *data)
{
	struct log_source *log = data;

	record_sort_free(log->sort);
	spill_close(&log->spill);
	if (log->fd >= 0)
		close(log->fd);
	free(log->damage);
	free(log);
}

static const struct dkt_source_calls log_calls = {
	.sz = sizeof(log_calls),
	.next = log_next,
	.loss = log_loss,
	.close = log_close,
	.bytes = log_bytes,
};

/* ---- kinds ---- */

enum kind {
	KIND_NONE,
	KIND_TEXT,
	KIND_BINARY,
};

/* A first record that makes sense, names and all. */
static bool is_binary(const char *bytes, size_t len)
{
	struct record_head head;
	struct record_texts texts;

	if (len <= sizeof(head))
		return false;
	head = record_head((const uint8_t *)bytes);
	if (head.len <= sizeof(head) || head.len > RECORD_MAX || head.sec < 1u << 30 ||
	    head.usec > 999999 || head.type > 2 || head.line > 65536 || head.stack > 65536)
		return false;
	record_texts((const uint8_t *)bytes, head.len < len ? head.len : len, &texts);
	return texts.file_len < 256 && texts.function_len < 256 &&
	       texts.text > (const char *)bytes + sizeof(head) + 1;
}

static enum kind kind_of(int fd)
{
	char bytes[LOOK + 1];
	struct record_head head;
	ssize_t n = pread(fd, bytes, LOOK, 0);

	if (n <= 0)
		return KIND_NONE;
	bytes[n] = '\0';
	if (log_text_head(bytes, &head) || !strncmp(bytes, "Debug log: ", 11))
		return KIND_TEXT;
	return is_binary(bytes, (size_t)n) ? KIND_BINARY : KIND_NONE;
}

static int tell_end(struct log_source *log)
{
	const struct record_counts *counts = record_sort_counts(log->sort);

	log->bad += counts->bad;
	if (counts->end != RECORD_END &&
	    asprintf(&log->damage, "the record at offset %" PRIu64 " is torn", counts->end_at) <
		    0) {
		log->damage = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int open_log(struct dkt_ctx *ctx, const char *name, enum kind kind, struct log_source *log)
{
	struct record_sort_opts opts = { .fd = log->fd,
					 .name = name,
					 .show = { UINT32_MAX, UINT32_MAX } };
	struct stat st;
	int err = 0;

	if (kind == KIND_TEXT) {
		err = spill_open(ctx, &log->spill);
		if (!err)
			err = log_text_read(ctx, log->fd, &log->spill, &log->bad);
		opts.fd = log->spill.fd;
	}
	log->size = fstat(opts.fd, &st) ? 0 : (uint64_t)st.st_size;
	opts.size = log->size;
	if (!err)
		err = record_sort_new(ctx, &opts, &log->sort);
	return err ? err : tell_end(log);
}

int log_source_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		    struct dkt_source **source)
{
	struct dkt_source_info info = { .has_wall = true };
	int fd = opts && opts->fd ? fcntl(opts->fd - 1, F_DUPFD_CLOEXEC, 0) :
				    open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	enum kind kind = fd < 0 ? KIND_NONE : kind_of(fd);
	struct log_source *log;
	int err;

	*source = NULL;
	if (kind == KIND_NONE) {
		if (fd >= 0)
			close(fd);
		return dkt_source_open(ctx, path, opts, source);
	}
	log = calloc(1, sizeof(*log));
	if (!log) {
		close(fd);
		return -ENOMEM;
	}
	log->fd = fd;
	log->spill.fd = -1;
	/* A copy of a descriptor stands where another reader left it; a pipe has one reader only. */
	lseek(fd, 0, SEEK_SET);
	err = open_log(ctx, opts && opts->name ? opts->name : path, kind, log);
	if (err) {
		log_close(log);
		return err;
	}
	info.kind = kind == KIND_TEXT ? TEXT_WORDS : BINARY_WORDS;
	info.damage = log->damage;
	/* Of what a log is, its records say: CPUs have 16 bits. */
	info.cpus = 1;
	err = dkt_source_make(ctx, &log_calls, log, &info, opts, source);
	if (!err)
		err = record_event(ctx, &log->event);
	if (err)
		dkt_source_close(*source);
	if (err)
		*source = NULL;
	return err;
}

bool log_source_is(const struct dkt_source *source)
{
	const char *kind = dkt_source_info(source)->kind;

	return !strcmp(kind, TEXT_WORDS) || !strcmp(kind, BINARY_WORDS);
}
