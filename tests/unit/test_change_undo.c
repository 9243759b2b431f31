/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A change that fails half-way is undone, wherever it fails. */
#include <fts.h>
#include <signal.h>

#include "lib/ctx.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define HEADING "# Available triggers:\n# traceon traceoff\n"

/* The instance before each change. */
static const struct {
	const char *name, *text;
} knobs[] = {
	{ "trace", "" },
	{ "set_event", "made:c\n" },
	{ "set_event_pid", "7\n" },
	{ "options/event-fork", "0\n" },
	{ "tracing_cpumask", "3\n" },
	{ "available_tracers", "function nop\n" },
	{ "current_tracer", "nop\n" },
	{ "set_ftrace_filter", "" }, /* as no heading can go by itself here */
	{ "set_ftrace_pid", "" },
	{ "options/function-fork", "0\n" },
	{ "tracing_on", "1\n" },
	{ "per_cpu/cpu0/stats", "" },
	{ "per_cpu/cpu1/stats", "" },
	{ "events/made/enable", "X\n" },
	{ "events/made/a/enable", "0\n" },
	{ "events/made/a/filter", "none\n" },
	{ "events/made/a/trigger", HEADING },
	{ "events/made/b/enable", "0\n" },
	{ "events/made/b/filter", "common_pid == 5\n" },
	{ "events/made/b/trigger", "traceon:count=3\n" },
	{ "events/made/c/enable", "1\n" },
	{ "events/made/c/filter", "none\n" },
	{ "events/made/c/trigger", HEADING },
	{ "events/whole/enable", "0\n" },
	{ "events/whole/one/enable", "0\n" },
	{ "events/whole/two/enable", "0\n" },
};

static const char *const events[] = { "made:a", "made:b", "made:c", "whole:one", "whole:two" };

struct place {
	char root[TREE_NAME];
	char in[64]; /* the instance's directory */
	struct dkt_ctx *ctx;
	struct dkt_instance *instance;
	struct dkt_event *events[ARRAY_SIZE(events)];
};

static void open_place(struct place *p)
{
	char list[128] = "", name[64], system[16];
	size_t i;

	assert_int_equal(tree_make(p->root), 0);
	snprintf(p->in, sizeof(p->in), "%s/instances/mine", p->root);
	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		snprintf(name, sizeof(name), "instances/mine/%s", knobs[i].name);
		assert_int_equal(tree_text(p->root, name, knobs[i].text), 0);
	}
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		const char *colon = strchr(events[i], ':');

		snprintf(system, sizeof(system), "%.*s", (int)(colon - events[i]), events[i]);
		assert_int_equal(tree_event(p->root, system, colon + 1, (int)i + 20, "", "\"\""),
				 0);
		strcat(strcat(list, events[i]), "\n");
	}
	assert_int_equal(tree_text(p->root, "available_events", list), 0);
	assert_int_equal(tree_text(p->root, "available_filter_functions", "vfs_read\n"), 0);
	p->ctx = tree_ctx(p->root);
	assert_non_null(p->ctx);
	assert_ok(p->ctx, dkt_instance_open(p->ctx, "mine", NULL, &p->instance));
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		const char *colon = strchr(events[i], ':');

		snprintf(system, sizeof(system), "%.*s", (int)(colon - events[i]), events[i]);
		p->events[i] = dkt_event_find(p->ctx, system, colon + 1);
		assert_non_null(p->events[i]);
	}
}

static void close_place(struct place *p)
{
	dkt_instance_close(p->instance);
	dkt_ctx_free(p->ctx);
	assert_int_equal(tree_remove(p->root), 0);
}

/* A change of everything that changes have. */
static int change_all(struct place *p)
{
	struct dkt_event *on[] = { p->events[0], p->events[3], p->events[4] };
	static const char *const only[] = { "vfs_read" };
	const pid_t pids[] = { 42 };
	const struct dkt_tracer_opts functions = {
		.sz = sizeof(functions),
		.only = only,
		.n_only = 1,
		.pids = pids,
		.n_pids = 1,
		.children = true,
	};
	struct dkt_change *change;
	int err;

	assert_ok(p->ctx, dkt_change_new(p->instance, &change));
	assert_ok(p->ctx, dkt_change_events(change, on, ARRAY_SIZE(on)));
	assert_ok(p->ctx, dkt_change_filter(change, p->events[0], "common_pid == 1"));
	assert_ok(p->ctx, dkt_change_filter(change, p->events[1], ""));
	assert_ok(p->ctx, dkt_change_pids(change, pids, 1, true));
	assert_ok(p->ctx, dkt_change_cpus(change, "1"));
	assert_ok(p->ctx, dkt_change_no_trigger(change, p->events[1], "traceon"));
	assert_ok(p->ctx, dkt_change_trigger(change, p->events[0], "traceoff"));
	assert_ok(p->ctx, dkt_change_tracer(change, "function", &functions));
	err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

/* ---- the state of the instance ---- */

/* In a directory, the file has all writes one after the other: the change, then its undoing. */
static void carry_out(char *text)
{
	static const char *const undone[] = { "traceoff!traceoff", "!traceontraceon:3" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(undone); i++) {
		size_t len = strlen(undone[i]), all = strlen(text);

		if (all >= len && !strcmp(text + all - len, undone[i]))
			text[all - len] = '\0';
	}
}

/* A value as the kernel shows it. */
static const char *shown(const char *name, char *text)
{
	carry_out(text);
	if (!strstr(name, "/trigger"))
		text[strcspn(text, "\n")] = '\0';
	if (strstr(name, "/filter") && !strcmp(text, "0"))
		return "none";
	return text;
}

static void assert_as_before(const struct place *p, const char *but)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		char *text __cleanup(free) = NULL;
		char before[64];

		/* The kernel's answer for a whole system comes from its events. */
		if (!strcmp(knobs[i].name, but) || !strcmp(knobs[i].name, "events/made/enable"))
			continue;
		text = tree_read(p->in, knobs[i].name);
		assert_non_null(text);
		snprintf(before, sizeof(before), "%s", knobs[i].text);
		if (strcmp(shown(knobs[i].name, text), shown(knobs[i].name, before)))
			fail_msg("%s is '%s' after %s failed", knobs[i].name, text, but);
	}
}

/* ---- the tests ---- */

/* Which files it takes: all that follows depends on it. */
static void a_change_sets_everything(void **state)
{
	static const struct {
		const char *name, *text;
	} wanted[] = {
		{ "events/made/a/enable", "1" },
		{ "events/made/c/enable", "0" },
		{ "events/whole/enable", "1" },
		{ "events/made/a/filter", "common_pid == 1" },
		{ "events/made/b/filter", "0" },
		{ "events/made/a/trigger", HEADING "traceoff" },
		{ "events/made/b/trigger", "traceon:count=3\n!traceon" },
		{ "set_event_pid", "42" },
		{ "options/event-fork", "1" },
		{ "tracing_cpumask", "2" },
		{ "current_tracer", "function" },
		{ "set_ftrace_filter", "vfs_read" },
		{ "set_ftrace_pid", "42" },
		{ "options/function-fork", "1" },
	};
	struct place p;
	size_t i;

	(void)state;
	open_place(&p);
	assert_ok(p.ctx, change_all(&p));
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		char *text __cleanup(free) = tree_read(p.in, wanted[i].name);

		assert_string_equal(text, wanted[i].text);
	}
	close_place(&p);
}

/* Puts something in the place of a file, so that the change cannot go on there. */
static void break_file(const struct place *p, const char *name, bool readable)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->in, name);
	assert_int_equal(unlink(path), 0);
	if (readable)
		assert_int_equal(symlink("/proc/version", path), 0);
	else
		assert_int_equal(mkdir(path, 0700), 0);
}

enum { UNREADABLE = 1, UNWRITABLE = 2 };

static void a_change_is_undone_wherever_it_fails(void **state)
{
	static const struct {
		const char *name;
		int how;
	} files[] = {
		{ "events/made/a/enable", UNREADABLE | UNWRITABLE },
		{ "events/made/c/enable", UNREADABLE | UNWRITABLE },
		{ "events/whole/enable", UNREADABLE | UNWRITABLE },
		{ "events/made/a/filter", UNREADABLE | UNWRITABLE },
		{ "events/made/b/filter", UNREADABLE | UNWRITABLE },
		/* Without being read it is refused before the change. */
		{ "events/made/a/trigger", UNWRITABLE },
		/* Other lines have no trigger that could be removed. */
		{ "events/made/b/trigger", UNREADABLE },
		{ "set_event_pid", UNREADABLE | UNWRITABLE },
		{ "options/event-fork", UNREADABLE | UNWRITABLE },
		{ "tracing_cpumask", UNREADABLE | UNWRITABLE },
		{ "current_tracer", UNREADABLE | UNWRITABLE },
		{ "set_ftrace_filter", UNREADABLE | UNWRITABLE },
		{ "set_ftrace_pid", UNREADABLE | UNWRITABLE },
		{ "options/function-fork", UNREADABLE | UNWRITABLE },
	};
	sigset_t now;
	struct place p;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * ARRAY_SIZE(files); i++) {
		const char *file = files[i / 2].name;
		int how = i % 2 ? UNREADABLE : UNWRITABLE;

		if (!(files[i / 2].how & how))
			continue;
		open_place(&p);
		break_file(&p, file, how == UNWRITABLE);
		if (!change_all(&p))
			fail_msg("the change went on without %s", file);
		assert_has(dkt_error(p.ctx), file);
		assert_as_before(&p, file);
		close_place(&p);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	assert_false(sigismember(&now, SIGINT));
}

/* A file that this kernel does not have. */
static void a_change_is_undone_if_a_file_is_missing(void **state)
{
	char path[128];
	struct place p;

	(void)state;
	open_place(&p);
	snprintf(path, sizeof(path), "%s/tracing_cpumask", p.in);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(change_all(&p), -ENOENT);
	assert_has(dkt_error(p.ctx), "tracing_cpumask: No such file or directory");
	assert_as_before(&p, "tracing_cpumask");
	close_place(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_sets_everything),
		cmocka_unit_test(a_change_is_undone_wherever_it_fails),
		cmocka_unit_test(a_change_is_undone_if_a_file_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
