/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's debug log as a text, or in a file of syslog, as a source: its records come once each, in order. */
#include <sys/mman.h>
#include <unistd.h>

#include "compat/lustre/log_kind.h"
#include "compat/lustre/log_source.h"
#include "tests/helper/check.h"

#define RECORDS 20000

/* Writes RECORDS lines; time() returns the time of line i in us. Returns the descriptor. */
static int write_log(uint32_t (*time)(uint32_t i))
{
	FILE *f = tmpfile();

	assert_non_null(f);
	for (uint32_t i = 0; i < RECORDS; i++)
		fprintf(f, "00000100:00100000:%u.0:%u.%06u:0:%u:0:(a.c:%u:f()) text %u\n", i % 3,
			1700000000 + time(i) / 1000000, time(i) % 1000000, i % 7, 1 + i % 9, i);
	assert_int_equal(fflush(f), 0);
	return fileno(f);
}

static void comes_in_order(struct dkt_ctx *ctx, uint32_t (*time)(uint32_t i))
{
	DKT_OPTS(dkt_source_opts, opts, .fd = write_log(time) + 1, .name = "log");
	struct dkt_source *source;
	struct dkt_record record;
	uint64_t last = 0, n = 0, sum = 0, want = 0;

	assert_ok(ctx, dkl_log_source_open(ctx, "log", &opts, &source));
	assert_int_equal(dkt_source_info(source)->cpus, 3);
	while (!dkt_source_next(source, &record)) {
		assert_true(record.ts >= last);
		last = record.ts;
		sum += record.ts % 1000000000000;
		n++;
	}
	for (uint32_t i = 0; i < RECORDS; i++)
		want += (UINT64_C(1700000000000000) + time(i)) * 1000 % 1000000000000;
	assert_int_equal(n, RECORDS);
	assert_int_equal(sum, want);
	dkt_source_close(source);
}

static uint32_t sorted(uint32_t i)
{
	return i * 10;
}

/* As two CPUs one after the other. */
static uint32_t halves(uint32_t i)
{
	return i % (RECORDS / 2) * 10;
}

/* Each record goes back or forward. */
static uint32_t without_order(uint32_t i)
{
	return i * 7919 % RECORDS * 10;
}

/* Back at the end only, when the first reading has seen that the log is in order. */
static uint32_t late(uint32_t i)
{
	return i < RECORDS - 1 ? i * 10 : 5;
}

static void a_text_comes_in_order_whatever_its_order_is(void **state)
{
	comes_in_order(*state, sorted);
	comes_in_order(*state, halves);
	comes_in_order(*state, without_order);
	comes_in_order(*state, late);
}

/* ---- clocks that go back, boots and hosts ---- */

static struct dkt_source *open_wanted(struct dkt_ctx *ctx, const char *text,
				      const struct log_wants *wants)
{
	FILE *f = tmpfile();
	DKT_OPTS(dkt_source_opts, opts, .name = "log");
	struct dkt_source *source;

	assert_non_null(f);
	assert_int_equal(fputs(text, f) >= 0, 1);
	assert_int_equal(fflush(f), 0);
	opts.fd = fileno(f) + 1;
	assert_ok(ctx, dkl_log_source_open_wanted(ctx, "log", &opts, wants, &source));
	fclose(f);
	return source;
}

/* Opens a source of the text, with its epochs one after the other. */
static struct dkt_source *open_text(struct dkt_ctx *ctx, const char *text)
{
	return open_wanted(ctx, text, &(struct log_wants){ .epochs = true });
}

/* The seconds of all records, from 1700000000 on if they are that late, and their CPUs. */
static void comes_as(struct dkt_ctx *ctx, const char *text, const char *want)
{
	struct dkt_source *source = open_text(ctx, text);
	struct dkt_record record;
	char have[256] = "";

	while (!dkt_source_next(source, &record))
		snprintf(have + strlen(have), sizeof(have) - strlen(have), "%u@%u ",
			 (unsigned int)(record.ts / 1000000000 % 1700000000), record.cpu);
	assert_string_equal(have, want);
	dkt_source_close(source);
}

#define AT(cpu, sec) "00000100:00100000:" #cpu ".0:17000000" #sec ".000000:0:1:0:(a.c:1:f()) text\n"

static void a_clock_that_is_set_back_begins_an_epoch(void **state)
{
	/* The second 11 comes twice. */
	comes_as(*state, AT(0, 10) AT(0, 15) AT(0, 11) AT(0, 12) AT(0, 16),
		 "10@0 15@0 11@0 12@0 16@0 ");
	/* The parts are in another order, as after the end of a file that is written in a circle. */
	comes_as(*state, AT(0, 20) AT(0, 25) AT(0, 11) AT(0, 12), "11@0 12@0 20@0 25@0 ");
	/* Each CPU has its own part. */
	comes_as(*state, AT(0, 10) AT(0, 15) AT(1, 11) AT(1, 12), "10@0 11@1 12@1 15@0 ");
	/* Less than a second back: interrupts write into buffers of their own. */
	comes_as(*state, AT(0, 10) AT(0, 12) AT(0, 11) AT(0, 12), "10@0 11@0 12@0 12@0 ");
}

static void a_log_without_order_has_no_epochs(void **state)
{
	static const char *const lines[] = { AT(0, 19), AT(0, 10) };
	char text[16384] = "";
	struct dkt_source *source;
	struct dkt_record record;
	uint64_t last = 0, n = 0;

	for (size_t i = 0; i < 160; i++)
		strcat(text, lines[i % 2]);
	source = open_text(*state, text);
	while (!dkt_source_next(source, &record)) {
		assert_true(record.ts >= last);
		last = record.ts;
		n++;
	}
	assert_int_equal(n, 160);
	dkt_source_close(source);
}

static void a_text_in_order_is_read_at_once(void **state)
{
	static const struct log_wants wants = { .at_once = true };
	struct dkt_source *source =
		open_wanted(*state, "cut\n" AT(0, 10) "more\n" AT(1, 10) AT(5, 11), &wants);
	struct dkt_loss loss = { 0 };
	struct dkt_record record;

	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(record.cpu, 1);
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_source_next(source, &record), DKT_NEXT_END);
	assert_ok(*state, dkt_source_get_loss(source, 0, &loss, sizeof(loss)));
	assert_int_equal(loss.bad, 1);
	assert_int_equal(loss.seen, 1);
	dkt_source_close(source);
	source = open_wanted(*state, AT(0, 10) AT(0, 12) AT(0, 11), &wants);
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_source_next(source, &record), LOG_NO_ORDER);
	dkt_source_close(source);
}

static void the_first_line_can_be_cut(void **state)
{
	struct dkt_source *source =
		open_text(*state, "0.0:1700000009.0:0:1:0:(a.c:1:f()) text\n" AT(0, 10));
	struct dkt_record record;
	struct dkt_loss loss = { 0 };

	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_source_next(source, &record), DKT_NEXT_END);
	assert_ok(*state, dkt_source_get_loss(source, 0, &loss, sizeof(loss)));
	assert_int_equal(loss.bad, 1);
	dkt_source_close(source);
}

static void has_hosts(struct dkt_ctx *ctx, const char *text, const char *hosts, bool wall)
{
	struct dkt_source *source = open_text(ctx, text);
	const struct dkt_source_info *info = dkt_source_info(source);

	if (hosts)
		assert_string_equal(info->host, hosts);
	else
		assert_null(info->host);
	assert_int_equal(info->has_wall, wall);
	dkt_source_close(source);
}

static void lines_of_syslog_tell_their_host(void **state)
{
	static const char two[] = "2023-11-14T22:13:20Z oss1 kernel: LustreError: a: b\n"
				  "2023-11-14T22:13:21Z oss2 systemd[1]: Started Lustre.\n"
				  "2023-11-14T22:13:22Z mds1 kernel: [ 3.1] Lustre: a: b\n"
				  "2023-11-14T22:13:23+00:00 oss1 kernel: LNet: a: b\n";

	has_hosts(*state, two, "oss1 mds1", true);
	comes_as(*state, two, "0@0 2@1 3@0 ");
	/* dmesg --time-format=iso and conman have no host. */
	has_hosts(*state, "2023-11-14T22:13:20,123456+00:00 Lustre: a: b\n", NULL, true);
	has_hosts(*state, "2023-11-14 22:13:20 [ 7.1] Lustre: a: b\n", NULL, true);
	/* journalctl -o short-precise. */
	has_hosts(*state, "Nov 14 22:13:20.123456 oss1 kernel: Lustre: a: b\n", "oss1", true);
}

static void stamps_of_dmesg_count_from_the_boot(void **state)
{
	static const char boots[] = "[    0.000000] Linux version 6.1\n"
				    "[   12.500000] Lustre: a: b\n"
				    "[ 3345.000001][ T123] LustreError: 7:0:(a.c:1:b()) text\n"
				    "[    0.000000] Linux version 6.1\n"
				    "[   13.000000] LNet: a: b\n";

	comes_as(*state, boots, "12@0 3345@0 13@0 ");
	has_hosts(*state, boots, NULL, false);
	/* Lines of another clock are left out. */
	comes_as(*state, "[ 1.5] Lustre: a: b\n[Tue Nov 14 22:13:20 2023] Lustre: a: b\n", "1@0 ");
}

static int open_context(void **state)
{
	return dkt_ctx_new(NULL, (struct dkt_ctx **)state);
}

static int close_context(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

/* The first line of Lustre can come late in a syslog, whose first line has a time. */
static void lustre_can_come_late_in_a_syslog(void **state)
{
	static const char other[] = "Nov 26 10:00:00 oss1 systemd: nothing\n";
	static const char line[] = "Nov 26 10:00:00 oss1 kernel: Lustre: 1:0:(a.c:1:f()) text\n";
	int fd = memfd_create("kind", MFD_CLOEXEC);

	(void)state;
	for (int i = 0; i < 10000; i++)
		assert_int_equal(write(fd, other, strlen(other)), strlen(other));
	assert_int_equal(dkl_log_kind_of(fd), LOG_NONE);
	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
	assert_int_equal(dkl_log_kind_of(fd), LOG_CONSOLE);
	assert_int_equal(pwrite(fd, "\x17\x08\x44tracing7", 11, 0), 11);
	assert_int_equal(dkl_log_kind_of(fd), LOG_NONE);
	close(fd);
}

/* A program can copy a dump into a syslog, behind lines that have parts of a head. */
static void a_dump_can_come_late_in_a_syslog(void **state)
{
	static const char line[] = "Nov 26 10:00:00 oss1 kernel: Lustre: 1:0:(a.c:1:f()) text\n";
	static const char dump[] =
		"oss1: 00000100:00000001:0.0:1700000000.000001:0:1:0:(a.c:1:f()) text";
	int fd = memfd_create("kind", MFD_CLOEXEC);

	(void)state;
	for (int i = 0; i < 40000; i++)
		assert_int_equal(write(fd, line, strlen(line)), strlen(line));
	assert_int_equal(dkl_log_kind_of(fd), LOG_CONSOLE);
	assert_int_equal(write(fd, dump, strlen(dump)), strlen(dump));
	assert_int_equal(dkl_log_kind_of(fd), LOG_TEXT);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_comes_in_order_whatever_its_order_is),
		cmocka_unit_test(a_clock_that_is_set_back_begins_an_epoch),
		cmocka_unit_test(a_log_without_order_has_no_epochs),
		cmocka_unit_test(a_text_in_order_is_read_at_once),
		cmocka_unit_test(the_first_line_can_be_cut),
		cmocka_unit_test(lines_of_syslog_tell_their_host),
		cmocka_unit_test(stamps_of_dmesg_count_from_the_boot),
		cmocka_unit_test(lustre_can_come_late_in_a_syslog),
		cmocka_unit_test(a_dump_can_come_late_in_a_syslog),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
