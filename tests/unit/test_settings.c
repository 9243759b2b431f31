/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of settings: it reads back as written, and errors name their line. */
#include <fcntl.h>

#include "compat/log/settings.h"
#include "compat/lustre/mask.h"
#include "lib/base/util.h"
#include "tests/helper/check.h"

struct place {
	char dir[40];
	int fd;
	struct dkt_ctx *ctx;
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	snprintf(place->dir, sizeof(place->dir), "/tmp/dkt-settings-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	place->fd = open(place->dir, O_RDONLY | O_DIRECTORY);
	assert_true(place->fd >= 0);
	assert_int_equal(dkt_ctx_new(NULL, &place->ctx), 0);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	unlinkat(place->fd, "s", 0);
	unlinkat(place->fd, "s.tmp", 0);
	close(place->fd);
	assert_int_equal(rmdir(place->dir), 0);
	dkt_ctx_free(place->ctx);
	free(place);
	return 0;
}

static void write_text(struct place *place, const char *text)
{
	int fd = openat(place->fd, "s", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void settings_read_back_as_written(void **state)
{
	struct place *place = *state;
	struct settings in, out;

	dkl_settings_init(&in);
	in.debug = 0x80000001;
	in.subsystem_debug = 0;
	in.printk = UINT32_MAX;
	in.sources = MASK_FROM_KERNEL;
	in.lustre = true;
	in.debug_mb = 4000000000u;
	in.has_instance = true;
	in.filter = strdup("comm ~ \"a b*\" && fd == 1");
	assert_int_equal(dkt__strings_add(&in.filtered, "syscalls:sys_enter_read"), 0);
	assert_int_equal(dkt__strings_add(&in.filtered, "kmem:kmalloc"), 0);
	assert_int_equal(dkl_entries_add(&in.rules, "vfstrace+sched:*", "comm == \"a b\""), 0);
	assert_int_equal(dkl_entries_add(&in.triggers, "a:b", "traceoff:3 if c == 1"), 0);
	assert_int_equal(dkl_entries_add(&in.placed, "a:b", "stacktrace"), 0);
	assert_int_equal(dkl_threads_parse("12 13", &in.threads), 0);
	in.functions.tracer = strdup("function_graph");
	assert_int_equal(dkt__strings_add(&in.functions.only, "vfs_*"), 0);
	assert_int_equal(dkt__strings_add(&in.functions.roots, "do_sys open"), 0);
	assert_int_equal(dkl_threads_parse("7", &in.functions.threads), 0);
	in.functions.depth = 3;
	in.functions.threshold = 5000;
	in.cpus = strdup("0-3,5");
	in.children = in.limited = true;
	assert_ok(place->ctx, dkl_settings_save(place->ctx, place->fd, "s", &in));
	assert_int_equal(faccessat(place->fd, "s.tmp", F_OK, 0), -1);
	assert_ok(place->ctx, dkl_settings_load(place->ctx, place->fd, "s", &out));
	assert_int_equal(out.debug, 0x80000001);
	assert_int_equal(out.subsystem_debug, 0);
	assert_int_equal(out.printk, UINT32_MAX);
	assert_int_equal(out.sources, MASK_FROM_KERNEL);
	assert_true(out.lustre);
	assert_int_equal(out.debug_mb, 4000000000u);
	assert_true(out.has_instance);
	assert_string_equal(out.filter, in.filter);
	assert_int_equal(out.filtered.n, 2);
	assert_string_equal(out.filtered.list[1], "kmem:kmalloc");
	assert_string_equal(out.rules.list[0].events, "vfstrace+sched:*");
	assert_string_equal(out.rules.list[0].text, "comm == \"a b\"");
	assert_true(dkl_entries_have(&out.triggers, &in.triggers.list[0]));
	assert_true(dkl_entries_have(&out.placed, &in.placed.list[0]));
	assert_true(dkl_threads_same(&out.threads, &in.threads));
	assert_int_equal(out.threads.list[1], 13);
	assert_true(dkl_settings_same_functions(&out, &in));
	assert_int_equal(out.functions.depth, 3);
	assert_string_equal(out.cpus, "0-3,5");
	assert_true(out.children && out.limited);
	dkl_settings_clear(&out);
	assert_int_equal(dkl_settings_copy(&out, &in), 0);
	assert_string_equal(out.filter, in.filter);
	assert_ptr_not_equal(out.filter, in.filter);
	assert_int_equal(out.filtered.n, 0);
	assert_true(dkl_settings_same_functions(&out, &in));
	dkl_settings_clear_functions(&out);
	assert_false(dkl_settings_same_functions(&out, &in));
	assert_int_equal(out.rules.n, 1);
	assert_int_equal(dkl_settings_copy_functions(&out, &in), 0);
	assert_true(dkl_settings_same_functions(&out, &in));
	dkl_settings_clear(&out);
	dkl_settings_clear(&in);
	dkl_settings_clear(&in);
}

static void add_difference(const char *name, const char *before, const char *after, void *arg)
{
	fprintf(arg, "%s: %s -> %s\n", name, before, after);
}

static void differences_are_told_in_words(void **state)
{
	struct settings before, after;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	dkl_settings_init(&before);
	dkl_settings_init(&after);
	before.debug = 0x80;
	after.debug = 0x88;
	/* These are results. */
	after.chosen = 1;
	after.has_instance = after.limited = !before.limited;
	after.debug_mb = 40;
	assert_int_equal(dkl_entries_add(&before.rules, "sched:*", "comm == 1"), 0);
	assert_int_equal(dkl_entries_add(&after.rules, "sched:*", "comm == 1"), 0);
	assert_int_equal(dkl_entries_add(&after.rules, "net", "len > 9"), 0);
	before.filter = strdup("a\nb");
	assert_int_equal(dkl_settings_compare(&before, &after, add_difference, f), 0);
	assert_int_equal(dkl_settings_compare(&after, &after, add_difference, f), 0);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "debug: ioctl -> iotrace ioctl\n"
				  "debug_mb:  -> 40\n"
				  "debug_filter: a b -> \n"
				  "rule: sched:* comm == 1 -> sched:* comm == 1; net len > 9\n");
	free(text);
	dkl_settings_clear(&before);
	dkl_settings_clear(&after);
}

static void staged_settings_are_loaded_once_published(void **state)
{
	struct place *place = *state;
	struct settings in, out;

	dkl_settings_init(&in);
	in.debug = 1;
	assert_ok(place->ctx, dkl_settings_save(place->ctx, place->fd, "s", &in));
	in.debug = 2;
	assert_ok(place->ctx, dkl_settings_stage(place->ctx, place->fd, "s", &in));
	assert_ok(place->ctx, dkl_settings_load(place->ctx, place->fd, "s", &out));
	assert_int_equal(out.debug, 1);
	assert_ok(place->ctx, dkl_settings_publish(place->ctx, place->fd, "s"));
	assert_ok(place->ctx, dkl_settings_load(place->ctx, place->fd, "s", &out));
	assert_int_equal(out.debug, 2);
	assert_int_equal(dkl_settings_publish(place->ctx, place->fd, "s"), -ENOENT);
	assert_ok(place->ctx, dkl_settings_load(place->ctx, place->fd, "s", &out));
}

static void an_invalid_file_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text;
		int line;
	} texts[] = {
		{ "", 1 },
		{ "\n", 1 },
		{ "end", 0 },
		{ "debug 1\n", 2 },
		{ "debug\nend\n", 1 },
		{ "debug \nend\n", 1 },
		{ "debug x\nend\n", 1 },
		{ "debug 1x\nend\n", 1 },
		{ "debug 1\ndebug 4294967296\nend\n", 2 },
		{ "debug -1\nend\n", 1 },
		{ "nosuch 1\nend\n", 1 },
		{ "debug 1\nen", 2 },
	};
	struct place *place = *state;
	struct settings s;
	char words[60];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		write_text(place, texts[i].text);
		assert_int_equal(dkl_settings_load(place->ctx, place->fd, "s", &s),
				 texts[i].line ? -EINVAL : 0);
		snprintf(words, sizeof(words), "s: line %d is invalid", texts[i].line);
		if (texts[i].line)
			assert_string_equal(dkt_error(place->ctx), words);
		assert_null(s.filtered.list);
		dkl_settings_clear(&s);
	}
}

static void a_missing_file_or_a_link_is_refused(void **state)
{
	struct place *place = *state;
	struct settings s;

	assert_fails(place->ctx, -ENOENT, "open s: No such file or directory",
		     dkl_settings_load(place->ctx, place->fd, "s", &s));
	assert_int_equal(symlinkat("/etc/passwd", place->fd, "s"), 0);
	assert_int_equal(dkl_settings_load(place->ctx, place->fd, "s", &s), -ELOOP);
	dkl_settings_init(&s);
	assert_int_equal(dkl_settings_save(place->ctx, -1, "s", &s), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(settings_read_back_as_written, setup, teardown),
		cmocka_unit_test(differences_are_told_in_words),
		cmocka_unit_test_setup_teardown(staged_settings_are_loaded_once_published, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_invalid_file_is_refused_with_its_line, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_missing_file_or_a_link_is_refused, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
