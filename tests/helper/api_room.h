/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of the public calls: an object of every kind, on a directory in place of tracefs. */
#ifndef TESTS_API_ROOM_H
#define TESTS_API_ROOM_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#include "lib/base/util.h"
#include "lib/inside.h"

#define API_FORMAT                                                                                 \
	"name: own\nID: 900\n" TREE_COMMON "\tfield:u64 v;\toffset:8;\tsize:8;\tsigned:0;\n\n"     \
	"print fmt: \"%llu\", REC->v\n"

#define API_HIST                                                                                   \
	"# event histogram\n#\n# trigger info: hist:keys=v:vals=hitcount:sort=hitcount:size=2048 " \
	"[active]\n#\n\n{ v:          1 } hitcount:          2\n\n"                                \
	"Totals:\n    Hits: 2\n    Entries: 1\n    Dropped: 0\n"

struct room {
	int null; /* the pointer argument that is NULL; -1: none */
	int age; /* of the header that declares structs of results: -1 older, 1 newer, 0 this one */
	char root[TREE_NAME];
	char spool[TREE_NAME + 8];
	struct dkt_ctx *fresh; /* nothing has been called on it */
	struct dkt_ctx *ctx; /* what all below is of */
	struct dkt_instance *in;
	struct dkt_instance *spooled; /* the same instance, with a spool */
	struct dkt_event *event;
	const struct dkt_field *field;
	uint64_t bytes[2];
	struct dkt_record record;
	struct dkt_source *source;
	struct dkt_source *live; /* follows */
	struct dkt_change *change;
	struct dkt_probes *probes;
	struct dkt_trigger *trigger;
	struct dkt_expr *expr;
	struct dkt_hist *hist;
	struct dkt_table *table;
	struct dkt_intervals *pairs;
	struct dkt_style *style;
	struct dkt_buf *buf;
	struct dkt_tracedat *tracedat;
	struct dkt_recorder *recorder; /* has an instance, but no file */
	struct dkt_recorder *recording;
	int journal; /* its file */
	int fd;
	char saved[TREE_NAME + 8];
};

static inline int api_no_more(void *data, struct dkt_record *record)
{
	(void)data;
	(void)record;
	return DKT_NEXT_END;
}

static inline void api_tree_in(const char *root, const char *in)
{
	static const char *const files[][2] = {
		{ "trace", "" },
		{ "trace_clock", "local [mono]\n" },
		{ "trace_marker", "" },
		{ "tracing_on", "1\n" },
		{ "tracing_cpumask", "1\n" },
		{ "set_event", "made:up\n" },
		{ "set_event_pid", "" },
		{ "set_event_notrace_pid", "" },
		{ "buffer_size_kb", "4\n" },
		{ "buffer_total_size_kb", "4\n" },
		{ "current_tracer", "nop\n" },
		{ "available_tracers", "function_graph function nop\n" },
		{ "set_ftrace_filter", "#### all functions enabled ####\n" },
		{ "set_ftrace_notrace", "" },
		{ "set_ftrace_pid", "no pid\n" },
		{ "options/stacktrace", "0\n" },
		{ "per_cpu/cpu0/stats", "entries: 1\noverrun: 0\nbytes: 0\nread events: 0\n" },
		{ "per_cpu/cpu0/trace_pipe_raw", "" },
		{ "events/made/up/enable", "1\n" },
		{ "events/made/up/filter", "none\n" },
		{ "events/made/up/trigger", "" },
		{ "events/made/up/hist", API_HIST },
		{ "events/made/off/enable", "0\n" },
		{ "events/made/off/filter", "none\n" },
		{ "events/made/off/trigger", "" },
	};
	char name[80];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), "%s%s", in, files[i][0]);
		assert_int_equal(tree_text(root, name, files[i][1]), 0);
	}
}

static inline void api_tree(char root[TREE_NAME])
{
	static const char field[] = "\tfield:u64 v;\toffset:8;\tsize:8;\tsigned:0;\n";

	assert_int_equal(tree_make(root), 0);
	api_tree_in(root, "");
	api_tree_in(root, "instances/i/");
	assert_int_equal(tree_text(root, "available_events", "made:off\nmade:up\n"), 0);
	assert_int_equal(tree_text(root, "available_filter_functions", "vfs_read\n"), 0);
	assert_int_equal(tree_text(root, "README", "mkdir instances/foo\n"), 0);
	assert_int_equal(tree_text(root, "saved_cmdlines", "1 init\n"), 0);
	assert_int_equal(tree_text(root, "saved",
				   "# tracer: nop\n#\n"
				   "            bash-1234  [000] d..1.  5.000001: up: 1\n"),
			 0);
	assert_int_equal(tree_text(root, "dynamic_events", "p:own/one vfs_read\n"), 0);
	assert_int_equal(tree_text(root, "kprobe_events", ""), 0);
	assert_int_equal(tree_text(root, "uprobe_events", ""), 0);
	assert_int_equal(tree_text(root, "synthetic_events", ""), 0);
	assert_int_equal(tree_event(root, "made", "up", 7, field, "\"%llu\", REC->v"), 0);
	assert_int_equal(tree_event(root, "made", "off", 8, field, "\"%llu\", REC->v"), 0);
}

/* A file that a source can be opened of. */
static inline const char *api_saved_text(struct room *r)
{
	snprintf(r->saved, sizeof(r->saved), "%s/saved", r->root);
	return r->saved;
}

static inline struct dkt_ctx *api_ctx(const char *root)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = root);
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	return ctx;
}

static inline void api_room_open(struct room *r)
{
	DKT_OPTS(dkt__source_calls, calls, .next = api_no_more);
	DKT_OPTS(dkt_instance_opts, spooled, .spool = r->spool);
	DKT_OPTS(dkt_live_opts, live, .flags = DKT_LIVE_FOLLOW);
	DKT_OPTS(dkt_hist_opts, hist, .keys = "v");
	DKT_OPTS(dkt_intervals_opts, pairs, .key = "v");
	struct dkt_ctx *ctx = api_ctx(r->root);

	r->ctx = ctx;
	r->null = -1;
	r->fresh = api_ctx(r->root);
	snprintf(r->spool, sizeof(r->spool), "%s/spool", r->root);
	assert_ok(ctx, dkt_instance_open(ctx, "i", NULL, &r->in));
	assert_ok(ctx, dkt_instance_open(ctx, "i", &spooled, &r->spooled));
	r->event = dkt_event_find(ctx, "made", "up");
	assert_non_null(r->event);
	r->field = dkt_event_field(r->event, "v");
	assert_non_null(r->field);
	r->bytes[0] = 7;
	r->record = (struct dkt_record){ .event = r->event, .data = r->bytes, .size = 16 };
	assert_ok(ctx, dkt__source_make(ctx, &calls, NULL, NULL, NULL, &r->source));
	assert_ok(ctx, dkt_source_live(r->in, &live, &r->live));
	assert_ok(ctx, dkt_change_new(r->in, &r->change));
	assert_ok(ctx, dkt__probe_from_text(ctx, "p:own/two vfs_read", &r->probes));
	assert_ok(ctx, dkt__trigger_parse(ctx, "traceoff", &r->trigger));
	assert_ok(ctx, dkt_expr_new(ctx, "v == 1", NULL, &r->expr));
	assert_ok(ctx, dkt_hist_new(ctx, &hist, &r->hist));
	assert_ok(ctx, dkt_hist_event(r->hist, r->event));
	assert_ok(ctx, dkt_hist_add(r->hist, NULL, &r->record));
	assert_ok(ctx, dkt_hist_read(r->hist, NULL, &r->table));
	assert_ok(ctx, dkt_intervals_new(ctx, &pairs, &r->pairs));
	assert_ok(ctx,
		  dkt_intervals_event(r->pairs, r->event, DKT_INTERVAL_BEGIN | DKT_INTERVAL_END));
	assert_ok(ctx, dkt_style_new(ctx, "trace", NULL, &r->style));
	assert_int_equal(dkt_buf_new(&r->buf), 0);
	r->fd = memfd_create("out", 0);
	assert_ok(ctx, dkt_tracedat_new(ctx, r->source, r->fd, NULL, &r->tracedat));
	assert_ok(ctx, dkt_recorder_new(ctx, NULL, &r->recorder));
	assert_ok(ctx, dkt_recorder_add(r->recorder, r->in, ""));
	r->journal = memfd_create("recording", 0);
	assert_ok(ctx, dkt_recorder_new(ctx, NULL, &r->recording));
	assert_ok(ctx, dkt_recorder_add(r->recording, r->in, ""));
	assert_ok(ctx, dkt_recorder_begin(r->recording, r->journal));
}

static inline void api_room_close(struct room *r)
{
	dkt_recorder_free(r->recorder);
	dkt_recorder_free(r->recording);
	close(r->journal);
	dkt_tracedat_free(r->tracedat);
	close(r->fd);
	dkt_buf_free(r->buf);
	dkt_style_free(r->style);
	dkt_intervals_free(r->pairs);
	dkt_table_free(r->table);
	dkt_hist_free(r->hist);
	dkt_expr_free(r->expr);
	free(r->trigger);
	dkt_probes_free(r->probes);
	dkt_change_free(r->change);
	dkt_source_close(r->live);
	dkt_source_close(r->source);
	dkt_instance_close(r->spooled);
	dkt_instance_close(r->in);
	dkt_ctx_free(r->ctx);
	dkt_ctx_free(r->fresh);
}

/* The result of a call that gives 0 or more if it succeeds. A function, which has its argument once. */
static inline int api_error(int result)
{
	return result < 0 ? result : 0;
}

#endif
