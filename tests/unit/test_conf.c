/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration file: its settings, its errors, and how it is written. */
#include <sys/stat.h>

#include "compat/set/saved/conf.h"
#include "lib/base/util.h"
#include "tests/helper/check.h"

static int setup(void **state)
{
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	*state = ctx;
	return 0;
}

static int teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

static int parse(void **state, const char *text, struct conf *conf)
{
	return dkl_conf_parse(*state, "f", text, strlen(text), conf);
}

static void values_are_read_with_their_lines(void **state)
{
	const struct conf_line *line;
	struct conf conf;

	assert_int_equal(parse(state,
			       "# debug = 1\n\n  debug=+rpctrace\t\n"
			       "debug_filter =  a == \"x # y\" && b = c\r\ninstance = n",
			       &conf),
			 0);
	assert_int_equal(conf.n, 5);
	line = dkl_conf_find(&conf, "debug");
	assert_string_equal(line->value, "+rpctrace");
	assert_int_equal(line->nr, 3);
	assert_int_equal(line->column, 9);
	assert_string_equal(dkl_conf_find(&conf, "debug_filter")->value, "a == \"x # y\" && b = c");
	assert_string_equal(dkl_conf_find(&conf, CONF_INSTANCE)->value, "n");
	assert_null(dkl_conf_find(&conf, "printk"));
	dkl_conf_clear(&conf);
}

/* Those about b, of which nothing is known now. */
static bool is_about_b(void *data, const struct conf_line *line)
{
	(void)data;
	return *line->value == 'b';
}

static void a_kept_line_has_one_comment(void **state)
{
	static const char text[] = "filter = a x\n# mine\nfilter = b y\nfilter = c z\n";
	static const char comment[] = "# Its object did not exist";
	char d[] = "d x", b[] = "b y";
	char *values[] = { d, b };
	struct conf conf;
	size_t times;

	assert_int_equal(parse(state, text, &conf), 0);
	/* Whatever is set, it stays; as often as it is saved, there is one comment. */
	for (times = 0; times < 3; times++) {
		assert_int_equal(dkl_conf_set_list(&conf, CONF_FILTER,
						   &(struct dkt__strings){ values, 1 }, is_about_b,
						   NULL),
				 0);
		assert_int_equal(conf.n, 4);
		assert_string_equal(conf.lines[0].text, "filter = d x");
		assert_string_equal(conf.lines[1].text, "# mine");
		assert_memory_equal(conf.lines[2].text, comment, sizeof(comment) - 1);
		assert_null(conf.lines[2].key);
		assert_string_equal(conf.lines[3].text, "filter = b y");
	}
	/* When it is there it is a line like others. */
	assert_int_equal(dkl_conf_set_list(&conf, CONF_FILTER, &(struct dkt__strings){ values, 2 },
					   NULL, NULL),
			 0);
	assert_int_equal(conf.n, 3);
	assert_string_equal(conf.lines[2].text, "filter = b y");
	dkl_conf_clear(&conf);
}

static void lists_keep_their_order(void **state)
{
	char a[] = "a x == 1", b[] = "b y", c[] = "c";
	char *values[] = { a, b, c };
	const struct dkt__strings two = { values, 2 }, three = { values, 3 }, none = { 0 };
	const struct conf_line *line;
	struct conf conf;

	assert_int_equal(
		parse(state, "filter = a b\n# one\ntrigger = t\nfilter=c  d \ncpus = 0", &conf), 0);
	line = dkl_conf_find(&conf, CONF_FILTER);
	assert_string_equal(line->value, "a b");
	line = dkl_conf_next(&conf, CONF_FILTER, line);
	assert_string_equal(line->value, "c  d");
	assert_int_equal(line->nr, 4);
	assert_null(dkl_conf_next(&conf, CONF_FILTER, line));
	assert_int_equal(dkl_conf_set_list(&conf, CONF_FILTER, &three, NULL, NULL), 0);
	assert_int_equal(conf.n, 6);
	assert_string_equal(conf.lines[0].text, "filter = a x == 1");
	assert_string_equal(conf.lines[3].text, "filter = b y");
	assert_string_equal(conf.lines[5].text, "filter = c");
	assert_int_equal(dkl_conf_set_list(&conf, CONF_FILTER, &two, NULL, NULL), 0);
	assert_int_equal(conf.n, 5);
	assert_string_equal(conf.lines[4].text, "cpus = 0");
	assert_int_equal(dkl_conf_set_list(&conf, CONF_FILTER, &none, NULL, NULL), 0);
	assert_null(dkl_conf_find(&conf, CONF_FILTER));
	assert_string_equal(conf.lines[0].text, "# one");
	assert_int_equal(conf.n, 3);
	dkl_conf_clear(&conf);
}

static void errors_name_their_place(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "\n debg = 1", "f:2:2: unknown setting 'debg'; did you mean debug?" },
		{ "real_lctrl=/x", "f:1:1: unknown setting 'real_lctrl'; did you mean real_lctl?" },
		{ "quux = 1", "f:1:1: unknown setting 'quux'" },
		{ "= 1", "f:1:1: unknown setting ''" },
		{ "debug", "f:1:6: expected key = value" },
		{ "debug +trace", "f:1:7: expected key = value" },
		{ "debug = ", "f:1:8: the value is missing" },
		{ "debug=1\nprintk=1\n debug=1", "f:3:2: it is already set above" },
		{ "cpus=1\ncpus=2", "f:2:1: it is already set above" },
		{ "filters = a", "f:1:1: unknown setting 'filters'; did you mean filter?" },
		{ "nonsense\ndebg=1", "f:1:9: expected key = value" },
	};
	struct conf conf;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_fails(*state, -EINVAL, rows[i].words, parse(state, rows[i].text, &conf));
		dkl_conf_clear(&conf);
	}
	assert_fails(*state, -EINVAL, "f:1:10: it has a zero byte",
		     dkl_conf_parse(*state, "f", "debug = a\0b", 11, &conf));
	dkl_conf_clear(&conf);
}

/* A program asks for one value of a file in which another one is wrong. */
static void other_values_are_read_beside_a_wrong_one(void **state)
{
	struct conf conf;

	assert_int_equal(parse(state, "debg = 1\nreal_lctl = /sbin/lctl\n", &conf), -EINVAL);
	assert_string_equal(dkl_conf_find(&conf, CONF_REAL_LCTL)->value, "/sbin/lctl");
	dkl_conf_clear(&conf);
}

static void expect_lines(const struct conf *conf, const char *const *lines, size_t n)
{
	size_t i;

	assert_int_equal(conf->n, n);
	for (i = 0; i < n; i++)
		assert_string_equal(conf->lines[i].text, lines[i]);
}

static void values_are_set_and_removed(void **state)
{
	static const char *const lines[] = { "# a", "debug = all", "", "# b", "printk = 0" };
	struct conf conf;

	assert_int_equal(parse(state, "# a\ndebug=1\n\ndebug_mb = 5\n# b\n", &conf), 0);
	assert_int_equal(dkl_conf_set(&conf, "debug", "all"), 0);
	assert_int_equal(dkl_conf_set(&conf, "debug_mb", NULL), 0);
	assert_int_equal(dkl_conf_set(&conf, "subsystem_debug", NULL), 0);
	assert_int_equal(dkl_conf_set(&conf, "printk", "0"), 0);
	expect_lines(&conf, lines, ARRAY_SIZE(lines));
	assert_string_equal(dkl_conf_find(&conf, "printk")->value, "0");
	dkl_conf_clear(&conf);
}

static void a_file_is_saved_through_links(void **state)
{
	char dir[] = "/tmp/dkt-conf-XXXXXX", file[64], link_name[64], old[80];
	struct conf conf, again;
	struct stat st;

	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/sub/c", dir);
	snprintf(link_name, sizeof(link_name), "%s/l", dir);
	assert_int_equal(dkl_conf_load(*state, file, &conf), -ENOENT);
	assert_ok(*state, dkl_conf_parse(*state, file, "# x", 3, &conf));
	assert_int_equal(dkl_conf_set(&conf, "debug", "0"), 0);
	assert_ok(*state, dkl_conf_save(*state, &conf));
	dkl_conf_clear(&conf);

	/* Through a link, with the mode that it has. */
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(symlink("sub/c", link_name), 0);
	assert_ok(*state, dkl_conf_load(*state, link_name, &conf));
	assert_int_equal(dkl_conf_set(&conf, "debug", "all"), 0);
	assert_ok(*state, dkl_conf_save(*state, &conf));
	dkl_conf_clear(&conf);
	assert_int_equal(lstat(link_name, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_ok(*state, dkl_conf_load(*state, file, &again));
	expect_lines(&again, (const char *const[]){ "# x", "debug = all" }, 2);
	dkl_conf_clear(&again);
	/* The earlier one is kept beside it. */
	snprintf(old, sizeof(old), "%s.old", file);
	assert_ok(*state, dkl_conf_load(*state, old, &again));
	expect_lines(&again, (const char *const[]){ "# x", "debug = 0" }, 2);
	dkl_conf_clear(&again);
	assert_int_equal(unlink(old), 0);

	/* Nothing is left of one that could not be written. */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_ok(*state, dkl_conf_parse(*state, file, "# x", 3, &conf));
	assert_int_equal(dkl_conf_save(*state, &conf), -EISDIR);
	dkl_conf_clear(&conf);
	assert_int_equal(rmdir(file), 0);
	assert_int_equal(unlink(link_name), 0);
	*strrchr(file, '/') = '\0';
	assert_int_equal(rmdir(file), 0);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_are_read_with_their_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(lists_keep_their_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_kept_line_has_one_comment, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_name_their_place, setup, teardown),
		cmocka_unit_test_setup_teardown(other_values_are_read_beside_a_wrong_one, setup,
						teardown),
		cmocka_unit_test_setup_teardown(values_are_set_and_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_is_saved_through_links, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
