/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shipped class map on the catalogues of real kernels: complete, without typing errors. */
#include "tests/helper/class_kernel.h"

#include "lib/base/glob.h"

static const char *const kernels[] = { "6.1", "6.12", "6.18" };

static void every_class_has_a_description(void **state)
{
	static const enum mask_kind kinds[] = { MASK_DEBUG, MASK_SUBSYSTEM };
	struct class_map *map;
	struct kernel k;
	size_t n;

	(void)state;
	kernel_open_fixture(&k, "6.1");
	map = shipped_map(&k);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
			const char *name = dkl_mask_name(kinds[i], bit);
			const char *none = dkl_class_map_none(map, kinds[i], bit);

			if (!*name)
				continue;
			if (!*dkl_class_map_about(map, kinds[i], bit))
				fail_msg("%s: no about", name);
			dkl_class_map_entries(map, kinds[i], bit, &n);
			if (kinds[i] == MASK_DEBUG && !n == !none)
				fail_msg("%s: neither entries nor a reason for none", name);
			if (kinds[i] == MASK_DEBUG && !none &&
			    !dkl_class_map_count(map, kinds[i], bit))
				fail_msg("%s: nothing on a full kernel", name);
		}
	dkl_class_map_free(map);
	kernel_close(&k);
}

/* Systems of modules from outside the kernel, which no fixture has. */
static bool is_out_of_tree(const struct class_glob *glob)
{
	static const char *const systems[] = { "lustre_debug", "dktrace", "ldiskfs", "zfs" };

	for (size_t i = 0; i < ARRAY_SIZE(systems); i++)
		if (!strcmp(glob->system, systems[i]))
			return true;
	return false;
}

static const struct class_entry *entries_of(const struct class_map *map, unsigned int target,
					    size_t *n)
{
	if (target < MASK_BITS)
		return dkl_class_map_entries(map, MASK_DEBUG, target, n);
	if (target < 2 * MASK_BITS)
		return dkl_class_map_entries(map, MASK_SUBSYSTEM, target - MASK_BITS, n);
	return dkl_class_map_messages(map, n);
}

static bool matches(const struct class_glob *glob, const struct dkt_event *event)
{
	const char *name = dkt_event_name(event);

	return dkt__glob(glob->system, dkt_event_system(event)) &&
	       (dkt__glob(glob->names[0], name) ||
		(glob->names[1] && dkt__glob(glob->names[1], name)));
}

static bool has_match(const struct kernel *k, const struct class_glob *glob)
{
	for (size_t i = 0; i < k->n; i++)
		if (matches(glob, k->events[i]))
			return true;
	return false;
}

static void every_glob_matches_somewhere(void **state)
{
	struct kernel k[ARRAY_SIZE(kernels)];
	struct class_map *map;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		kernel_open_fixture(&k[i], kernels[i]);
	map = shipped_map(&k[0]);
	for (unsigned int target = 0; target <= 2 * MASK_BITS; target++) {
		size_t n;
		const struct class_entry *entries = entries_of(map, target, &n);

		for (size_t e = 0; e < n; e++)
			for (size_t g = 0; g < entries[e].n_globs; g++) {
				const struct class_glob *glob = &entries[e].globs[g];
				bool found = is_out_of_tree(glob);

				for (size_t i = 0; !found && i < ARRAY_SIZE(kernels); i++)
					found = has_match(&k[i], glob);
				if (!found)
					fail_msg("no kernel has '%s'", glob->text);
			}
	}
	dkl_class_map_free(map);
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		kernel_close(&k[i]);
}

struct expectation {
	const char *system, *name;
	const char *classes, *subsystems; /* as they print */
};

/* Events that all three kernels have. */
static const struct expectation expectations[] = {
	{ "syscalls", "sys_enter_openat", "vfstrace", "llite" },
	{ "syscalls", "sys_exit_openat", "vfstrace", "llite" },
	{ "syscalls", "sys_enter_ioctl", "ioctl", "llite" },
	{ "syscalls", "sys_enter_read", "iotrace vfstrace", "llite" },
	{ "syscalls", "sys_enter_socket", "net", "lnet" },
	{ "syscalls", "sys_enter_getpid", "0", "undefined" },
	{ "raw_syscalls", "sys_enter", "trace", "llite" },
	{ "block", "block_rq_issue", "iotrace", "osd" },
	{ "block", "block_rq_error", "error", "osd" },
	{ "block", "block_bio_complete", "iotrace error", "osd" },
	{ "printk", "console", "console", "libcfs" },
	{ "kmem", "kmalloc", "malloc", "libcfs" },
	{ "kmem", "mm_page_alloc", "page", "libcfs" },
	{ "exceptions", "page_fault_user", "mmap", "llite" },
	{ "filelock", "posix_lock_inode", "dlmtrace", "ldlm" },
	{ "ext4", "ext4_error", "error", "osd" },
	{ "ext4", "ext4_evict_inode", "inode", "osd" },
	{ "jbd2", "jbd2_end_commit", "super", "log osd" },
	{ "xfs", "xfs_dqget_hit", "quota", "lquota osd" },
	{ "xfs", "xfs_force_shutdown", "super error emerg", "osd" },
	{ "tcp", "tcp_retransmit_skb", "neterror", "lnd" },
	{ "net", "netif_rx", "nettrace", "lnet" },
	{ "workqueue", "workqueue_queue_work", "other", "libcfs" },
	{ "error_report", "error_report_end", "error", "libcfs" },
	{ "avc", "selinux_audited", "sec", "sec" },
	/* Loud ones that no class has. */
	{ "sched", "sched_switch", "0", "libcfs" },
	{ "timer", "timer_start", "0", "undefined" },
	{ "irq_vectors", "local_timer_entry", "0", "undefined" },
};

static void shipped_map_resolves_as_expected(void **state)
{
	char classes[MASK_TEXT_SIZE], subsystems[MASK_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct class_map *map;
		struct kernel k;

		kernel_open_fixture(&k, kernels[i]);
		map = shipped_map(&k);
		for (size_t j = 0; j < ARRAY_SIZE(expectations); j++) {
			const struct expectation *e = &expectations[j];
			const struct class_bits *bits = bits_of(&k, map, e->system, e->name);

			dkl_mask_format(MASK_DEBUG, bits->classes, classes);
			dkl_mask_format(MASK_SUBSYSTEM, bits->subsystems, subsystems);
			if (strcmp(classes, e->classes) || strcmp(subsystems, e->subsystems))
				fail_msg("%s: %s:%s is of '%s', '%s'", kernels[i], e->system,
					 e->name, classes, subsystems);
		}
		for (size_t j = 0; j < k.n; j++) {
			const struct class_bits *bits = dkl_class_map_event(map, k.events[j]);

			if (bits->classes && bits->subsystems == 1)
				fail_msg("%s: %s:%s has a class but no subsystem", kernels[i],
					 dkt_event_system(k.events[j]),
					 dkt_event_name(k.events[j]));
		}
		dkl_class_map_free(map);
		kernel_close(&k);
	}
}

static void modules_from_outside_are_known(void **state)
{
	struct class_map *map;
	struct kernel k;

	(void)state;
	kernel_open(&k, "ldiskfs:ldiskfs_error\nldiskfs:ldiskfs_mb_new_inode_pa\n"
			"lustre_debug:lustre_debug_location\nlustre_debug:lustre_debug_msg\n"
			"zfs:zfs_zil__commit__io__error\n");
	map = shipped_map(&k);
	assert_int_equal(bits_of(&k, map, "ldiskfs", "ldiskfs_error")->classes,
			 1u << TYPE("error"));
	assert_int_equal(bits_of(&k, map, "ldiskfs", "ldiskfs_mb_new_inode_pa")->classes,
			 1u << TYPE("layout"));
	assert_int_equal(bits_of(&k, map, "ldiskfs", "ldiskfs_error")->subsystems,
			 1u << SUBSYSTEM("osd"));
	assert_int_equal(bits_of(&k, map, "zfs", "zfs_zil__commit__io__error")->classes,
			 1u << TYPE("error"));
	assert_true(bits_of(&k, map, "lustre_debug", "lustre_debug_msg")->fields);
	assert_int_equal(bits_of(&k, map, "lustre_debug", "lustre_debug_msg")->classes, UINT32_MAX);
	assert_int_equal(bits_of(&k, map, "lustre_debug", "lustre_debug_location")->classes, 0);
	dkl_class_map_free(map);
	kernel_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_has_a_description),
		cmocka_unit_test(every_glob_matches_somewhere),
		cmocka_unit_test(shipped_map_resolves_as_expected),
		cmocka_unit_test(modules_from_outside_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
