/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events that another process deletes after they were listed. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/helper/check.h"
#include "tests/helper/tree.h"

struct test {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *event;
};

static char *below(const struct test *t, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	return path;
}

static int set_up(void **state)
{
	struct test *t = calloc(1, sizeof(*t));
	DKT_OPTS(dkt_ctx_opts, opts, .root = t->root);

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	assert_int_equal(tree_event(t->root, "made", "a", 20, "", "\"\""), 0);
	assert_int_equal(tree_text(t->root, "available_events", "made:a\n"), 0);
	assert_int_equal(tree_text(t->root, "per_cpu/cpu0/stats", ""), 0);
	assert_int_equal(dkt_ctx_new(&opts, &t->ctx), 0);
	t->event = dkt_event_find(t->ctx, "made", "a");
	assert_non_null(t->event);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct test *t = *state;

	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

/* A device that no driver has stands in for a file whose event was deleted after the directory was read. */
static void its_triggers_are_gone_with_it(void **state)
{
	struct test *t = *state;
	struct dkt_trigger **triggers;
	struct dkt_instance *in;
	size_t n;

	assert_ok(t->ctx, dkt_instance_open(t->ctx, NULL, NULL, &in));
	assert_int_equal(dkt_instance_get_triggers(in, t->event, &triggers, &n), -ENOENT);
	if (mknod(below(t, "events/made/a/trigger"), S_IFCHR | 0600, makedev(10, 249))) {
		dkt_instance_close(in);
		skip();
	}
	assert_int_equal(dkt_instance_get_triggers(in, t->event, &triggers, &n), -ENOENT);
	dkt_instance_close(in);
}

/* The place of a mount is in use, as an instance is while somebody reads its buffers. */
static void the_reason_why_an_instance_stays_is_told(void **state)
{
	struct test *t = *state;

	assert_int_equal(tree_text(t->root, "instances/mine/trace", ""), 0);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", below(t, "instances/mine"), "tmpfs", 0, NULL))
		skip();
	assert_int_equal(tree_text(t->root, "instances/mine/trace", ""), 0);
	assert_int_equal(dkt_instance_remove(t->ctx, "mine"), -EBUSY);
	assert_non_null(strstr(dkt_error(t->ctx), "Device or resource busy"));
	assert_int_equal(umount(below(t, "instances/mine")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(its_triggers_are_gone_with_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_reason_why_an_instance_stays_is_told, set_up,
						tear_down),
	};

	return cmocka_run_group_tests_name("events that vanish", tests, NULL, NULL);
}
