/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorders of a saved tree: the sections of the file, and a file that cannot grow for a while. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "lib/base/io.h"
#include "lib/inside.h"
#include "lib/tracedat.h"
#include "lib/tracedat/journal.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

/* The clock of the library, which only a test advances. */
static time_t clock_now;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_sec = clock_now };
	return 0;
}

#define EVENT_ID 7
#define PAGES    40
#define HEAD     16

struct room {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
};

static void make_cpu(const struct room *room, int cpu)
{
	uint8_t *bytes = calloc(PAGES, PAGE_BYTES);
	struct made_page page;
	char name[48];
	int i;

	assert_non_null(bytes);
	for (i = 0; i < PAGES; i++) {
		page_begin(&page, 1000 + 10 * (uint64_t)i + (uint64_t)cpu);
		page_record(&page, 0, EVENT_ID, (uint64_t)i);
		memcpy(bytes + i * PAGE_BYTES, page.bytes, PAGE_BYTES);
	}
	snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	assert_int_equal(tree_write(room->root, name, bytes, PAGES * PAGE_BYTES), 0);
	snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
	assert_int_equal(tree_text(room->root, name,
				   "entries: 5\noverrun: 3\ncommit overrun: 0\nbytes: 0\n"
				   "dropped events: 0\nread events: 40\n"),
			 0);
	free(bytes);
}

static int setup(void **state)
{
	struct room *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	assert_int_equal(tree_make(room->root), 0);
	assert_int_equal(tree_event(room->root, "made", "up", EVENT_ID,
				    "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n",
				    "\"%llu\", REC->value"),
			 0);
	assert_int_equal(tree_event(room->root, "made", "down", EVENT_ID + 1,
				    "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n",
				    "\"%llu\", REC->value"),
			 0);
	assert_int_equal(tree_text(room->root, "available_events", "made:up\nmade:down\n"), 0);
	assert_int_equal(tree_text(room->root, "set_event", "made:up\n"), 0);
	assert_int_equal(tree_text(room->root, "events/made/up/enable", "1\n"), 0);
	assert_int_equal(tree_text(room->root, "trace", ""), 0);
	assert_int_equal(tree_text(room->root, "trace_clock", "local [mono]\n"), 0);
	assert_int_equal(tree_text(room->root, "saved_cmdlines", "42 worker\n"), 0);
	make_cpu(room, 0);
	make_cpu(room, 1);
	room->ctx = tree_ctx(room->root);
	assert_non_null(room->ctx);
	assert_ok(room->ctx, dkt_instance_open(room->ctx, NULL, NULL, &room->in));
	*state = room;
	return 0;
}

static int teardown(void **state)
{
	struct room *room = *state;

	dkt_instance_close(room->in);
	dkt_ctx_free(room->ctx);
	assert_int_equal(tree_remove(room->root), 0);
	free(room);
	return 0;
}

static struct dkt_recorder *new_recorder(struct room *room, const struct dkt_recorder_opts *opts)
{
	struct dkt_recorder *recorder;

	assert_ok(room->ctx, dkt_recorder_new(room->ctx, opts, &recorder));
	assert_ok(room->ctx, dkt_recorder_add(recorder, room->in, ""));
	return recorder;
}

/* Records the tree into a new file, whose bytes the caller frees. */
static char *record(struct room *room, const struct dkt_recorder_opts *opts, size_t *len)
{
	struct dkt_recorder *recorder = new_recorder(room, opts);
	int fd = dkt__unnamed_file("/tmp");
	char *bytes;

	assert_true(fd >= 0);
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	dkt_recorder_free(recorder);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dkt__read_fd(fd, SIZE_MAX, &bytes, len), 0);
	close(fd);
	return bytes;
}

/* Counts the sections of a number, and adds up the bytes that they have after their heads. */
static unsigned int count(const char *bytes, size_t len, unsigned int id, uint64_t *sum)
{
	/* The options follow the beginning, whose last 8 bytes are their offset. */
	const char *p = bytes + 10 + 2 + 1 + 1 + 4;
	unsigned int n = 0;

	*sum = 0;
	p += strlen(p) + 1;
	p += strlen(p) + 1;
	p = bytes + dkt__get_number(p, 8);
	while (p < bytes + len) {
		assert_true(bytes + len - p >= HEAD);
		if (dkt__get_number(p, 2) == id) {
			n++;
			*sum += dkt__get_number(p + 8, 8);
		}
		p += HEAD + dkt__get_number(p + 8, 8);
	}
	assert_ptr_equal(p, bytes + len);
	return n;
}

static void every_page_is_in_a_section(void **state)
{
	uint64_t sum;
	size_t len;
	char *bytes = record(*state, NULL, &len);
	unsigned int n = count(bytes, len, DKT__JOURNAL_PAGES, &sum);

	assert_true(n >= 2);
	assert_int_equal(sum, n * 8 + 2 * PAGES * PAGE_BYTES);
	assert_int_equal(count(bytes, len, DKT__JOURNAL_BUFFER, &sum), 1);
	assert_int_equal(count(bytes, len, DKT__JOURNAL_END, &sum), 1);
	assert_int_equal(sum, 0);
	free(bytes);
}

static void write_misses(const struct room *room, int up, int down)
{
	char text[80];

	snprintf(text, sizeof(text), " up 90 %d\n down 80 %d\n", up, down);
	assert_int_equal(tree_text(room->root, "kprobe_profile", text), 0);
}

/* Reads from the file what the probe of an event has missed. */
static uint64_t missed_in(int fd, const char *probe)
{
	DKT_OPTS(dkt_source_opts, from, .fd = fd + 1);
	const struct dkt__missed *missed;
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	uint64_t n = 0;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, "made", &from, &source));
	for (missed = dkt__source_missed(source); missed; missed = missed->next)
		n += strcmp(missed->probe, probe) ? 0 : missed->n;
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return n;
}

/* Each file has those of its time and of the time before it, but only of events that are recorded. */
static void misses_of_probes_are_in_the_file(void **state)
{
	struct room *room = *state;
	int first = dkt__unnamed_file("/tmp"), second = dkt__unnamed_file("/tmp");
	struct dkt_recorder *recorder = new_recorder(room, NULL);

	assert_true(first >= 0 && second >= 0);
	assert_int_equal(tree_text(room->root, "dynamic_events", "p:made/up f\np:made/down f\n"),
			 0);
	assert_int_equal(tree_text(room->root, "events/made/down/enable", "0\n"), 0);
	write_misses(room, 3, 1);
	assert_ok(room->ctx, dkt_recorder_begin(recorder, first));
	write_misses(room, 5, 1);
	assert_ok(room->ctx, dkt_recorder_read(recorder));
	assert_int_equal(missed_in(first, "made:up"), 2);
	write_misses(room, 8, 6);
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	assert_int_equal(missed_in(first, "made:up"), 5);
	assert_int_equal(missed_in(first, "made:down"), 0);
	write_misses(room, 9, 6);
	assert_ok(room->ctx, dkt_recorder_begin(recorder, second));
	/* It was removed and created again. */
	write_misses(room, 2, 6);
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	assert_int_equal(missed_in(second, "made:up"), 2);
	dkt_recorder_free(recorder);
	close(first);
	close(second);
}

/* A dump of what was recorded before it: its misses are those since the dump before. */
static void misses_before_the_file_can_count(void **state)
{
	DKT_OPTS(dkt_recorder_opts, opts, .flags = DKT_RECORDER_FRESH);
	struct room *room = *state;
	struct dkt__missed *before = NULL;
	struct dkt_recorder *recorder = new_recorder(room, &opts);
	int fd = dkt__unnamed_file("/tmp");

	assert_true(fd >= 0);
	assert_int_equal(tree_text(room->root, "dynamic_events", "p:made/up f\np:made/down f\n"),
			 0);
	write_misses(room, 0, 0);
	assert_ok(room->ctx, dkt__missed_read(room->ctx, &before));
	assert_null(before);
	write_misses(room, 3, 1);
	assert_ok(room->ctx, dkt__missed_read(room->ctx, &before));
	write_misses(room, 7, 1);
	assert_ok(room->ctx, dkt__recorder_missed_since(recorder, before));
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	assert_int_equal(missed_in(fd, "made:up"), 4);
	dkt_recorder_free(recorder);
	close(fd);
}

/* BTF is in a recording if the instance's tracer records arguments, and stays in the finished file. */
static void arguments_of_functions_bring_btf(void **state)
{
	static const struct {
		const char *tracer, *function, *graph;
		unsigned int n;
	} cases[] = {
		{ "nop\n", "1\n", "1\n", 0 },
		{ "function\n", "0\n", "1\n", 0 },
		{ "function\n", "1\n", "0\n", 1 },
		{ "function_graph\n", "0\n", "1\n", 1 },
	};
	struct room *room = *state;
	char path[80], *bytes;
	uint64_t sum;
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {

		assert_int_equal(tree_text(room->root, "current_tracer", cases[i].tracer), 0);
		assert_int_equal(tree_text(room->root, "options/func-args", cases[i].function), 0);
		assert_int_equal(tree_text(room->root, "options/funcgraph-args", cases[i].graph),
				 0);
		/* A kernel without it records numbers. */
		bytes = record(room, NULL, &len);
		assert_int_equal(count(bytes, len, DAT_BTF, &sum), 0);
		free(bytes);
		assert_int_equal(tree_text(room->root, "btf/vmlinux", "made"), 0);
		bytes = record(room, NULL, &len);
		assert_int_equal(count(bytes, len, DAT_BTF, &sum), cases[i].n);
		assert_int_equal(sum, 4 * cases[i].n);
		free(bytes);
		snprintf(path, sizeof(path), "%s/btf/vmlinux", room->root);
		assert_int_equal(unlink(path), 0);
	}
}

static void packed_pages_are_smaller(void **state)
{
	DKT_OPTS(dkt_recorder_opts, opts, .compression = "zstd");
	uint64_t sum;
	size_t len;
	char *bytes = record(*state, &opts, &len);

	assert_true(count(bytes, len, DKT__JOURNAL_PAGES, &sum) >= 2);
	assert_true(sum < 2 * PAGES * PAGE_BYTES / 4);
	free(bytes);
}

/* One piece exceeds the limit, and the CPU after it is not compressed. */
static void pages_beyond_the_limit_are_not_packed(void **state)
{
	DKT_OPTS(dkt_recorder_opts, opts, .compression = "zstd", .compress_most = 1);
	DKT_OPTS(dkt_source_opts, from, .fd = 0);
	struct room *room = *state;
	struct dkt_record record;
	int fd = dkt__unnamed_file("/tmp"), records = 0;
	struct dkt_recorder *recorder;
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	uint64_t sum;
	size_t len;
	char *bytes;

	assert_true(fd >= 0);
	recorder = new_recorder(room, &opts);
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	dkt_recorder_free(recorder);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dkt__read_fd(fd, SIZE_MAX, &bytes, &len), 0);
	assert_true(count(bytes, len, DKT__JOURNAL_PAGES, &sum) >= 2);
	assert_true(sum > PAGES * PAGE_BYTES && sum < PAGES * PAGE_BYTES * 5 / 4);
	free(bytes);
	from.fd = fd + 1;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, "made", &from, &source));
	while (dkt_source_next(source, &record) == DKT_NEXT_RECORD)
		records++;
	assert_int_equal(records, 2 * PAGES);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
}

/* Has the kernel keep that many names, and one more. */
static void keep_names(const struct room *room, int n, const char *last)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	for (int pid = 100; pid < 100 + n; pid++)
		fprintf(f, "%d worker\n", pid);
	fprintf(f, "%s\n", last);
	fclose(f);
	assert_int_equal(tree_text(room->root, "saved_cmdlines", text), 0);
	free(text);
}

/* True if the file has the text. */
static bool has(int fd, const char *text)
{
	char *bytes;
	size_t len;
	bool found;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dkt__read_fd(fd, SIZE_MAX, &bytes, &len), 0);
	found = memmem(bytes, len, text, strlen(text));
	free(bytes);
	return found;
}

/*
 * Records while the kernel keeps so many names, and reads again so many seconds later. Returns true if the file has
 * a name that the kernel got in between.
 */
static bool has_late_name(struct room *room, int n, time_t later, int fd)
{
	struct dkt_recorder *recorder = new_recorder(room, NULL);
	bool found;

	keep_names(room, n, "7 first");
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	/* All names were new, so they are read again at once. */
	keep_names(room, n, "8 second");
	assert_ok(room->ctx, dkt_recorder_read(recorder));
	assert_true(has(fd, "8 second\n"));
	keep_names(room, n, "9 third");
	clock_now += later;
	assert_ok(room->ctx, dkt_recorder_read(recorder));
	found = has(fd, "9 third\n");
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	assert_true(has(fd, "9 third\n"));
	dkt_recorder_free(recorder);
	return found;
}

static void many_names_are_read_less_often(void **state)
{
	static const struct {
		int n;
		time_t later;
		bool found;
	} cases[] = { { 900, 0, true }, { 20000, 9, false }, { 20000, 10, true } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int file = dkt__unnamed_file("/tmp");

		assert_true(file >= 0);
		assert_int_equal(has_late_name(*state, cases[i].n, cases[i].later, file),
				 cases[i].found);
		close(file);
	}
}

/* The file system is full at every place in turn, for a moment: no byte is missing or comes twice. */
static void a_full_disk_costs_nothing(void **state)
{
	struct room *room = *state;
	struct dkt_recorder *recorder = new_recorder(room, NULL);
	struct rlimit limit, before;
	int fd = dkt__unnamed_file("/tmp"), err;
	unsigned int refused = 0;
	uint64_t sum;
	char *bytes;
	size_t len;

	assert_true(fd >= 0);
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)lseek(fd, 0, SEEK_CUR);
	do {
		limit.rlim_cur += 777;
		setrlimit(RLIMIT_FSIZE, &limit);
		err = dkt_recorder_read(recorder);
		assert_true(!err || err == -EFBIG);
		refused += !!err;
	} while (err);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	assert_true(refused > 2 * PAGES * PAGE_BYTES / 1000);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dkt__read_fd(fd, SIZE_MAX, &bytes, &len), 0);
	assert_true(count(bytes, len, DKT__JOURNAL_PAGES, &sum) >= 2);
	assert_int_equal((sum - 8) / PAGE_BYTES, 2 * PAGES);
	assert_int_equal(count(bytes, len, DKT__JOURNAL_END, &sum), 1);
	free(bytes);
	dkt_recorder_free(recorder);
	close(fd);
}

/* ---- many CPUs ---- */

#define MANY 600

/* A piece of 1 MiB is 256 pages. */
#define MANY_PAGES 260

/* Gives every CPU the pages of one file, which do not shrink as far as a reader refuses. */
static void make_many(const struct room *room)
{
	uint8_t *bytes = calloc(MANY_PAGES, PAGE_BYTES);
	unsigned int seed = 1;
	struct made_page page;
	char name[64], from[TREE_NAME + 64], to[TREE_NAME + 64];

	assert_non_null(bytes);
	for (int i = 0; i < MANY_PAGES; i++) {
		page_begin(&page, 1000 + (uint64_t)i);
		for (int n = 0; n < 4; n++)
			page_record(&page, 0, EVENT_ID,
				    (uint64_t)rand_r(&seed) << 32 | (uint64_t)rand_r(&seed));
		memcpy(bytes + i * PAGE_BYTES, page.bytes, PAGE_BYTES);
		for (int at = PAGE_BYTES - 128; at < PAGE_BYTES; at++)
			bytes[i * PAGE_BYTES + at] = (uint8_t)rand_r(&seed);
	}
	assert_int_equal(tree_write(room->root, "per_cpu/cpu0/trace_pipe_raw", bytes,
				    MANY_PAGES * PAGE_BYTES),
			 0);
	free(bytes);
	snprintf(from, sizeof(from), "%s/per_cpu/cpu0/trace_pipe_raw", room->root);
	for (int cpu = 2; cpu < MANY; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
		assert_int_equal(tree_text(room->root, name, "entries: 0\n"), 0);
		snprintf(to, sizeof(to), "%s/per_cpu/cpu%d/trace_pipe_raw", room->root, cpu);
		assert_int_equal(link(from, to), 0);
	}
}

static void packed_pages_of_many_cpus_can_be_read(void **state)
{
	DKT_OPTS(dkt_recorder_opts, opts, .compression = "zstd");
	DKT_OPTS(dkt_source_opts, from, .fd = 0);
	struct room *room = *state;
	int fd = dkt__unnamed_file("/tmp");
	struct dkt_recorder *recorder;
	struct dkt_source *source;
	struct dkt_ctx *ctx;

	assert_true(fd >= 0);
	make_many(room);
	dkt_instance_close(room->in);
	assert_ok(room->ctx, dkt_instance_open(room->ctx, NULL, NULL, &room->in));
	assert_int_equal(dkt_instance_n_cpus(room->in), MANY);
	recorder = new_recorder(room, &opts);
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	dkt_recorder_free(recorder);
	from.fd = fd + 1;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, "many", &from, &source));
	assert_int_equal(dkt_source_info(source)->cpus, MANY);
	assert_null(dkt_source_info(source)->damage);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
}

static uint64_t no_room(void *data, uint64_t written)
{
	(void)data;
	(void)written;
	return 0;
}

static void without_room_the_records_count_as_lost(void **state)
{
	DKT_OPTS(dkt_recorder_opts, opts, .room = no_room);
	struct room *room = *state;
	struct dkt_recorder *recorder = new_recorder(room, &opts);
	struct dkt_recorder_counts counts;
	int fd = dkt__unnamed_file("/tmp");

	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_fails(room->ctx, -EDQUOT, "there is no room for more records",
		     dkt_recorder_read(recorder));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	assert_ok(room->ctx, dkt_recorder_get_counts(recorder, &counts, sizeof(counts)));
	assert_int_equal(counts.lost, 10);
	dkt_recorder_free(recorder);
	close(fd);
}

static void calls_in_the_wrong_order_are_refused(void **state)
{
	DKT_OPTS(dkt_recorder_opts, opts, .compression = "rot13");
	struct room *room = *state;
	struct dkt_recorder *recorder;
	int fd = dkt__unnamed_file("/tmp");

	assert_fails(room->ctx, -EINVAL,
		     "compression 'rot13' is not supported; use zstd, zlib or none",
		     dkt_recorder_new(room->ctx, &opts, &recorder));
	assert_ok(room->ctx, dkt_recorder_new(room->ctx, NULL, &recorder));
	assert_fails(room->ctx, -EINVAL, "begin a recording: it has no instance",
		     dkt_recorder_begin(recorder, fd));
	assert_fails(room->ctx, -EINVAL, "the recording has not begun",
		     dkt_recorder_read(recorder));
	assert_ok(room->ctx, dkt_recorder_add(recorder, room->in, ""));
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_fails(room->ctx, -EBUSY, "begin a recording: the last one has not ended",
		     dkt_recorder_begin(recorder, fd));
	assert_fails(room->ctx, -EBUSY, "add an instance: the recording has begun",
		     dkt_recorder_add(recorder, room->in, "b"));
	dkt_recorder_free(recorder);
	close(fd);
}

static void a_file_that_takes_nothing_costs_nothing(void **state)
{
	struct room *room = *state;
	struct dkt_recorder *recorder = new_recorder(room, NULL);
	int full = open("/dev/full", O_RDWR), fd = dkt__unnamed_file("/tmp");
	uint64_t sum;
	size_t len;
	char *bytes;

	assert_fails(room->ctx, -ENOSPC, "write the recording: No space left on device",
		     dkt_recorder_begin(recorder, full));
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	dkt_recorder_free(recorder);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dkt__read_fd(fd, SIZE_MAX, &bytes, &len), 0);
	assert_int_equal(count(bytes, len, DKT__JOURNAL_END, &sum), 1);
	assert_true(count(bytes, len, DKT__JOURNAL_PAGES, &sum) >= 2);
	assert_true(sum >= 2 * PAGES * PAGE_BYTES);
	free(bytes);
	close(full);
	close(fd);
}

static void formats_of_later_events_are_added_once(void **state)
{
	struct room *room = *state;
	struct dkt_recorder *recorder = new_recorder(room, NULL);
	int fd = dkt__unnamed_file("/tmp");
	uint64_t sum;
	size_t len;
	char *bytes;

	assert_fails(room->ctx, -EINVAL, "the recording has not begun",
		     dkt__recorder_formats(recorder));
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt__recorder_formats(recorder));
	assert_int_equal(tree_text(room->root, "set_event", "made:up\nmade:down\n"), 0);
	assert_int_equal(tree_text(room->root, "events/made/down/enable", "1\n"), 0);
	assert_ok(room->ctx, dkt__recorder_formats(recorder));
	assert_ok(room->ctx, dkt__recorder_formats(recorder));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	dkt_recorder_free(recorder);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(dkt__read_fd(fd, SIZE_MAX, &bytes, &len), 0);
	assert_int_equal(count(bytes, len, DAT_EVENT_FORMATS, &sum), 2);
	assert_non_null(memmem(bytes, len, "name: down", strlen("name: down")));
	free(bytes);
	close(fd);
}

/* Reads the losses of a file. */
static void read_losses(int fd, uint64_t lost[2])
{
	DKT_OPTS(dkt_source_opts, opts, .fd = fd + 1, .flags = DKT_SOURCE_ALL);
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_loss loss;
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, "file", &opts, &source));
	while (!dkt_source_next(source, &record))
		;
	for (int cpu = 0; cpu < 2; cpu++) {
		assert_ok(ctx, dkt_source_get_loss(source, cpu, &loss, sizeof(loss)));
		lost[cpu] = loss.lost;
	}
	dkt_source_close(source);
	dkt_ctx_free(ctx);
}

/* Sets the kernel's counts of a CPU. */
static void set_stats(const struct room *room, int cpu, unsigned int overrun, unsigned int read)
{
	char name[48], text[128];

	snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
	snprintf(text, sizeof(text),
		 "entries: 0\noverrun: %u\ncommit overrun: 0\nbytes: 0\ndropped events: 0\n"
		 "read events: %u\n",
		 overrun, read);
	assert_int_equal(tree_text(room->root, name, text), 0);
}

static void assert_lost(const struct room *room, struct dkt_recorder *recorder, uint64_t lost)
{
	struct dkt_recorder_counts counts;

	assert_ok(room->ctx, dkt_recorder_get_counts(recorder, &counts, sizeof(counts)));
	assert_int_equal(counts.lost, lost);
}

static void losses_are_counted_while_nothing_can_be_written(void **state)
{
	DKT_OPTS(dkt_recorder_opts, opts, .room = no_room);
	struct room *room = *state;
	struct dkt_recorder *recorder = new_recorder(room, &opts);
	int fd = dkt__unnamed_file("/tmp");

	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_lost(room, recorder, 0);
	set_stats(room, 0, 1003, 40);
	assert_lost(room, recorder, 1000);
	/* Somebody has emptied the buffer. */
	set_stats(room, 0, 1, 0);
	assert_lost(room, recorder, 1);
	dkt_recorder_free(recorder);
	close(fd);
}

static void after_a_kill_it_goes_on_and_counts(void **state)
{
	struct room *room = *state;
	struct dkt_recorder *recorder = new_recorder(room, NULL);
	int fd = dkt__unnamed_file("/tmp");
	uint64_t lost[2];

	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_wait(recorder, 0));
	dkt_recorder_free(recorder);
	/* 40 records were handed out before the file, 40 are in it, 5 are in neither; 4 were overwritten. */
	for (int cpu = 0; cpu < 2; cpu++)
		set_stats(room, cpu, 7, 85);
	recorder = new_recorder(room, NULL);
	assert_ok(room->ctx, dkt__recorder_resume(recorder, fd));
	assert_fails(room->ctx, -EBUSY, "resume a recording: the last one has not ended",
		     dkt__recorder_resume(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	read_losses(fd, lost);
	assert_int_equal(lost[0], 5 + 4);
	assert_int_equal(lost[1], 5 + 4);
	/* It is finished now. */
	assert_int_equal(dkt__recorder_resume(recorder, fd), 1);
	dkt_recorder_free(recorder);
	close(fd);
}

/* Counts the tree's records with these options; each CPU has PAGES records of one event. */
static void check_counts(struct room *room, const struct dkt_recorder_opts *opts)
{
	struct dkt_recorder *recorder = new_recorder(room, opts);
	struct dkt__event_counts counts;
	int fd = dkt__unnamed_file("/tmp");

	assert_ok(room->ctx,
		  dkt__recorder_event_counts(recorder, 1, EVENT_ID, &counts, sizeof(counts)));
	assert_int_equal(counts.records, 0);
	assert_ok(room->ctx, dkt__recorder_count_events(recorder));
	assert_ok(room->ctx, dkt_recorder_begin(recorder, fd));
	assert_ok(room->ctx, dkt_recorder_end(recorder));
	assert_ok(room->ctx,
		  dkt__recorder_event_counts(recorder, 1, EVENT_ID, &counts, sizeof(counts)));
	assert_int_equal(counts.records, PAGES);
	assert_int_equal(counts.bytes, PAGES * 16);
	assert_ok(room->ctx,
		  dkt__recorder_event_counts(recorder, 1, EVENT_ID + 1, &counts, sizeof(counts)));
	assert_int_equal(counts.records, 0);
	assert_fails(room->ctx, -ENOENT, "the recording has no cpu 2",
		     dkt__recorder_event_counts(recorder, 2, EVENT_ID, &counts, sizeof(counts)));
	assert_fails(room->ctx, -EINVAL, "65536 is not the ID of an event",
		     dkt__recorder_event_counts(recorder, 0, 65536, &counts, sizeof(counts)));
	dkt_recorder_free(recorder);
	close(fd);
}

static void records_are_counted_by_event(void **state)
{
	DKT_OPTS(dkt_recorder_opts, packed, .compression = "zstd");

	check_counts(*state, NULL);
	check_counts(*state, &packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_page_is_in_a_section, setup, teardown),
		cmocka_unit_test_setup_teardown(pages_beyond_the_limit_are_not_packed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(many_names_are_read_less_often, setup, teardown),
		cmocka_unit_test_setup_teardown(misses_of_probes_are_in_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(misses_before_the_file_can_count, setup, teardown),
		cmocka_unit_test_setup_teardown(arguments_of_functions_bring_btf, setup, teardown),
		cmocka_unit_test_setup_teardown(packed_pages_are_smaller, setup, teardown),
		cmocka_unit_test_setup_teardown(packed_pages_of_many_cpus_can_be_read, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_full_disk_costs_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(without_room_the_records_count_as_lost, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_file_that_takes_nothing_costs_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(formats_of_later_events_are_added_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(losses_are_counted_while_nothing_can_be_written,
						setup, teardown),
		cmocka_unit_test_setup_teardown(after_a_kill_it_goes_on_and_counts, setup,
						teardown),
		cmocka_unit_test_setup_teardown(records_are_counted_by_event, setup, teardown),
		cmocka_unit_test_setup_teardown(calls_in_the_wrong_order_are_refused, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
