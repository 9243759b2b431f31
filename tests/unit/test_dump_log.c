/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's messages in the memory of a kernel, and what may be wrong there. */
#include "compat/lustre/log_source.h"
#include "tests/helper/check.h"
#include "tests/helper/made_dump.h"

/* Reads the messages; lines is the line of each record, one character each. */
static int read_lines(const char *path, char **words, char **damage, char *lines, size_t size)
{
	const DKT_OPTS(dkt_source_opts, opts, .flags = 0);
	struct record_head head;
	struct dkt_ctx *ctx;
	struct spill spill;
	size_t n = 0;
	int err;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkl_spill_open(ctx, &spill), 0);
	err = dkl_dump_log_read(ctx, path, &opts, &spill, damage);
	if (words)
		*words = strdup(dkt_error(ctx));
	for (off_t at = 0; !err && n < size - 1 &&
			   pread(spill.fd, &head, sizeof(head), at) == (ssize_t)sizeof(head);
	     at += head.len)
		lines[n++] = (char)head.line;
	lines[n] = '\0';
	dkl_spill_close(&spill);
	dkt_ctx_free(ctx);
	return err;
}

static void check(const char *want_lines, const char *want_damage)
{
	char lines[16], *damage = NULL;

	assert_int_equal(read_lines("made", NULL, &damage, lines, sizeof(lines)), 0);
	assert_string_equal(lines, want_lines);
	if (want_damage)
		assert_string_equal(damage, want_damage);
	else
		assert_null(damage);
	free(damage);
}

static void check_error(const char *path, int want, const char *want_words)
{
	char lines[16], *damage = NULL, *words;

	assert_int_equal(read_lines(path, &words, &damage, lines, sizeof(lines)), want);
	assert_string_equal(words, want_words);
	free(words);
	free(damage);
}

static void fill(void)
{
	made_dump_new();
	made_add(0, 0, 'a');
	made_add(1, 0, 'c');
	made_add(0, 0, 'b');
	made_add(1, 2, 'e');
	made_add(0, 1, 'd');
}

static void all_lists_are_read(void **state)
{
	(void)state;
	made_dump_new();
	check("", NULL);
	fill();
	check("abcde", NULL);
}

/* Makes a CPU's struct one of Lustre 2.14, with a list of written pages behind the other. */
static void make_old(unsigned int cpu, unsigned int context, bool is_written)
{
	struct made_cpu *it = made_cpu(cpu, context);
	uint64_t *written = &it->most, head = made_list(cpu, context) + 24;

	memmove(written + 3, written,
		offsetof(struct made_cpu, line) - offsetof(struct made_cpu, most));
	written[0] = written[1] = head;
	written[2] = 0;
	/* The spare pages: an empty list. */
	written[4] = written[5] = head + 32;
	/* Its only page. */
	if (is_written) {
		written[0] = written[1] = it->next;
		((uint64_t *)made_ptr(it->next - MADE_BASE))[0] = head;
		((uint64_t *)made_ptr(it->next - MADE_BASE))[1] = head;
		it->next = it->prev = made_list(cpu, context);
	}
}

static void written_pages_of_lustre_2_14_are_read(void **state)
{
	(void)state;
	fill();
	for (unsigned int i = 0; i < 3 * MADE_CPUS; i++)
		make_old(i % MADE_CPUS, i / MADE_CPUS, i == 1);
	check("abcde", NULL);
	/* The other list of a CPU is read, too. */
	*(uint64_t *)made_ptr(made_list(1, 2) + 24 - MADE_BASE) = 0x1234;
	check("abcde",
	      "1 of Lustre's lists of messages cannot be read, the first of cpu 1: Bad address");
}

static void a_damaged_list_is_told_and_the_others_are_read(void **state)
{
	(void)state;
	/* A circle beside the head. */
	fill();
	made_trace_page(2)->next = MADE_BASE + MADE_TRACE_PAGES + 8;
	made_trace_page(2)->used = 0;
	made_trace_page(0)->used = 0;
	check("cde",
	      "1 of Lustre's lists of messages cannot be read, the first of cpu 0: Too many levels of symbolic links");
	/* The page of another CPU, and one that is too full. */
	fill();
	made_trace_page(1)->cpu = 0;
	made_trace_page(0)->used = MADE_PAGE + 1;
	check("bde",
	      "2 of Lustre's lists of messages cannot be read, the first of cpu 0: Invalid argument");
	/* An address without memory. */
	fill();
	made_cpu(1, 0)->next = 0x1234;
	check("abde",
	      "1 of Lustre's lists of messages cannot be read, the first of cpu 1: Bad address");
	/* Fewer CPUs than the kernel has numbers for. */
	fill();
	made_cpu(1, 2)->cpu = 7;
	check("abcd",
	      "1 of Lustre's lists of messages cannot be read, the first of cpu 1: Invalid argument");
}

static void another_layout_is_refused(void **state)
{
	(void)state;
	fill();
	made_cpu(0, 0)->cpu = 1;
	check_error(
		"made", -EOPNOTSUPP,
		"read made: Lustre's messages are not where Lustre 2 keeps them: the first list is "
		"not that of CPU 0");
	fill();
	*(uint32_t *)made_ptr(MADE_NR_CPUS) = UINT32_MAX;
	check_error(
		"made", -EOPNOTSUPP,
		"read made: Lustre's messages are not where Lustre 2 keeps them: Invalid argument");
	made_dump.no_libcfs = -ENOENT;
	check_error("made", -ENOENT,
		    "read made: it has no messages of Lustre, whose module libcfs was not loaded");
	made_dump.no_libcfs = -EIO;
	check_error(
		"made", -EIO,
		"read made: the symbols of the module libcfs are not found: Input/output error");
	check_error("other", -EINVAL, "not a dump");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_lists_are_read),
		cmocka_unit_test(written_pages_of_lustre_2_14_are_read),
		cmocka_unit_test(a_damaged_list_is_told_and_the_others_are_read),
		cmocka_unit_test(another_layout_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
