/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class map: errors with their place, the meaning of entries, overrides of a site. */
#include "tests/helper/class_kernel.h"

#include <sys/stat.h>

/* ---- errors ---- */

struct refusal {
	const char *text;
	const char *words; /* how the error begins */
};

static const struct refusal refusals[] = {
	{ "clases: {}\n", "map:1:1: unknown key 'clases'" },
	{ "classes:\n  rpctrac: {}\n", "map:2:3: unknown class 'rpctrac'" },
	{ "subsystems:\n  osdd: {}\n", "map:2:3: unknown subsystem 'osdd'" },
	{ "classes:\n  net:\n    evnets: []\n", "map:3:5: unknown key 'evnets'" },
	{ "classes:\n  net:\n    entries:\n      - evnets: a:b\n",
	  "map:4:9: unknown key 'evnets'" },
	{ "classes: {}\nclasses: {}\n", "map:2:1: duplicate key 'classes'" },
	{ "classes:\n  net: {about: a}\n  NET: {about: b}\n", "map:3:3: duplicate class 'NET'" },
	{ "classes: []\n", "map:1:10: expected lines of 'class: ...'" },
	{ "- a\n", "map:1:1: expected lines of 'key: ...'" },
	{ "classes:\n  net: text\n", "map:2:8: expected lines of 'key: ...'" },
	{ "classes:\n  net:\n    about: [a]\n", "map:3:12: about must be text" },
	{ "classes:\n  net:\n    about:\n", "map:3:11: about is empty" },
	{ "classes:\n  net:\n    about: \"a\\tb\"\n", "map:3:12: a control character in about" },
	{ "classes:\n  net:\n    about: \"a\\0b\"\n", "map:3:12: a control character in about" },
	{ "classes:\n  net:\n    entries: net:*\n", "map:3:14: entries must be a list" },
	{ "classes:\n  net:\n    entries: [ net ]\n", "map:3:16: expected lines of 'key: ...'" },
	{ "classes:\n  net:\n    entries: [ {} ]\n", "map:3:16: this entry is empty" },
	{ "classes:\n  net:\n    entries:\n      - events: [ [ a ] ]\n",
	  "map:4:19: event must be text" },
	{ "classes:\n  net:\n    entries:\n      - events: net_*\n",
	  "map:4:17: 'net_*' is not of the form system:event" },
	{ "classes:\n  net:\n    entries:\n      - events: 'net:'\n",
	  "map:4:17: glob '': empty name" },
	{ "classes:\n  net:\n    entries:\n      - events: ':x'\n",
	  "map:4:17: glob '': empty name" },
	{ "classes:\n  net:\n    entries:\n      - events: 'a:b:c'\n",
	  "map:4:17: glob 'b:c': a character" },
	{ "classes:\n  net:\n    entries:\n      - events: 'net:[ab'\n",
	  "map:4:17: glob '[ab': '[' without ']'" },
	{ "classes:\n  net:\n    entries:\n      - events: 'net:ab]'\n",
	  "map:4:17: glob 'ab]': ']' without '['" },
	{ "classes:\n  net:\n    entries:\n      - events: 'net:a b'\n",
	  "map:4:17: glob 'a b': a character" },
	{ "classes:\n  net:\n    entries:\n      - events: -net:x\n",
	  "map:4:9: this entry has only negated events" },
	{ "classes:\n  net:\n    entries:\n      - filter: a == 1\n",
	  "map:4:9: this entry has only negated events" },
	{ "classes:\n  net:\n    entries:\n      - syscalls: 'a/b'\n",
	  "map:4:19: glob 'a/b': a character" },
	{ "classes:\n  net:\n    entries:\n      - events: a:b\n        narrow: ip\n",
	  "map:5:17: narrow can only be call_site" },
	{ "classes:\n  net:\n    entries:\n      - graph: maybe\n",
	  "map:4:16: graph must be true or false" },
	{ "classes:\n  net:\n    none: nothing\n    entries: [ { events: 'a:b' } ]\n",
	  "map:3:5: 'none' cannot stand beside entries" },
	{ "subsystems:\n  osd:\n    entries:\n      - events: a:b\n        filter: c == 1\n",
	  "map:4:9: filter, narrow and graph are for classes only" },
	{ "messages:\n  entries:\n    - modules: a\n", "map:3:7: messages can only have events" },
	{ "classes:\n  net:\n\tabout: x\n", "map:3:1: a tab: indent with spaces" },
	{ "classes:\n  net:\n    about: a\xff z\n", "map:3:13: " },
	{ "\xff", "map:1:1: " },
	{ "classes:\n  net: &a [ *a ]\n", "map:2:8: anchors are not allowed here" },
	{ "classes:\n  net:\n    entries:\n      - events: *x\n", "map:4:17: an alias" },
	{ "classes:\n  net: !!map {}\n", "map:2:8: tags are not allowed here" },
	{ "classes: {}\n---\nclasses: {}\n", "map:2:1: a second document" },
	{ "classes:\n  net: {about: x\n", "map:3:1: did not find expected" },
	{ "classes:\n  net:\n    about: 'x\n", "map:" },
};

static void wrong_maps_are_refused_by_place(void **state)
{
	struct dkt_ctx *ctx = ctx_new(NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct refusal *r = &refusals[i];
		struct class_map *map;
		int err = dkl_class_map_load_text(ctx, "map", r->text, strlen(r->text), &map);

		if (err != -EINVAL || strncmp(dkt_error(ctx), r->words, strlen(r->words)))
			fail_msg("%s\ngives %d: %s\nexpected: %s", r->text, err, dkt_error(ctx),
				 r->words);
		assert_null(map);
	}
	dkt_ctx_free(ctx);
}

static void files_that_cannot_be_read_are_errors(void **state)
{
	struct dkt_ctx *ctx = ctx_new(NULL);
	const char *dir = "/nonexistent";
	char path[] = "/tmp/dktrace-test-XXXXXX";
	char file[64];
	struct class_map *map;

	(void)state;
	assert_int_equal(dkl_class_map_load_dirs(ctx, &dir, 1, &map), -ENOENT);
	assert_has(dkt_error(ctx), dir);
	dir = mkdtemp(path);
	assert_non_null(dir);
	snprintf(file, sizeof(file), "%s/a.yaml", dir);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_int_equal(dkl_class_map_load_dirs(ctx, &dir, 1, &map), -EINVAL);
	assert_has(dkt_error(ctx), "a.yaml: not a regular file");
	rmdir(file);
	assert_int_equal(symlink("nothing", file), 0);
	assert_int_equal(dkl_class_map_load_dirs(ctx, &dir, 1, &map), -ENOENT);
	unlink(file);
	assert_int_equal(tree_text(dir, "a.yaml", "classes: [\n"), 0);
	assert_int_equal(dkl_class_map_load_dirs(ctx, &dir, 1, &map), -EINVAL);
	assert_has(dkt_error(ctx), "a.yaml:1:10: ");
	unlink(file);
	rmdir(dir);
	dkt_ctx_free(ctx);
}

/* ---- the meaning of a map ---- */

#define NAMES                                                                                      \
	"block:block_rq_complete\nblock:block_rq_issue\nkmem:kfree\nkmem:kmalloc\n"                \
	"kmem:mm_page_alloc\nlustre_debug:lustre_debug_msg\n"                                      \
	"syscalls:sys_enter_open\nsyscalls:sys_enter_openat\nsyscalls:sys_exit_open\n"             \
	"syscalls:sys_exit_openat\nxfs:xfs_lookup\nxfs:xfs_readdir\n"

#define MAP                                                                                        \
	"classes:\n"                                                                               \
	"  vfstrace:\n"                                                                            \
	"    about: file system calls\n"                                                           \
	"    entries: [ { syscalls: [ open* ] } ]\n"                                               \
	"  error:\n"                                                                               \
	"    entries:\n"                                                                           \
	"      - { events: 'block:*', filter: error != 0 }\n"                                      \
	"      - { events: 'block:block_rq_complete', filter: error == 5 }\n"                      \
	"  iotrace:\n"                                                                             \
	"    entries: [ { events: [ 'block:block_rq_*', '-block:*_issue' ] } ]\n"                  \
	"  malloc:\n"                                                                              \
	"    entries: [ { events: [ 'kmem:k*' ], narrow: call_site } ]\n"                          \
	"  trace:\n"                                                                               \
	"    entries: [ { graph: true }, { functions: [ ll_open ], modules: [ lustre ] } ]\n"      \
	"  hsm: { none: of Lustre only }\n"                                                        \
	"subsystems:\n"                                                                            \
	"  osd: { entries: [ { events: [ 'xfs:*', 'block:*' ], modules: [ xfs, ext4 ] } ] }\n"     \
	"  lov: { entries: [ { events: 'block:*issue', modules: [ dm_mod, xfs ] } ] }\n"           \
	"messages: { entries: [ { events: lustre_debug:lustre_debug_msg } ] }\n"

static void assert_filter(const struct kernel *k, const struct class_map *map, const char *system,
			  const char *name, uint32_t types, const char *sites, const char *expected)
{
	struct dkt_event *event = dkt_event_find(k->ctx, system, name);
	char *filter;

	assert_int_equal(dkl_class_map_filter(map, event, types, sites, &filter), 0);
	assert_string_equal(filter, expected);
	free(filter);
}

static void entries_set_bits_and_filters(void **state)
{
	const uint32_t error = 1u << TYPE("error"), iotrace = 1u << TYPE("iotrace");
	const uint32_t osd = 1u << SUBSYSTEM("osd"), lov = 1u << SUBSYSTEM("lov");
	const uint32_t malloc_bit = 1u << TYPE("malloc");
	const struct class_bits *bits;
	struct class_map *map;
	struct kernel k;

	(void)state;
	kernel_open(&k, NAMES);
	map = map_of_text(&k, MAP);

	bits = bits_of(&k, map, "block", "block_rq_complete");
	assert_int_equal(bits->classes, error | iotrace);
	assert_int_equal(bits->filtered, error);
	assert_int_equal(bits->subsystems, osd);
	assert_true(dkl_class_bits_on(bits, error, osd));
	assert_false(dkl_class_bits_on(bits, error, lov));
	assert_false(dkl_class_bits_on(bits, malloc_bit, osd));
	assert_filter(&k, map, "block", "block_rq_complete", error, NULL,
		      "(error != 0) || (error == 5)");
	assert_filter(&k, map, "block", "block_rq_complete", error | iotrace, NULL, "");

	bits = bits_of(&k, map, "block", "block_rq_issue");
	assert_int_equal(bits->classes, error);
	assert_int_equal(bits->subsystems, osd | lov);
	assert_filter(&k, map, "block", "block_rq_issue", error, NULL, "(error != 0)");

	bits = bits_of(&k, map, "kmem", "kfree");
	assert_int_equal(bits->narrowed, malloc_bit);
	assert_int_equal(bits->subsystems, 1);
	assert_int_equal(bits->sites, osd | lov);
	assert_true(dkl_class_bits_on(bits, malloc_bit, osd));
	assert_false(dkl_class_bits_on(bits, malloc_bit, 1u << SUBSYSTEM("rpc")));
	assert_filter(&k, map, "kmem", "kfree", malloc_bit, "call_site > 1", "(call_site > 1)");
	assert_filter(&k, map, "kmem", "kfree", malloc_bit, NULL, "");

	assert_int_equal(bits_of(&k, map, "kmem", "mm_page_alloc")->classes, 0);
	assert_int_equal(bits_of(&k, map, "kmem", "mm_page_alloc")->subsystems, 1);
	assert_true(bits_of(&k, map, "lustre_debug", "lustre_debug_msg")->fields);
	assert_int_equal(dkl_class_map_count(map, MASK_DEBUG, (unsigned int)TYPE("vfstrace")), 5);
	dkl_class_map_free(map);
	kernel_close(&k);
}

static void entries_can_be_listed(void **state)
{
	const unsigned int trace = (unsigned int)TYPE("trace");
	const struct class_entry *entries;
	const char **modules;
	struct class_map *map;
	struct kernel k;
	size_t n;

	(void)state;
	kernel_open(&k, NAMES);
	map = map_of_text(&k, MAP);
	entries = dkl_class_map_entries(map, MASK_DEBUG, (unsigned int)TYPE("iotrace"), &n);
	assert_int_equal(n, 1);
	assert_int_equal(entries->n_globs, 2);
	assert_string_equal(entries->globs[1].text, "block:*_issue");
	assert_true(entries->globs[1].negative);
	entries = dkl_class_map_entries(map, MASK_DEBUG, trace, &n);
	assert_int_equal(n, 2);
	assert_true(entries[0].graph);
	assert_string_equal(entries[1].functions[0], "ll_open");
	assert_string_equal(entries[1].modules[0], "lustre");
	dkl_class_map_messages(map, &n);
	assert_int_equal(n, 1);
	assert_string_equal(dkl_class_map_about(map, MASK_DEBUG, trace), "");
	assert_string_equal(dkl_class_map_none(map, MASK_DEBUG, (unsigned int)TYPE("hsm")),
			    "of Lustre only");
	assert_null(dkl_class_map_none(map, MASK_DEBUG, trace));

	assert_int_equal(dkl_class_map_modules(map, UINT32_MAX, &modules, &n), 0);
	assert_int_equal(n, 3);
	assert_string_equal(modules[0], "dm_mod");
	assert_string_equal(modules[2], "xfs");
	free(modules);
	assert_int_equal(dkl_class_map_modules(map, 1, &modules, &n), 0);
	assert_int_equal(n, 0);
	free(modules);
	dkl_class_map_free(map);
	kernel_close(&k);
}

static void later_entries_win(void **state)
{
	struct class_map *map;
	struct kernel k;

	(void)state;
	kernel_open(&k, NAMES);
	map = map_of_text(&k, "classes:\n"
			      "  dentry:\n"
			      "    entries: [ { events: 'xfs:*', filter: ino == 1 } ]\n"
			      "    remove: xfs:xfs_readdir\n"
			      "    add: [ { events: xfs:xfs_lookup } ]\n");
	assert_int_equal(bits_of(&k, map, "xfs", "xfs_readdir")->classes, 0);
	assert_int_equal(bits_of(&k, map, "xfs", "xfs_readdir")->filtered, 0);
	assert_int_equal(bits_of(&k, map, "xfs", "xfs_lookup")->classes, 1u << TYPE("dentry"));
	assert_int_equal(bits_of(&k, map, "xfs", "xfs_lookup")->filtered, 0);
	assert_filter(&k, map, "xfs", "xfs_lookup", UINT32_MAX, NULL, "");
	dkl_class_map_free(map);
	kernel_close(&k);
}

static void a_site_overrides_what_is_shipped(void **state)
{
	char shipped[] = "/tmp/dktrace-test-XXXXXX", site[] = "/tmp/dktrace-test-XXXXXX";
	const char *dirs[] = { mkdtemp(shipped), mkdtemp(site) };
	static const struct {
		int dir;
		const char *name, *text;
	} files[] = {
		{ 0, "10-a.yaml",
		  "classes:\n"
		  "  dentry: { about: names, entries: [ { events: 'xfs:*' } ] }\n"
		  "  hsm: { none: nothing }\n"
		  "  layout: { entries: [ { events: 'xfs:*' } ] }\n" },
		{ 0, "20-b.yaml", "classes: { net: { entries: [ { events: 'block:*' } ] } }\n" },
		{ 1, "20-b.yaml", "# replaced by nothing\n" },
		{ 1, "30-c.yaml",
		  "classes:\n"
		  "  dentry: { remove: [ 'xfs:*_readdir' ], add: [ { syscalls: open } ] }\n"
		  "  hsm: { add: [ { events: block:block_rq_issue } ] }\n"
		  "  layout: { entries: [ { events: 'block:*' } ] }\n" },
		{ 1, "30-c.yaml~", "a backup that is not read: [\n" },
		{ 1, ".hidden.yaml", "[\n" },
	};
	struct class_map *map;
	struct kernel k;
	char path[96];

	(void)state;
	assert_non_null(dirs[0]);
	assert_non_null(dirs[1]);
	kernel_open(&k, NAMES);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(tree_text(dirs[files[i].dir], files[i].name, files[i].text), 0);
	}
	map = map_of_dirs(&k, dirs, 2);
	assert_string_equal(dkl_class_map_about(map, MASK_DEBUG, (unsigned int)TYPE("dentry")),
			    "names");
	assert_null(dkl_class_map_none(map, MASK_DEBUG, (unsigned int)TYPE("hsm")));
	assert_int_equal(bits_of(&k, map, "xfs", "xfs_lookup")->classes, 1u << TYPE("dentry"));
	assert_int_equal(bits_of(&k, map, "xfs", "xfs_readdir")->classes, 0);
	assert_int_equal(bits_of(&k, map, "syscalls", "sys_exit_open")->classes,
			 1u << TYPE("dentry"));
	assert_int_equal(bits_of(&k, map, "syscalls", "sys_exit_openat")->classes, 0);
	assert_int_equal(bits_of(&k, map, "block", "block_rq_issue")->classes,
			 1u << TYPE("hsm") | 1u << TYPE("layout"));
	dkl_class_map_free(map);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[files[i].dir], files[i].name);
		unlink(path);
	}
	rmdir(dirs[0]);
	rmdir(dirs[1]);
	kernel_close(&k);
}

static void the_environment_names_directories(void **state)
{
	struct dkt_ctx *ctx = ctx_new(NULL);
	struct class_map *map;

	(void)state;
	assert_int_equal(setenv("DKTRACE_CLASSES", "::" SHIPPED_MAP ":", 1), 0);
	if (dkl_class_map_load(ctx, &map))
		fail_msg("%s", dkt_error(ctx));
	assert_true(*dkl_class_map_about(map, MASK_DEBUG, 0));
	dkl_class_map_free(map);
	assert_int_equal(setenv("DKTRACE_CLASSES", SHIPPED_MAP ":/no/such/place", 1), 0);
	assert_int_equal(dkl_class_map_load(ctx, &map), -ENOENT);
	assert_null(map);
	unsetenv("DKTRACE_CLASSES");
	dkt_ctx_free(ctx);
}

/* Each kernel's map has events of its own, and both say the same of a class. */
static void one_reading_serves_several_kernels(void **state)
{
	const uint32_t iotrace = 1u << TYPE("iotrace");
	struct class_map *map, *other;
	struct kernel k, small;

	(void)state;
	kernel_open(&k, NAMES);
	kernel_open(&small, "block:block_rq_complete");
	map = map_of_text(&k, MAP);
	assert_int_equal(dkl_class_map_open(small.ctx, map, &other), 0);
	assert_int_equal(dkl_class_map_count(other, MASK_DEBUG, (unsigned int)TYPE("iotrace")), 1);
	assert_true(bits_of(&small, other, "block", "block_rq_complete")->classes & iotrace);
	assert_string_equal(dkl_class_map_none(other, MASK_DEBUG, (unsigned int)TYPE("hsm")),
			    "of Lustre only");
	dkl_class_map_free(other);
	assert_int_equal(dkl_class_map_count(map, MASK_DEBUG, (unsigned int)TYPE("vfstrace")), 5);
	dkl_class_map_free(map);
	kernel_close(&small);
	kernel_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_maps_are_refused_by_place),
		cmocka_unit_test(files_that_cannot_be_read_are_errors),
		cmocka_unit_test(entries_set_bits_and_filters),
		cmocka_unit_test(entries_can_be_listed),
		cmocka_unit_test(later_entries_win),
		cmocka_unit_test(a_site_overrides_what_is_shipped),
		cmocka_unit_test(the_environment_names_directories),
		cmocka_unit_test(one_reading_serves_several_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
