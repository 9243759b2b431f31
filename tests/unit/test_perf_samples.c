/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples with fields that few machines record: weights, branches, registers, stacks, memory. The file is
 * made here, in both byte orders.
 */
#include <byteswap.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "lib/base/buf.h"
#include "lib/base/perf_magic.h"
#include "lib/ctx.h"
#include "lib/inside.h"
#include "lib/perfdata.h"
#include "lib/tracedat/pack.h"
#include "tests/helper/check.h"

#define WEIGHT_STRUCT (1u << 24)

/* Sizes of struct perf_file_header and struct perf_event_attr of this version. */
enum { HEAD = 104, ATTR = 128 };

struct maker {
	struct dkt_buf buf;
	bool swap;
};

static void put(struct maker *m, uint64_t value, int size)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, (unsigned int)size, m->swap != DKT__BIG_ENDIAN);
	dkt__buf_add(&m->buf, bytes, (size_t)size);
}

static void put_words(struct maker *m, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(m, words[i], 8);
}

/* Two numbers of 32 bits in a word, in the order in which they are in the file. */
static uint64_t pair(const struct maker *m, uint32_t first, uint32_t second)
{
	return m->swap != DKT__BIG_ENDIAN ? (uint64_t)first << 32 | second :
					    (uint64_t)second << 32 | first;
}

/* features: bits of those whose sections follow the records. The longs of its machine have 32 bits. */
static void put_header_of(struct maker *m, uint64_t data_size, uint32_t features)
{
	const uint64_t words[] = { HEAD,
				   ATTR + 16,
				   HEAD,
				   ATTR + 16,
				   HEAD + ATTR + 16,
				   data_size,
				   0,
				   0,
				   pair(m, features, 0),
				   0,
				   0,
				   0 };

	dkt__buf_add(&m->buf, m->swap ? DKT__PERF_MAGIC_OTHER : DKT__PERF_MAGIC, 8);
	put_words(m, words, ARRAY_SIZE(words));
}

/* The name of the machine, which tells the names of registers, is not there. */
static void put_header(struct maker *m, uint64_t data_size)
{
	put_header_of(m, data_size, 0);
}

/* precise: bits that say how an event is recorded; the IDs are at the end of the file, and none are needed. */
static void put_attr(struct maker *m, uint32_t type, uint64_t config, uint64_t sample_type,
		     uint64_t regs)
{
	const size_t end = m->buf.len + ATTR;

	put(m, type, 4);
	put(m, ATTR, 4);
	put(m, config, 8);
	put(m, 4000, 8);
	put(m, sample_type, 8);
	put(m, 0, 8);
	put(m, 0, 8);
	put_words(m, (const uint64_t[]){ 0, 0, 0, 0, regs }, 5);
	put(m, 64, 4);
	put(m, 0, 4);
	put(m, regs, 8);
	while (m->buf.len < end + 16)
		put(m, 0, 1);
}

static void put_record(struct maker *m, uint32_t type, uint16_t misc, const uint64_t *words,
		       size_t n)
{
	put(m, type, 4);
	put(m, misc, 2);
	put(m, 8 + 8 * n, 2);
	put_words(m, words, n);
}

static void put_sample(struct maker *m, const uint64_t *words, size_t n)
{
	put_record(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, n);
}

/* Compares the fields of the first record, as JSON; there is no other. */
static void check(struct maker *m, const char *name, const char *fields)
{
	struct dkt_style *style;
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_buf *out;
	struct dkt_ctx *ctx;
	char path[64];
	const char *text, *found;
	size_t len;
	int fd = memfd_create("samples", MFD_CLOEXEC);

	assert_int_equal(write(fd, m->buf.data, m->buf.len), m->buf.len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, path, NULL, &source));
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_string_equal(dkt_event_system(record.event), "perf");
	assert_string_equal(dkt_event_name(record.event), name);
	assert_int_equal(record.pid, 43);
	assert_int_equal(record.ts, 5000);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(dkt_buf_new(&out), 0);
	assert_int_equal(dkt_style_new(ctx, "json", NULL, &style), 0);
	assert_int_equal(dkt_style_record(style, &record, "name", out), 0);
	text = dkt_buf_data(out, &len);
	found = memmem(text, len, "\"fields\":", 9);
	assert_non_null(found);
	found += 9;
	len -= (size_t)(found - text);
	if (len < strlen(fields) || memcmp(found, fields, strlen(fields)) != 0)
		fail_msg("have %.*s want %s", (int)len, found, fields);
	assert_int_equal(dkt_source_next(source, &record), 1);
	dkt_style_free(style);
	dkt_buf_free(out);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
	free(m->buf.data);
}

static void check_memory(bool swap)
{
	struct maker m = { .swap = swap };
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			      WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
			      PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | DKT__PERF_BIT_DATA_PAGE |
			      DKT__PERF_BIT_CODE_PAGE;
	const uint64_t words[] = { 0x401000,
				   pair(&m, 42, 43),
				   5000,
				   0x7f0010,
				   pair(&m, 3, 0),
				   77,
				   UINT64_C(9) << 48 | UINT64_C(8) << 32 | 1234,
				   0x5668100142,
				   6,
				   0x10010,
				   11,
				   4096,
				   2097152 };

	put_header(&m, 8 + sizeof(words));
	put_attr(&m, PERF_TYPE_RAW, 0x1cd, type, 0);
	put_sample(&m, words, ARRAY_SIZE(words));
	check(&m, "raw_0x1cd",
	      "{\"ip\":4198400,\"symoff\":0,\"period\":77,\"addr\":8323088,\"weight\":1234,"
	      "\"ins_lat\":8,\"retire_lat\":9,\"data_src\":371113066818,\"transaction\":6,"
	      "\"phys_addr\":65552,\"cgroup\":11,\"data_page_size\":4096,"
	      "\"code_page_size\":2097152,\"tgid\":42,\"sym\":\"[unknown]\",\"dso\":\"[unknown]\"}");
}

static void weights_and_places_in_memory(void **state)
{
	(void)state;
	check_memory(false);
	check_memory(true);
}

/* A module of a kernel whose symbols are not known, as perf record names its memory. */
static void check_module(bool swap)
{
	static const char path[48] = "/lib/modules/5.14.0/kernel/snd-hda-intel.ko.xz";
	struct maker m = { .swap = swap };
	const uint64_t map[] = { pair(&m, UINT32_MAX, 0), 0xffffffffc0000000, 0x6000, 0 };
	const uint64_t words[] = { 0xffffffffc0000123, pair(&m, 42, 43), 5000, pair(&m, 3, 0) };

	put_header(&m, 2 * 8 + sizeof(map) + sizeof(path) + sizeof(words));
	put_attr(&m, PERF_TYPE_RAW, 0x1cd,
		 PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 0);
	put(&m, PERF_RECORD_MMAP, 4);
	put(&m, PERF_RECORD_MISC_KERNEL, 2);
	put(&m, 8 + sizeof(map) + sizeof(path), 2);
	put_words(&m, map, ARRAY_SIZE(map));
	dkt__buf_add(&m.buf, path, sizeof(path));
	put_record(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, words, ARRAY_SIZE(words));
	check(&m, "raw_0x1cd",
	      "{\"ip\":18446744072635810083,\"symoff\":291,\"period\":4000,\"tgid\":42,\"sym\":\"[unknown]\","
	      "\"dso\":\"[snd_hda_intel]\"}");
}

static void kernel_modules_have_names(void **state)
{
	(void)state;
	check_module(false);
	check_module(true);
}

static void check_branches(bool swap)
{
	struct maker m = { .swap = swap };
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
			      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			      PERF_SAMPLE_REGS_INTR;
	/* Predicted, in a transaction, 12 cycles: bits 1, 2 and from 4 on, or from the other end. */
	const uint64_t flags = swap != DKT__BIG_ENDIAN ? UINT64_C(6) << 60 | UINT64_C(12) << 44 :
							 6 | 12 << 4;
	const uint64_t words[] = { 0x401000,
				   pair(&m, 42, 43),
				   5000,
				   pair(&m, 3, 0),
				   pair(&m, 4, 0xdeadbeef),
				   1, /* branches */
				   0x401136,
				   0x401120,
				   flags,
				   2, /* ABI of registers */
				   0x11,
				   0x22,
				   16, /* bytes of the stack */
				   0,
				   0,
				   8, /* of these are there */
				   0 /* no registers of the kernel */ };

	put_header(&m, 8 + sizeof(words));
	put_attr(&m, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, type, 0x101);
	put_sample(&m, words, ARRAY_SIZE(words));
	check(&m, "cycles",
	      "{\"ip\":4198400,\"symoff\":0,\"period\":4000,\"tgid\":42,\"stack_size\":8,"
	      "\"sym\":\"[unknown]\",\"dso\":\"[unknown]\","
	      "\"brstack\":\"0x401136/0x401120/P/X/-/12\",\"uregs\":\"r0:0x11 r8:0x22\","
	      "\"iregs\":\"\",\"raw\":\"");
}

static void branches_registers_and_stacks(void **state)
{
	(void)state;
	check_branches(false);
	check_branches(true);
}

/* Each word of the file, in turn, becomes as large as it can be: nothing is read beyond the sample. */
static void numbers_beyond_the_sample_are_bad(void **state)
{
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
			      PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
			      PERF_SAMPLE_STACK_USER;

	(void)state;
	for (size_t at = 0; at < 16; at++) {
		uint64_t words[16] = {
			0x401000, 1, 5000, 0, 1, 1, 0x1000, 0, 0, 0, 0, 0, 0, 0, 0, 0
		};
		struct maker m = { 0 };
		struct dkt_source *source;
		struct dkt_record record;
		struct dkt_ctx *ctx;
		char path[64];
		int fd = memfd_create("samples", MFD_CLOEXEC);

		words[at] = UINT64_MAX;
		put_header(&m, 8 + sizeof(words));
		put_attr(&m, PERF_TYPE_HARDWARE, 0, type, UINT64_MAX);
		put_sample(&m, words, ARRAY_SIZE(words));
		assert_int_equal(write(fd, m.buf.data, m.buf.len), m.buf.len);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
		assert_ok(ctx, dkt_source_open(ctx, path, NULL, &source));
		while (!dkt_source_next(source, &record))
			;
		dkt_source_close(source);
		dkt_ctx_free(ctx);
		close(fd);
		free(m.buf.data);
	}
}

/* More events than are defined: a sample of the last one, whose raw data are shorter than any record, is none. */
/* Opens what was made, as the source of a new context. */
static int open_made(struct maker *m, struct dkt_ctx **ctx, struct dkt_source **source)
{
	int fd = memfd_create("samples", MFD_CLOEXEC);
	char path[64];

	assert_int_equal(write(fd, m->buf.data, m->buf.len), m->buf.len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(dkt_ctx_new(NULL, ctx), 0);
	assert_ok(*ctx, dkt_source_open(*ctx, path, NULL, source));
	free(m->buf.data);
	return fd;
}

static void samples_of_undefined_events_are_no_records(void **state)
{
	enum { EVENTS = 5000, IDS = HEAD + EVENTS * (ATTR + 16), DATA = IDS + 8 * EVENTS };
	const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct maker m = { .swap = swap };
		const uint64_t words[] = { EVENTS, 5000, pair(&m, 4, 0x11223344) };
		const uint64_t head[] = { HEAD, ATTR + 16,
					  HEAD, EVENTS * (ATTR + 16),
					  DATA, 8 + sizeof(words),
					  0,    0,
					  0,    0,
					  0,    0 };
		struct dkt_source *source;
		struct dkt_record record;
		struct dkt_ctx *ctx;
		int fd;

		dkt__buf_add(&m.buf, swap ? DKT__PERF_MAGIC_OTHER : DKT__PERF_MAGIC, 8);
		put_words(&m, head, ARRAY_SIZE(head));
		for (uint64_t i = 0; i < EVENTS; i++) {
			put_attr(&m, PERF_TYPE_RAW, i, type, 0);
			m.buf.len -= 16;
			put_words(&m, (const uint64_t[]){ IDS + 8 * i, 8 }, 2);
		}
		for (uint64_t i = 1; i <= EVENTS; i++)
			put(&m, i, 8);
		put_sample(&m, words, ARRAY_SIZE(words));
		assert_int_equal(m.buf.len, DATA + 8 + sizeof(words));
		fd = open_made(&m, &ctx, &source);
		assert_int_equal(dkt_source_next(source, &record), 1);
		dkt_source_close(source);
		dkt_ctx_free(ctx);
		close(fd);
	}
}

/* Checks the addresses of the next sample's stack, and returns the number of its callers. */
static uint64_t next_stack(struct dkt_source *source, const uint64_t *want, size_t n,
			   uint32_t want_own)
{
	const struct dkt_field *callers;
	struct dkt_record record, stack;
	uint64_t number;
	uint32_t own;

	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_record_stack(&record, 0, &stack), 0);
	callers = dkt_event_field(stack.event, "caller");
	assert_int_equal(stack.size, callers->offset + 8 * n);
	assert_memory_equal((const char *)stack.data + callers->offset, want, 8 * n);
	number = dkt__record_stack_number(&record, 0, &own);
	assert_int_equal(own, number ? want_own : 0);
	assert_int_equal(dkt__record_stack_number(&record, 1, &own), 0);
	return number;
}

static void callers_that_were_there_before_have_their_number(void **state)
{
	enum { N = 3 };
	static const uint64_t chains[][N] = {
		{ 0x401010, 0x402000, 0x403000 },
		{ 0x401020, 0x402000, 0x403000 },
		{ 0x401010, 0x402000, 0x403001 },
	};
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN;
	const size_t words = 4 + 2 + N;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct maker m = { .swap = swap };
		uint64_t numbers[4];
		struct dkt_source *source;
		struct dkt_ctx *ctx;
		int fd;

		put_header(&m, 4 * 8 * (1 + words));
		put_attr(&m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, type, 0);
		for (uint64_t i = 0; i < 4; i++) {
			const uint64_t *chain = chains[i % 3];
			const uint64_t sample[] = { chain[0], pair(&m, 42, 43),
						    5000 + i, pair(&m, 3, 0),
						    1 + N,    PERF_CONTEXT_USER,
						    chain[0], chain[1],
						    chain[2] };

			put_sample(&m, sample, words);
		}
		fd = open_made(&m, &ctx, &source);
		for (int i = 0; i < 4; i++)
			numbers[i] = next_stack(source, chains[i % 3], N, 1);
		assert_int_equal(dkt_source_next(source, &(struct dkt_record){ 0 }), 1);
		assert_int_equal(numbers[0], numbers[1]);
		assert_int_equal(numbers[0], numbers[3]);
		/* In the other byte order they are read one by one. */
		assert_int_equal(!numbers[0], swap);
		assert_int_equal(numbers[0] != numbers[2], !swap);
		dkt_source_close(source);
		dkt_ctx_free(ctx);
		close(fd);
	}
}

/* Two samples of a group of which no IDs are known, and the kernel's word that it made a pause. */
static void pauses_are_counted_and_groups_without_ids_are_samples(void **state)
{
	const uint64_t type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			      PERF_SAMPLE_READ;
	const uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct maker m = { .swap = swap };
		const uint64_t words[] = { pair(&m, 42, 43), 5000, pair(&m, 3, 0), 1, 77, 9 };
		const uint64_t swapped = swap ? bswap_64(format) : format;
		struct dkt_source *source;
		struct dkt_record record;
		struct dkt_ctx *ctx;
		int fd;

		put_header(&m, 2 * (8 + sizeof(words)) + 8 + 24);
		put_attr(&m, PERF_TYPE_RAW, 0x1cd, type, 0);
		memcpy(m.buf.data + HEAD + 32, &swapped, sizeof(swapped));
		put_sample(&m, words, ARRAY_SIZE(words));
		put_record(&m, PERF_RECORD_THROTTLE, 0, (const uint64_t[]){ 4000, 9, 9 }, 3);
		put_sample(&m, words, ARRAY_SIZE(words));
		fd = open_made(&m, &ctx, &source);
		assert_int_equal(dkt__perf_throttled(source), 1);
		assert_int_equal(dkt_source_next(source, &record), 0);
		assert_int_equal(dkt_source_next(source, &record), 0);
		assert_int_equal(dkt_source_next(source, &record), 1);
		dkt_source_close(source);
		dkt_ctx_free(ctx);
		close(fd);
	}
}

/* Reads a sample of an event that perf record has this name for. */
static void check_name(bool swap, const char *recorded, const char *name)
{
	enum { EVENT_DESC = 12, ROOM = 48 };
	struct maker m = { .swap = swap };
	const uint64_t type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	const uint64_t words[] = { pair(&m, 42, 43), 5000, pair(&m, 3, 0) };
	char text[ROOM] = "";

	snprintf(text, sizeof(text), "%s", recorded);
	put_header_of(&m, 8 + sizeof(words), 1u << EVENT_DESC);
	put_attr(&m, PERF_TYPE_RAW, 0x1cd, type, 0);
	put_sample(&m, words, ARRAY_SIZE(words));
	put_words(&m, (const uint64_t[]){ m.buf.len + 16, 8 + ATTR + 8 + ROOM }, 2);
	put(&m, 1, 4);
	put(&m, ATTR, 4);
	put_attr(&m, PERF_TYPE_RAW, 0x1cd, type, 0);
	m.buf.len -= 16;
	put(&m, 0, 4);
	put(&m, ROOM, 4);
	dkt__buf_add(&m.buf, text, ROOM);
	check(&m, name, "{\"period\":4000,\"tgid\":42}");
}

static void names_of_events_say_what_is_counted(void **state)
{
	static const struct {
		const char *recorded, *name;
	} names[] = {
		{ "cycles", "cycles" },
		{ "cycles:ppp", "cycles" },
		{ "cycles:Pu", "cycles_u" },
		{ "cpu-clock:uhpppH", "cpu_clock_uh" },
		{ "cpu_core/cycles/", "cpu_core_cycles" },
		{ "cpu_core/cycles:ppp/", "cpu_core_cycles" },
		{ "cpu/mem-loads,ldlat=30/Pu", "cpu_mem_loads_ldlat_30_u" },
		{ "mem:0x55d0:8:rw", "mem_0x55d0_8_rw" },
		{ "/", "_" },
		{ ":", "_" },
		{ "a:", "a" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		check_name(false, names[i].recorded, names[i].name);
		check_name(true, names[i].recorded, names[i].name);
	}
}

/*
 * Puts a record that is no sample; the words at its end are its thread, time and CPU. told: the words that it
 * says to have.
 */
static void put_deferred(struct maker *m, uint64_t cookie, uint64_t told, const uint64_t *chain,
			 size_t n)
{
	const uint64_t end[] = { pair(m, 42, 43), 9000, pair(m, 3, 0) };

	put(m, 22, 4);
	put(m, PERF_RECORD_MISC_USER, 2);
	put(m, 8 + 8 * (2 + n + ARRAY_SIZE(end)), 2);
	put_words(m, (const uint64_t[]){ cookie, told }, 2);
	put_words(m, chain, n);
	put_words(m, end, ARRAY_SIZE(end));
}

/* A kernel stack, and the mark of a program's stack that comes later, with its cookie. */
static void put_waiting(struct maker *m, uint64_t time, uint64_t cookie)
{
	const uint64_t sample[] = { 0xffffffff81000010,
				    pair(m, 42, 43),
				    time,
				    pair(m, 3, 0),
				    5,
				    PERF_CONTEXT_KERNEL,
				    0xffffffff81000010,
				    0xffffffff81000020,
				    (uint64_t)-640,
				    cookie };

	put_sample(m, sample, ARRAY_SIZE(sample));
}

static void program_stacks_that_were_recorded_later_belong_to_their_samples(void **state)
{
	static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x401010, 0x402000 };
	const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN;
	/* The cookie of each sample; that of the last one has no stack. */
	static const uint64_t cookies[] = { 7, 8, 7, 9 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct maker m = { .swap = swap };
		struct dkt_source *source;
		struct dkt_ctx *ctx;
		int fd;

		put_header(&m, 4 * 8 * 11 + 2 * 8 * 9 + 8 * 8);
		put_attr(&m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, type, 0);
		for (size_t i = 0; i < ARRAY_SIZE(cookies); i++)
			put_waiting(&m, 5000 + i, cookies[i]);
		put_deferred(&m, 8, 3, chain, ARRAY_SIZE(chain));
		put_deferred(&m, 7, 3, chain, ARRAY_SIZE(chain));
		/* It tells of more words than it has. */
		put_deferred(&m, 9, 1000, chain, 2);
		fd = open_made(&m, &ctx, &source);
		for (size_t i = 0; i < ARRAY_SIZE(cookies); i++) {
			struct dkt_record record, stack;
			const struct dkt_field *callers;

			assert_int_equal(dkt_source_next(source, &record), 0);
			assert_int_equal(record.ts, 5000 + i);
			assert_int_equal(dkt_record_stack(&record, 0, &stack), 0);
			assert_string_equal(dkt_event_name(stack.event), "kernel_stack");
			assert_int_equal(dkt_record_stack(&record, 1, &stack), cookies[i] == 9);
			if (cookies[i] == 9)
				continue;
			assert_string_equal(dkt_event_name(stack.event), "user_stack");
			callers = dkt_event_field(stack.event, "caller");
			assert_int_equal(stack.size, callers->offset + 16);
			assert_memory_equal((const char *)stack.data + callers->offset, chain + 1,
					    16);
		}
		assert_int_equal(dkt_source_next(source, &(struct dkt_record){ 0 }), 1);
		assert_null(dkt_source_info(source)->damage);
		dkt_source_close(source);
		dkt_ctx_free(ctx);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_and_places_in_memory),
		cmocka_unit_test(kernel_modules_have_names),
		cmocka_unit_test(branches_registers_and_stacks),
		cmocka_unit_test(numbers_beyond_the_sample_are_bad),
		cmocka_unit_test(samples_of_undefined_events_are_no_records),
		cmocka_unit_test(pauses_are_counted_and_groups_without_ids_are_samples),
		cmocka_unit_test(names_of_events_say_what_is_counted),
		cmocka_unit_test(callers_that_were_there_before_have_their_number),
		cmocka_unit_test(program_stacks_that_were_recorded_later_belong_to_their_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
