/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A debug log whose instance is in a directory that stands for tracefs. The directory answers as the
 * kernel would only when log_tree_answer() is called: after each change, and in its progress.
 *
 * The log's own directory is in /run/dktrace, by a name of this process; so these tests need root.
 */
#ifndef TESTS_LOG_TREE_H
#define TESTS_LOG_TREE_H

#include <signal.h>

#include "compat/apply/apply.h"
#include "lib/base/util.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

/* One event in each system, so that each is switched by a file of its own. */
static const char *const log_events[] = { "fs:open", "net:send", "io:issue", "io_ctl:call" };

static const char log_classes[] =
	"classes:\n"
	"  vfstrace: { about: a, entries: [ events: 'fs:*' ] }\n"
	"  net: { about: a, entries: [ events: 'net:*' ] }\n"
	"  iotrace: { about: a, entries: [ events: 'io:*' ] }\n"
	"  ioctl: { about: a, entries: [ events: 'io_ctl:*' ] }\n"
	"subsystems:\n"
	"  llite: { about: a, entries: [ events: [ 'fs:*', 'io_ctl:*' ] ] }\n"
	"  lnet: { about: a, entries: [ events: 'net:*' ] }\n"
	"  osd: { about: a, entries: [ events: 'io:*' ] }\n";

static const char *const log_knobs[][2] = {
	{ "trace", "" },
	{ "set_event", "" },
	{ "set_event_pid", "" },
	{ "options/event-fork", "0\n" },
	{ "tracing_cpumask", "1\n" },
	{ "trace_clock", "local [mono]\n" },
	{ "buffer_size_kb", "1024\n" },
	{ "tracing_on", "1\n" },
	{ "current_tracer", "nop\n" },
	{ "per_cpu/cpu0/stats", "" },
	{ "per_cpu/cpu0/trace_pipe_raw", "" },
};

struct log_tree {
	char root[TREE_NAME];
	char name[32];
	char run[64]; /* the log's own directory */
	int die_at; /* the process ends at this step of a change; 0: never */
	int steps;
	struct dkt_ctx *ctx;
	struct debuglog *log;
};

/* "system/event" of "system:event". */
static inline void log_path(char path[32], const char *event)
{
	snprintf(path, 32, "%s", event);
	*strchr(path, ':') = '/';
}

static inline char *log_read_all(const struct log_tree *t, const char *name)
{
	char *path __cleanup(free) = NULL;

	assert_true(asprintf(&path, "instances/%s/%s", t->name, name) > 0);
	return tree_read(t->root, path);
}

/* The first line. */
static inline char *log_read(const struct log_tree *t, const char *name)
{
	char *text = log_read_all(t, name);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static inline void log_write(const struct log_tree *t, const char *name, const char *text)
{
	char *path __cleanup(free) = NULL;

	assert_true(asprintf(&path, "instances/%s/%s", t->name, name) > 0);
	assert_int_equal(tree_text(t->root, path, text), 0);
}

/* Makes the list of events that are on show what each was told; one that is broken stays as it was. */
static inline void log_tree_answer(const struct log_tree *t)
{
	char *before __cleanup(free) = log_read_all(t, "set_event");
	char list[128] = "", path[64], event[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(log_events); i++) {
		char *on __cleanup(free) = NULL;

		log_path(event, log_events[i]);
		snprintf(path, sizeof(path), "events/%s/enable", event);
		on = log_read(t, path);
		if (on && strcmp(on, "0") && strcmp(on, "1") ?
			    strstr(before, log_events[i]) != NULL :
			    on && *on == '1')
			strcat(strcat(list, log_events[i]), "\n");
	}
	log_write(t, "set_event", list);
}

static inline void log_tree_progress(void *data, const char *what, size_t done, size_t of)
{
	struct log_tree *t = data;

	(void)what, (void)done, (void)of;
	log_tree_answer(t);
	if (++t->steps == t->die_at)
		kill(getpid(), SIGKILL);
}

/* All that changes may touch, a line for each file; the caller frees it. */
static inline char *log_tree_state(const struct log_tree *t)
{
	char *state = NULL, path[64], event[32];
	size_t len, i;
	FILE *f;

	log_tree_answer(t);
	f = open_memstream(&state, &len);
	assert_non_null(f);
	for (i = 0; i < ARRAY_SIZE(log_knobs); i++) {
		char *text __cleanup(free) = log_read(t, log_knobs[i][0]);

		fprintf(f, "%s %s\n", log_knobs[i][0], text ? text : "(broken)");
	}
	for (i = 0; i < ARRAY_SIZE(log_events); i++) {
		char *on __cleanup(free) = NULL, *filter __cleanup(free) = NULL;

		log_path(event, log_events[i]);
		snprintf(path, sizeof(path), "events/%s/enable", event);
		on = log_read(t, path);
		snprintf(path, sizeof(path), "events/%s/filter", event);
		filter = log_read(t, path);
		/* "0" is written for none. */
		fprintf(f, "%s %s %s\n", log_events[i], on ? on : "(broken)",
			filter && !strcmp(filter, "0") ? "none" : filter);
	}
	assert_int_equal(fclose(f), 0);
	return state;
}

/* Opens the log for a change, as a command does. */
static inline void log_tree_open(struct log_tree *t)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = t->root, .progress = log_tree_progress,
		 .progress_data = t);

	log_tree_answer(t);
	assert_int_equal(dkt_ctx_new(&opts, &t->ctx), 0);
	assert_ok(t->ctx, dkl_debuglog_open(t->ctx, t->name, DEBUGLOG_CHANGE, &t->log));
	t->steps = 0;
}

static inline void log_tree_close(struct log_tree *t)
{
	dkl_debuglog_close(t->log);
	dkt_ctx_free(t->ctx);
	t->log = NULL;
	t->ctx = NULL;
}

/* Puts a directory in place of a control file, so that writing to it fails. */
static inline void log_tree_break(const struct log_tree *t, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/instances/%s/%s", t->root, t->name, name);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/proc/version", path), 0);
}

static inline int log_tree_setup(void **state)
{
	struct log_tree *t = calloc(1, sizeof(*t));
	char list[128] = "", path[128], event[32];
	size_t i;

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	snprintf(t->name, sizeof(t->name), "dkt-unit-%d", (int)getpid());
	snprintf(t->run, sizeof(t->run), RUN_DIR "/%s", t->name);
	for (i = 0; i < ARRAY_SIZE(log_events); i++) {
		log_path(event, log_events[i]);
		*strchr(event, '/') = '\0';
		assert_int_equal(tree_event(t->root, event, strchr(log_events[i], ':') + 1,
					    (int)i + 20, "", "\"\""),
				 0);
		log_path(event, log_events[i]);
		strcat(strcat(list, log_events[i]), "\n");
		snprintf(path, sizeof(path), "events/%s/enable", event);
		log_write(t, path, "0\n");
		snprintf(path, sizeof(path), "events/%s/filter", event);
		log_write(t, path, "none\n");
		snprintf(path, sizeof(path), "events/%s/trigger", event);
		log_write(t, path, "# Available triggers:\n# traceon traceoff\n");
	}
	for (i = 0; i < ARRAY_SIZE(log_knobs); i++)
		log_write(t, log_knobs[i][0], log_knobs[i][1]);
	/* There is one CPU, so that both sizes are the same. */
	snprintf(path, sizeof(path), "%s/instances/%s/buffer_total_size_kb", t->root, t->name);
	assert_int_equal(symlink("buffer_size_kb", path), 0);
	assert_int_equal(tree_text(t->root, "available_events", list), 0);
	assert_int_equal(tree_text(t->root, "trace_clock", "[local]\n"), 0);
	assert_int_equal(tree_text(t->root, "classes/a.yaml", log_classes), 0);
	snprintf(path, sizeof(path), "%s/classes", t->root);
	setenv("DKTRACE_CLASSES", path, 1);
	log_tree_open(t);
	*state = t;
	return 0;
}

static inline int log_tree_teardown(void **state)
{
	struct log_tree *t = *state;

	log_tree_close(t);
	tree_remove(t->run);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

#endif
