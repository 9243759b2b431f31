/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf.data of machines of the other byte order and of 32 bits, made from recorded files. */
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/order.h"

#define RECORDED "tests/fixture/perfdata/"

/* Records that perf adds, and features. */
enum { ATTR = 64, TRACING_DATA = 66, FEATURE = 80 };
enum { NRCPUS = 7, CLOCK_DATA = 29, FEATURES = 256 };

/* A file that is turned round in place. */
struct turn {
	struct dkt_ctx *ctx; /* of the file as it was: what records look like */
	uint8_t *data;
	size_t size;
	unsigned int long_size; /* that the machine is to have */
	bool stacks; /* samples have them */
};

/* Swaps the bytes of the next number; returns its value before. */
static uint64_t number(uint8_t **p, unsigned int n)
{
	const uint64_t value = get_little(*p, n);

	dkt__turn(*p, n);
	*p += n;
	return value;
}

static void numbers(uint8_t *p, const char *sizes)
{
	for (; *sizes; sizes++)
		number(&p, (unsigned int)(*sizes - '0'));
}

/* ---- headers ---- */

static void turn_attr(uint8_t *p)
{
	unsigned int i;

	numbers(p, "44888");
	p += 40;
	/* Bit fields of a big-endian machine begin at the other end of a byte. */
	for (i = 0; i < 8; i++, p++)
		*p = (uint8_t)((*p * UINT64_C(0x0202020202) & UINT64_C(0x010884422010)) % 1023);
	numbers(p, "44888844842244");
}

/* A text with its length before it. */
static void turn_text(uint8_t **p, unsigned int n)
{
	uint64_t len = number(p, n);

	*p += len;
}

static void turn_formats(uint8_t **p)
{
	uint64_t i, n = number(p, 4);

	for (i = 0; i < n; i++)
		turn_text(p, 8);
}

/* The header of pages then has the size of a long. */
#define COMMIT "commit;\toffset:8;\tsize:"

/* As a trace.dat of version 6 begins. */
static void turn_tracing(const struct turn *t, uint8_t *p)
{
	uint64_t i, n;
	char *commit;

	p += 10;
	p += strlen((char *)p) + 1;
	*p++ = 1;
	*p++ = (uint8_t)t->long_size;
	number(&p, 4);
	commit = strstr((char *)p + strlen((char *)p) + 9, COMMIT);
	assert_non_null(commit);
	commit[strlen(COMMIT)] = (char)('0' + t->long_size);
	for (i = 0; i < 2; i++) {
		p += strlen((char *)p) + 1;
		turn_text(&p, 8);
	}
	turn_formats(&p);
	n = number(&p, 4);
	for (i = 0; i < n; i++) {
		p += strlen((char *)p) + 1;
		turn_formats(&p);
	}
	turn_text(&p, 4);
	turn_text(&p, 4);
	turn_text(&p, 8);
}

static void turn_feature(const struct turn *t, unsigned int nr, uint8_t *p)
{
	if (nr == 1)
		turn_tracing(t, p);
	else if (nr == NRCPUS)
		numbers(p, "44");
	else if (nr == CLOCK_DATA)
		numbers(p, "4488");
	else if (nr >= 3 && nr <= 10)
		number(&p, 4);
}

/* ---- records ---- */

/* Field by field, as its format has it. */
static void turn_raw(const struct turn *t, uint8_t *raw)
{
	const struct dkt_field *const *fields;
	struct dkt_event *event;
	size_t i, n;

	event = dkt__event_by_id(t->ctx, (int)get_little(raw, 2));
	assert_non_null(event);
	assert_int_equal(dkt_event_fields(event, &fields, &n), 0);
	for (i = 0; i < n; i++) {
		uint8_t *p = raw + fields[i]->offset;

		if (fields[i]->flags & DKT_FIELD_STRING && !(fields[i]->flags & DKT_FIELD_DYNAMIC))
			continue;
		assert_true(fields[i]->size <= 8);
		number(&p, fields[i]->size);
	}
}

/* IDENTIFIER, IP, TID, TIME, CPU, PERIOD, perhaps CALLCHAIN, RAW */
static void turn_sample(const struct turn *t, uint8_t *p)
{
	uint64_t n;

	numbers(p, "88448448");
	p += 6 * 8;
	for (n = t->stacks ? number(&p, 8) : 0; n; n--)
		number(&p, 8);
	number(&p, 4);
	turn_raw(t, p);
}

/* TID, TIME, CPU, IDENTIFIER */
static void turn_tail(uint8_t *end)
{
	numbers(end - 32, "448448");
}

static void turn_record(const struct turn *t, uint32_t type, uint8_t *p, uint8_t *end)
{
	unsigned int feature;
	uint8_t *ids;

	switch (type) {
	case PERF_RECORD_SAMPLE:
		turn_sample(t, p);
		break;
	case PERF_RECORD_COMM:
		numbers(p, "44");
		turn_tail(end);
		break;
	case PERF_RECORD_FORK:
		numbers(p, "44448");
		turn_tail(end);
		break;
	case ATTR:
		for (ids = p + 128; ids < end;)
			number(&ids, 8);
		turn_attr(p);
		break;
	case FEATURE:
		feature = (unsigned int)number(&p, 8);
		turn_feature(t, feature, p);
		break;
	}
}

static void turn_records(const struct turn *t, uint8_t *p, uint8_t *end)
{
	while (p < end) {
		uint8_t *head = p;
		uint32_t type = (uint32_t)number(&head, 4);
		uint64_t size;

		number(&head, 2);
		size = number(&head, 2);
		turn_record(t, type, head, p + size);
		p += size;
		if (type == TRACING_DATA) {
			size = number(&head, 4);
			turn_tracing(t, p);
			p += (size + 7) & ~UINT64_C(7);
		}
	}
}

/* ---- files ---- */

/* The bits are in longs, the first one at the end of each. */
static void turn_bits(const struct turn *t, uint8_t *bits)
{
	unsigned int i;

	for (i = 0; i < FEATURES / 8 / t->long_size; i++)
		number(&bits, t->long_size);
}

static void turn_file(const struct turn *t)
{
	uint8_t *p = t->data, *bits, *ids, *table;
	uint64_t attr_size, attrs, attrs_size, at, size, n;
	unsigned int i;

	number(&p, 8);
	if (number(&p, 8) == 16) {
		turn_records(t, p, t->data + t->size);
		return;
	}
	attr_size = number(&p, 8);
	attrs = number(&p, 8);
	attrs_size = number(&p, 8);
	at = number(&p, 8);
	size = number(&p, 8);
	numbers(p, "88");
	bits = p + 16;
	table = t->data + at + size;
	for (i = 0; i < FEATURES; i++)
		if (bits[i / 8] & 1 << i % 8) {
			uint64_t where = number(&table, 8);

			number(&table, 8);
			turn_feature(t, i, t->data + where);
		}
	turn_bits(t, bits);
	turn_records(t, t->data + at, t->data + at + size);
	for (; attrs_size; attrs_size -= attr_size, attrs += attr_size) {
		p = t->data + attrs;
		turn_attr(p);
		p += attr_size - 16;
		ids = t->data + number(&p, 8);
		for (n = number(&p, 8) / 8; n; n--)
			number(&ids, 8);
	}
}

static void load(const char *path, struct turn *t)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	t->data = malloc(1 << 20);
	assert_non_null(t->data);
	t->size = fread(t->data, 1, 1 << 20, f);
	fclose(f);
}

static bool is_stack(const struct dkt_record *record)
{
	return record->event && strstr(dkt_event_name(record->event), "_stack");
}

/* All that is known and all records, as text; with their stacks where these are asked for. */
static char *text_of(const char *path, struct dkt_ctx **ctx, bool stacks)
{
	const struct dkt_source_info *info;
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_buf *buf;
	char *text;

	assert_int_equal(dkt_ctx_new(NULL, ctx), 0);
	assert_int_equal(dkt_buf_new(&buf), 0);
	assert_int_equal(dkt_source_open(*ctx, path, NULL, &source), 0);
	info = dkt_source_info(source);
	assert_null(info->damage);
	dkt_buf_printf(buf, "%s, %s, %s, %d CPUs, %lld\n", info->host, info->kernel, info->clock,
		       info->cpus, (long long)info->wall);
	while (!dkt_source_next(source, &record))
		if (stacks || !is_stack(&record))
			dkt_style_trace(&record,
					record.event ? dkt_source_comm(source, &record) : NULL,
					buf);
	assert_true(buf->len > 5000);
	text = strndup(buf->data, buf->len);
	assert_non_null(text);
	dkt_buf_free(buf);
	dkt_source_close(source);
	return text;
}

static void test_turned(const char *path, unsigned int long_size, bool stacks)
{
	struct turn t = { .long_size = long_size, .stacks = stacks };
	struct dkt_ctx *ctx;
	char name[32], *ours, *other;
	/* The addresses have eight bytes, which a machine of four could not have recorded. */
	bool shown = long_size == 8;
	int fd = memfd_create("turned", MFD_CLOEXEC);

	ours = text_of(path, &t.ctx, shown);
	load(path, &t);
	turn_file(&t);
	assert_true(fd >= 0 && write(fd, t.data, t.size) == (ssize_t)t.size);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	other = text_of(name, &ctx, shown);
	assert_string_equal(ours, other);
	assert_int_equal(ctx->long_size, long_size);
	assert_true(ctx->big_endian);
	dkt_ctx_free(ctx);
	dkt_ctx_free(t.ctx);
	free(t.data);
	free(ours);
	free(other);
	close(fd);
}

static void files_of_other_machines_read_the_same(void **state)
{
	(void)state;
	test_turned(RECORDED "plain.data", 8, false);
	test_turned(RECORDED "plain.data", 4, false);
}

static void pipes_of_other_machines_read_the_same(void **state)
{
	(void)state;
	test_turned(RECORDED "pipe.data", 8, true);
	test_turned(RECORDED "pipe.data", 4, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(files_of_other_machines_read_the_same),
					    cmocka_unit_test(
						    pipes_of_other_machines_read_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
