/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory of segments and its index. */
#include "recording/record/segments.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/base/turn.h"
#include "lib/base/when.h"

#define INDEX "index"

/* A larger file is not an index. */
#define INDEX_MAX (64 << 20)

/* Clocks that are adjusted while a segment is recorded move its records by so much at most. */
#define SLACK DKT__NSEC_PER_SEC

/* ---- names ---- */

void segment_name(char name[SEGMENT_NAME], int64_t time, uint64_t number)
{
	const time_t seconds = (time_t)time;
	char when[32] = "00000000T000000Z";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, SEGMENT_NAME, "dktrace-%s-%06" PRIu64 ".dat", when, number);
}

bool segment_read_name(const char *name, uint64_t *number, int64_t *time)
{
	static const char shape[] = "dktrace-########T######Z-";
	char again[SEGMENT_NAME];
	struct tm tm = { 0 };
	const char *p;

	for (size_t i = 0; i < sizeof(shape) - 1; i++)
		if (shape[i] == '#' ? name[i] < '0' || name[i] > '9' : name[i] != shape[i])
			return false;
	p = name + sizeof(shape) - 1;
	if (dkt__take_u64(&p, NULL, DKT__DEC, number) ||
	    !strptime(name + strlen("dktrace-"), "%Y%m%dT%H%M%SZ", &tm))
		return false;
	*time = (int64_t)timegm(&tm);
	/* More leading zeros would give the same segment a second name. */
	segment_name(again, *time, *number);
	return !strcmp(name, again);
}

/* ---- the index ---- */

bool segments_parse(const char *line, struct segment *segment)
{
	const char *end = strchr(line, ' '), *p = end;
	const struct {
		int64_t *number;
		uint64_t *count;
	} fields[] = { { .number = &segment->from },   { .number = &segment->to },
		       { .count = &segment->bytes },   { .number = &segment->mtime },
		       { .count = &segment->records }, { .count = &segment->lost },
		       { .count = &segment->run } };
	const size_t last = ARRAY_SIZE(fields) - 1;
	int64_t time;

	*segment = (struct segment){ .known = true };
	if (!end || end - line >= SEGMENT_NAME)
		return false;
	memcpy(segment->name, line, (size_t)(end - line));
	if (!segment_read_name(segment->name, &segment->number, &time))
		return false;
	/* An index of an earlier version has no IDs. */
	for (size_t i = 0; i <= last && (i < last || *p); i++) {
		if (*p++ != ' ')
			return false;
		if (fields[i].number ? dkt__take_s64(&p, NULL, DKT__DEC, fields[i].number) :
				       dkt__take_u64(&p, NULL, DKT__DEC, fields[i].count))
			return false;
	}
	return !*p && segment->from <= segment->to;
}

static int by_number(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number) ?: strcmp(x->name, y->name);
}

static void sort(struct segments *segments)
{
	if (segments->n)
		qsort(segments->list, segments->n, sizeof(*segments->list), by_number);
}

/* Reads the index. Skips truncated and foreign lines, and a file that is not an index. */
static int read_index(int dir, struct segments *index)
{
	int fd __cleanup(close) =
		openat(dir, INDEX, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text __cleanup(free) = NULL, *rest, *line;
	struct segment segment;
	size_t len;
	int err;

	if (fd < 0)
		return 0;
	err = dkt__read_fd(fd, INDEX_MAX, &text, &len);
	if (err)
		return err == -ENOMEM ? err : 0;
	rest = text;
	/* The last line counts only if it has its end. */
	while (!err && (line = strsep(&rest, "\n")) && rest)
		if (segments_parse(line, &segment))
			err = dkt__append(index->list, index->n, segment);
	sort(index);
	return err;
}

/* ---- reading ---- */

static bool look(int dir, struct segment *segment)
{
	struct stat st;

	if (fstatat(dir, segment->name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return false;
	segment->bytes = (uint64_t)st.st_size;
	segment->mtime = dkt__timespec_ns(&st.st_mtim);
	return true;
}

/* Adds the facts of the file from the index, if size and time show that it is still that file. */
static void know(const struct segments *index, struct segment *segment)
{
	const struct segment *line =
		index->n ? bsearch(segment, index->list, index->n, sizeof(*line), by_number) : NULL;

	if (line && line->bytes == segment->bytes && line->mtime == segment->mtime)
		*segment = *line;
}

static int read_names(DIR *dir, const struct segments *index, struct segments *segments)
{
	struct dirent *entry;
	int err = 0;

	while (!err && (entry = readdir(dir))) {
		struct segment segment = { 0 };
		int64_t time;

		if (!segment_read_name(entry->d_name, &segment.number, &time))
			continue;
		segment_name(segment.name, time, segment.number);
		if (!look(dirfd(dir), &segment))
			continue;
		know(index, &segment);
		err = dkt__append(segments->list, segments->n, segment);
	}
	sort(segments);
	return err;
}

int segments_are_in(const char *path)
{
	DIR *dir __cleanup(closedir) = opendir(path);
	struct dirent *entry;
	uint64_t number;
	int64_t time;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (segment_read_name(entry->d_name, &number, &time))
			return 1;
	return 0;
}

int segments_read(struct dkt_ctx *ctx, const char *path, struct segments *segments)
{
	DIR *dir __cleanup(closedir) = opendir(path);
	struct segments index = { 0 };
	int err;

	*segments = (struct segments){ 0 };
	if (!dir)
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	err = read_index(dirfd(dir), &index);
	if (!err)
		err = read_names(dir, &index, segments);
	segments_free(&index);
	return dkt__with_words(ctx, err);
}

void segments_free(struct segments *segments)
{
	free(segments->list);
	*segments = (struct segments){ 0 };
}

bool segment_is_within(const struct segment *segment, int64_t since, int64_t until)
{
	if (!segment->known)
		return true;
	return (segment->to >= INT64_MAX - SLACK || segment->to + SLACK >= since) &&
	       (segment->from <= INT64_MIN + SLACK || segment->from - SLACK < until);
}

/* ---- writing ---- */

static int write_index(struct dkt_ctx *ctx, const char *path, const struct segments *segments)
{
	char *name __cleanup(free) = dkt__format("%s/" INDEX, path);
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err;

	for (size_t i = 0; f && i < segments->n; i++) {
		const struct segment *s = &segments->list[i];

		if (s->known)
			fprintf(f,
				"%s %" PRId64 " %" PRId64 " %" PRIu64 " %" PRId64 " %" PRIu64
				" %" PRIu64 " %" PRIu64 "\n",
				s->name, s->from, s->to, s->bytes, s->mtime, s->records, s->lost,
				s->run);
	}
	err = dkt__text_end(f, name ? 0 : -ENOMEM, &text);
	if (!err)
		err = dkt__replace_file(name, text, len, true);
	return err ? dkt_fail(ctx, err, "write %s: %s", name ? name : INDEX, strerror(-err)) : 0;
}

/* The daemon and its worker change the index. A line that gets lost without a turn is noted again. */
int segments_note(struct dkt_ctx *ctx, const char *path, const struct segment *segment)
{
	int turn __cleanup(close) = dkt__turn_begin(path, 0);
	struct segments segments;
	int err = segments_read(ctx, path, &segments);

	(void)turn; /* until the end of the function */
	for (size_t i = 0; !err && i < segments.n; i++) {
		struct segment *at = &segments.list[i];
		const uint64_t bytes = at->bytes;
		const int64_t mtime = at->mtime;

		if (strcmp(at->name, segment->name) != 0)
			continue;
		*at = *segment;
		at->known = true;
		at->bytes = bytes;
		at->mtime = mtime;
	}
	if (!err)
		err = write_index(ctx, path, &segments);
	segments_free(&segments);
	return err;
}

/* True if the last record of a segment is older than the limit. */
static bool is_aged(const struct segment *segment, const struct segments_limits *limits)
{
	const int64_t end = segment->known ? segment->to : segment->mtime;

	/* An index can have any time, INT64_MIN too. */
	return limits->keep && limits->now > end &&
	       (uint64_t)limits->now - (uint64_t)end > limits->keep;
}

/* A segment that ended in the future ended before the next one: the clock has been set back since. */
static bool is_ahead(const struct segment *segment, const struct segments_limits *limits)
{
	return (segment->known ? segment->to : segment->mtime) > limits->now;
}

/* Returns how many segments, from the oldest, are too old. */
static size_t count_aged(const struct segments *segments, const struct segments_limits *limits)
{
	size_t aged = 0;

	for (size_t i = 0; i < segments->n; i++) {
		if (is_aged(&segments->list[i], limits))
			aged = i + 1;
		else if (!is_ahead(&segments->list[i], limits))
			break;
	}
	return aged;
}

int segments_prune(struct dkt_ctx *ctx, const char *path, const struct segments_limits *limits)
{
	int turn __cleanup(close) = dkt__turn_begin(path, 0);
	struct segments segments;
	uint64_t bytes = 0;
	bool gone = false;
	int err = segments_read(ctx, path, &segments), dir;
	size_t aged;

	(void)turn; /* until the end of the function */
	if (err)
		return err;
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < segments.n; i++)
		bytes += segments.list[i].bytes;
	aged = count_aged(&segments, limits);
	for (size_t i = 0; dir >= 0 && i < segments.n; i++) {
		struct segment *s = &segments.list[i];

		if (s->number >= limits->spare ||
		    (i >= aged && (!limits->max_size || bytes <= limits->max_size)))
			break;
		if (unlinkat(dir, s->name, 0))
			continue;
		bytes -= s->bytes;
		s->known = false;
		gone = true;
	}
	if (dir >= 0)
		close(dir);
	if (gone)
		err = write_index(ctx, path, &segments);
	segments_free(&segments);
	return err;
}
