/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of a fleet in one order: clocks apart, delays, late lines, too many lines, and what are no lines. */
#include <fcntl.h>
#include <inttypes.h>

#include "fleet/collect/lines.h"
#include "fleet/remote/words.h"
#include "lib/base/buf.h"
#include "lib/base/when.h"
#include "tests/helper/check.h"

#define N_HOSTS 100
#define SECOND  ((uint64_t)DKT__NSEC_PER_SEC)

struct test {
	struct fleet fleet;
	struct fleet_host hosts[N_HOSTS];
	int64_t ahead[N_HOSTS]; /* of the host's clock */
	struct lines lines;
	struct dkt_buf *out; /* the lines as they were put */
	uint64_t begin; /* of this host's clock */
};

static int put(void *data, const struct fleet_host *host, const char *line, size_t len)
{
	struct test *t = data;

	assert_int_equal(strlen(line), len);
	dkt_buf_printf(t->out, "%zu:%s\n", (size_t)(host - t->hosts), line);
	return 0;
}

/* Each host's clock is another one, and a trip of 2 us has measured it. */
static int set_up(void **state)
{
	struct test *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->begin = dkt__monotonic_ns() - 10 * SECOND;
	t->fleet = (struct fleet){ .hosts = t->hosts, .n = N_HOSTS };
	for (size_t i = 0; i < N_HOSTS; i++) {
		const int64_t ahead = t->ahead[i] = (int64_t)(i * 6 * SECOND);
		const uint64_t far = t->begin + (uint64_t)ahead + 1000;

		t->hosts[i] = (struct fleet_host){ .name = "host" };
		assert_int_equal(clock_add(&t->hosts[i].clock,
					   &(struct clock_trip){ .sent = t->begin,
								 .received = t->begin + 2000,
								 .far_received = far,
								 .far_sent = far }),
				 0);
	}
	t->lines = (struct lines){
		.fleet = &t->fleet, .delay = SECOND, .most = 1 << 20, .put = put, .data = t
	};
	assert_int_equal(lines_init(&t->lines), 0);
	assert_int_equal(dkt_buf_new(&t->out), 0);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct test *t = *state;

	lines_clear(&t->lines);
	for (size_t i = 0; i < N_HOSTS; i++)
		clock_free(&t->hosts[i].clock);
	dkt_buf_free(t->out);
	free(t);
	return 0;
}

static int take(struct test *t, size_t host, const char *text)
{
	return lines_take(&t->lines, &t->hosts[host], (const uint8_t *)text, strlen(text));
}

/* A host writes a line at a time of this host, in ns after the begin. */
static int say(struct test *t, size_t host, uint64_t at, const char *text)
{
	char line[256];

	snprintf(line, sizeof(line), "%" PRIu64 " %s\n", t->begin + at + (uint64_t)t->ahead[host],
		 text);
	return take(t, host, line);
}

static void has_put(const struct test *t, const char *wanted)
{
	const char *text = t->out->len ? t->out->data : "";

	assert_int_equal(t->out->len, strlen(wanted));
	assert_memory_equal(text, wanted, strlen(wanted));
}

static void lines_are_in_the_order_of_one_clock(void **state)
{
	struct test *t = *state;

	assert_int_equal(say(t, 99, 3000000, "third"), 0);
	assert_int_equal(say(t, 0, 1000000, "first"), 0);
	assert_int_equal(say(t, 50, 2000000, "second"), 0);
	assert_int_equal(say(t, 0, 4000000, "fourth"), 0);
	lines_put(&t->lines, t->begin + SECOND + 2500000);
	has_put(t, "0:first\n50:second\n");
	lines_put(&t->lines, t->begin + SECOND + 4000000);
	has_put(t, "0:first\n50:second\n99:third\n0:fourth\n");
	assert_int_equal(t->lines.late + t->lines.early + t->lines.waiting, 0);
}

static int never(void *data, char *line)
{
	(void)data, (void)line;
	return -EINVAL;
}

static void a_line_may_come_in_parts(void **state)
{
	struct test *t = *state;

	for (const char *p = "5 one\n6 \n7 thr"; *p; p++)
		assert_int_equal(lines_take(&t->lines, &t->hosts[0], (const uint8_t *)p, 1), 0);
	lines_finish(&t->lines);
	has_put(t, "0:one\n0:\n");
}

/* A mark where an end of a line was looked for already shows whether it is looked for again. */
static void a_part_of_a_line_is_searched_once(void **state)
{
	struct dkt_buf part = { 0 };

	(void)state;
	assert_int_equal(words_lines(&part, "abc", 3, never, NULL), 0);
	part.data[1] = '\n';
	assert_int_equal(words_lines(&part, "def", 3, never, NULL), 0);
	assert_string_equal(part.data, "a\ncdef");
	free(part.data);
}

/* Its standard error has no end. */
static void what_ssh_says_without_end_is_read_in_parts(void **state)
{
	struct fleet_host host = { .in = -1, .out = -1, .err = open("/dev/zero", O_RDONLY) };

	(void)state;
	assert_true(host.err >= 0);
	host_read_errors(&host);
	assert_true(host.err >= 0);
	assert_true(host.ssh_errors.len > 0);
	host_clear(&host);
}

static void a_late_line_is_counted(void **state)
{
	struct test *t = *state;

	assert_int_equal(say(t, 1, 50000000, "a"), 0);
	lines_put(&t->lines, t->begin + 2 * SECOND);
	assert_int_equal(say(t, 2, 20000000, "b"), 0);
	lines_put(&t->lines, t->begin + 2 * SECOND);
	has_put(t, "1:a\n2:b\n");
	assert_int_equal(t->lines.late, 1);
	assert_uint_in_range(t->lines.latest, 30000000, 30000000);
}

/* The order of a host's own lines is never changed, nor is a line of the future kept. */
static void times_that_cannot_be_are_moved(void **state)
{
	struct test *t = *state;

	assert_int_equal(say(t, 3, 9000000, "a"), 0);
	assert_int_equal(say(t, 3, 8000000, "b"), 0);
	assert_int_equal(take(t, 4, "18446744073709551615 never\n"), 0);
	lines_put(&t->lines, dkt__monotonic_ns() + 2 * SECOND);
	has_put(t, "3:a\n3:b\n4:never\n");
	assert_int_equal(t->lines.late, 0);
}

static void too_many_lines_wait_less(void **state)
{
	struct test *t = *state;

	t->lines.most = 1000;
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(say(t, i % 7, i * 1000000, "line"), 0);
	lines_put(&t->lines, t->begin + 100000000);
	assert_true(t->lines.waiting <= 1000);
	assert_true(t->lines.early > 50);
	lines_finish(&t->lines);
	assert_int_equal(t->lines.late, 0);
	assert_int_equal(t->lines.waiting, 0);
}

static void what_is_no_line_is_refused(void **state)
{
	struct test *t = *state;
	static const char *const bad[] = { "\n",      "x\n",     "12\n",
					   "12x y\n", " 12 y\n", "18446744073709551616 y\n",
					   "-1 y\n" };
	char *endless = malloc(LINES_LINE_MAX + 2);

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(take(t, i, bad[i]), -EPROTO);
	assert_non_null(endless);
	memset(endless, '1', LINES_LINE_MAX + 1);
	endless[LINES_LINE_MAX + 1] = '\0';
	assert_int_equal(take(t, 20, endless), -EPROTO);
	free(endless);
	lines_finish(&t->lines);
	has_put(t, "");
}

static int refuse(void *data, const struct fleet_host *host, const char *line, size_t len)
{
	(void)data, (void)host, (void)line, (void)len;
	return -EPIPE;
}

static void an_error_of_put_is_kept(void **state)
{
	struct test *t = *state;

	t->lines.put = refuse;
	assert_int_equal(take(t, 0, "1 a\n"), 0);
	lines_finish(&t->lines);
	assert_int_equal(t->lines.err, -EPIPE);
	t->lines.put = put;
	lines_finish(&t->lines);
	has_put(t, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_are_in_the_order_of_one_clock),
		TEST(a_line_may_come_in_parts),
		cmocka_unit_test(a_part_of_a_line_is_searched_once),
		cmocka_unit_test(what_ssh_says_without_end_is_read_in_parts),
		TEST(a_late_line_is_counted),
		TEST(times_that_cannot_be_are_moved),
		TEST(too_many_lines_wait_less),
		TEST(what_is_no_line_is_refused),
		TEST(an_error_of_put_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
