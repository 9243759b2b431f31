/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live sources of a directory: order, gaps, records kept for the next source, counts. */
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define EVENT_ID 7

struct tree {
	char root[TREE_NAME];
	char spool[48];
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct made_page pages[2][3];
	uint32_t n_pages[2];
	int flushes;
	int flush_result;
};

static void stats(struct tree *t, int cpu, unsigned int lost, unsigned int read)
{
	char name[40], text[200];

	snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
	snprintf(text, sizeof(text),
		 "entries: 0\noverrun: %u\ncommit overrun: 1\nbytes: 0\ndropped events: 2\n"
		 "read events: %u\n",
		 lost, read);
	assert_int_equal(tree_text(t->root, name, text), 0);
}

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	snprintf(t->spool, sizeof(t->spool), "%s/spool", t->root);
	assert_int_equal(tree_event(t->root, "made", "up", EVENT_ID,
				    "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n",
				    "\"%llu\", REC->value"),
			 0);
	assert_int_equal(tree_text(t->root, "available_events", "made:up\n"), 0);
	assert_int_equal(tree_text(t->root, "trace", ""), 0);
	assert_int_equal(tree_text(t->root, "trace_clock", "local [mono]\n"), 0);
	assert_int_equal(tree_text(t->root, "saved_cmdlines", "42 worker\n"), 0);
	stats(t, 0, 0, 0);
	stats(t, 1, 0, 0);
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	dkt_instance_close(t->in);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

/* Sets the number of pages that the kernel has for a CPU. */
static void hand_out(struct tree *t, int cpu, uint32_t n)
{
	uint8_t *bytes = malloc(n * PAGE_BYTES + 1);
	char name[48];
	uint32_t i;

	assert_non_null(bytes);
	for (i = 0; i < n; i++)
		memcpy(bytes + i * PAGE_BYTES, t->pages[cpu][i].bytes, PAGE_BYTES);
	snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	assert_int_equal(tree_write(t->root, name, bytes, n * PAGE_BYTES), 0);
	free(bytes);
}

static void hand_out_all(struct tree *t, uint32_t n)
{
	hand_out(t, 0, n);
	hand_out(t, 1, n);
}

/* Even times on CPU 0, odd ones on CPU 1, three to a page; values are the times. */
static void fill_tree(struct tree *t)
{
	DKT_OPTS(dkt_instance_opts, opts, .spool = t->spool);
	uint64_t ts = 100;
	int page, i, cpu;

	for (page = 0; page < 3; page++) {
		for (cpu = 0; cpu < 2; cpu++) {
			struct made_page *p = &t->pages[cpu][page];

			page_begin(p, ts + (uint64_t)cpu);
			for (i = 0; i < 3; i++)
				page_record(p, i ? 2 : 0, EVENT_ID,
					    ts + (uint64_t)cpu + 2 * (uint64_t)i);
		}
		ts += 6;
	}
	hand_out_all(t, 3);
	assert_ok(t->ctx, dkt_instance_open(t->ctx, NULL, &opts, &t->in));
	assert_int_equal(dkt_instance_n_cpus(t->in), 2);
}

static uint64_t value_of(const struct dkt_record *rec)
{
	const struct dkt_field *field = dkt_event_field(rec->event, "value");

	assert_non_null(field);
	return (uint64_t)dkt_record_int(rec, field);
}

static void next_is(struct dkt_source *source, uint64_t value)
{
	struct dkt_record rec;

	assert_int_equal(dkt_source_next(source, &rec), 0);
	assert_int_equal(value_of(&rec), value);
}

static int on_flush(void *data)
{
	struct tree *t = data;

	t->flushes++;
	return t->flush_result;
}

static struct dkt_source *open_live(struct tree *t, unsigned int flags, uint64_t until)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = flags, .until = until, .flush = on_flush, .data = t);
	struct dkt_source *source;

	assert_int_equal(dkt_source_live(t->in, &opts, &source), 0);
	return source;
}

/* Takes so many records, which begin with that value and go up by one. */
static void take(struct dkt_source *source, uint64_t first, int n)
{
	struct dkt_record rec;
	int i;

	for (i = 0; i < n; i++) {
		assert_int_equal(dkt_source_next(source, &rec), 0);
		assert_non_null(rec.event);
		assert_int_equal(value_of(&rec), first + (uint64_t)i);
		assert_int_equal(rec.ts, first + (uint64_t)i);
		assert_int_equal(rec.cpu, (first + (uint64_t)i) % 2);
		assert_int_equal(rec.pid, 42);
	}
}

static void at_end(struct dkt_source *source)
{
	struct dkt_record rec;

	assert_int_equal(dkt_source_next(source, &rec), 1);
	assert_int_equal(dkt_source_next(source, &rec), 1);
}

static uint64_t seen(struct dkt_source *source)
{
	struct dkt_loss a, b;

	assert_int_equal(dkt_source_get_loss(source, 0, &a, sizeof(a)), 0);
	assert_int_equal(dkt_source_get_loss(source, 1, &b, sizeof(b)), 0);
	return a.seen + b.seen;
}

static void records_come_in_order_of_time(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;

	fill_tree(t);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	take(source, 100, 18);
	at_end(source);
	assert_int_equal(seen(source), 18);
	assert_string_equal(dkt_source_comm(source, &(struct dkt_record){ .pid = 42 }), "worker");
	assert_string_equal(dkt_source_comm(source, &(struct dkt_record){ .pid = 43 }), "<...>");
	assert_string_equal(dkt_source_comm(source, &(struct dkt_record){ .pid = 0 }), "<idle>");
	dkt_source_close(source);
}

/* In an emptied buffer, the first record of each CPU is marked once. */
static void the_first_record_of_a_cpu_is_marked_once(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	int i;

	fill_tree(t);
	source = open_live(t, 0, 0);
	for (i = 0; i < 18; i++) {
		assert_int_equal(dkt_source_next(source, &rec), 0);
		assert_int_equal(rec.first, i < 2);
	}
	dkt_source_close(source);
}

/* If records were read but not done, a second reader, as after a kill, gets them all. */
static void records_not_done_come_again(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;

	fill_tree(t);
	source = open_live(t, 0, 0);
	take(source, 100, 7);
	dkt_source_close(source);
	hand_out_all(t, 0);
	source = open_live(t, 0, 0);
	take(source, 100, 18);
	at_end(source);
	assert_int_equal(dkt_source_done(source), 0);
	dkt_source_close(source);
	source = open_live(t, 0, 0);
	at_end(source);
	dkt_source_close(source);
}

/* At every place, done records are removed and the rest stays. */
static void done_records_are_removed_at_every_place(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	int n;

	fill_tree(t);
	for (n = 0; n <= 18; n++) {
		hand_out_all(t, 3);
		source = open_live(t, 0, 0);
		take(source, 100, n);
		assert_int_equal(dkt_source_done(source), 0);
		dkt_source_close(source);
		hand_out_all(t, n ? 0 : 3);
		source = open_live(t, 0, 0);
		take(source, 100 + (uint64_t)n, 18 - n);
		at_end(source);
		assert_int_equal(dkt_source_done(source), 0);
		dkt_source_close(source);
	}
}

/* One record, at the time that its data says. */
static int one_record(void *data, struct dkt_record *record)
{
	uint64_t *ts = data;

	*record = (struct dkt_record){ .ts = *ts };
	*ts = 0;
	return record->ts ? 0 : 1;
}

/* A merged source has asked for one record more than it has returned: that one is not done. */
static void a_merged_source_keeps_the_record_read_ahead(void **state)
{
	DKT_OPTS(dkt__source_calls, calls, .next = one_record);
	struct dkt_merge_part parts[2] = { { .sz = sizeof(*parts), .name = "" },
					   { .sz = sizeof(*parts), .name = "" } };
	struct dkt_source *merged;
	struct dkt_record rec;
	struct dkt_event *const *events;
	struct tree *t = *state;
	size_t n_events;
	uint64_t n, ts;

	fill_tree(t);
	/* A made source leaves a context alone that has its events. */
	assert_ok(t->ctx, dkt_events(t->ctx, &events, &n_events));
	for (n = 0; n < 18; n++) {
		hand_out_all(t, 3);
		ts = 100 + n;
		assert_int_equal(
			dkt__source_make(t->ctx, &calls, &ts, NULL, NULL, &parts[0].source), 0);
		parts[1].source = open_live(t, 0, 0);
		assert_int_equal(dkt_source_merge(parts, 2, &merged), 0);
		take(merged, 100, (int)n);
		assert_int_equal(dkt_source_next(merged, &rec), 0);
		assert_null(rec.event);
		assert_int_equal(dkt_source_done(merged), 0);
		take(merged, 100 + n, 1);
		dkt_source_close(merged);
		dkt_source_close(parts[0].source);
		dkt_source_close(parts[1].source);
		hand_out_all(t, 0);
		parts[1].source = open_live(t, 0, 0);
		take(parts[1].source, 100 + n, 18 - (int)n);
		at_end(parts[1].source);
		assert_int_equal(dkt_source_done(parts[1].source), 0);
		dkt_source_close(parts[1].source);
	}
}

/* A bound leaves later records, also those of a page that was read already. */
static void a_bound_leaves_later_records(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	uint64_t until;

	fill_tree(t);
	for (until = 99; until < 120; until++) {
		int n = until < 100 ? 0 : until > 117 ? 18 : (int)(until - 99);

		hand_out_all(t, 3);
		source = open_live(t, 0, until);
		take(source, 100, n);
		at_end(source);
		assert_int_equal(dkt_source_done(source), 0);
		dkt_source_close(source);
		hand_out_all(t, 0);
		source = open_live(t, DKT_LIVE_KEEP, 0);
		if (n < 18)
			take(source, 100 + (uint64_t)n, 1);
		dkt_source_close(source);
		assert_int_equal(tree_remove(t->spool), 0);
	}
}

/* A bad page of one CPU does not repeat returned records of another CPU. */
static void a_bad_page_repeats_no_record_of_another_cpu(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	char name[64];
	FILE *f;
	int i;

	fill_tree(t);
	source = open_live(t, 0, 0);
	take(source, 100, 4);
	assert_int_equal(dkt_source_done(source), 0);
	dkt_source_close(source);
	hand_out_all(t, 0);
	/* CPU 0 has nothing left that makes sense. */
	snprintf(name, sizeof(name), "%s/cpu0", t->spool);
	f = fopen(name, "r+");
	assert_non_null(f);
	for (i = 0; i < 3; i++) {
		assert_int_equal(fseek(f, 4096 + i * PAGE_BYTES + 8, SEEK_SET), 0);
		assert_int_equal(fwrite(&(uint64_t){ 0x7ffffff }, 8, 1, f), 1);
	}
	assert_int_equal(fclose(f), 0);
	source = open_live(t, 0, 0);
	for (i = 0; i < 7; i++) {
		assert_int_equal(dkt_source_next(source, &rec), 0);
		assert_int_equal(rec.cpu, 1);
		assert_int_equal(value_of(&rec), 105 + 2 * i);
	}
	dkt_source_close(source);
	/* Not done: they are all there again, and no more than they. */
	source = open_live(t, 0, 0);
	next_is(source, 105);
	dkt_source_close(source);
}

/* The same with 1234 lost before the second page of CPU 0. */
static void fill_tree_with_gap(struct tree *t)
{
	const uint64_t lost = 1234;
	struct made_page *page = &t->pages[0][1];

	fill_tree(t);
	page_commit(page, PAGE_MISSED | PAGE_STORED);
	memcpy(page->bytes + page->at, &lost, sizeof(lost));
	hand_out(t, 0, 3);
}

/* A page that is full to its last bytes has no room for the number, and a saved tree may lack the kernel's count. */
static void a_gap_without_a_number_is_a_loss(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	struct dkt_loss loss;
	char name[TREE_NAME + 32];

	fill_tree(t);
	page_commit(&t->pages[0][1], PAGE_MISSED);
	hand_out(t, 0, 3);
	snprintf(name, sizeof(name), "%s/per_cpu/cpu0/stats", t->root);
	assert_int_equal(unlink(name), 0);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	take(source, 100, 6);
	assert_int_equal(dkt_source_next(source, &rec), 0);
	assert_null(rec.event);
	assert_int_equal(rec.lost, DKT_LOST_UNKNOWN);
	take(source, 106, 12);
	at_end(source);
	assert_ok(t->ctx, dkt_source_get_loss(source, 0, &loss, sizeof(loss)));
	assert_int_equal(loss.lost, 1);
	dkt_source_close(source);
}

static void a_gap_has_the_number_of_lost_records(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;

	fill_tree_with_gap(t);
	source = open_live(t, 0, 0);
	take(source, 100, 6);
	assert_int_equal(dkt_source_next(source, &rec), 0);
	assert_null(rec.event);
	assert_int_equal(rec.lost, 1234);
	assert_int_equal(rec.cpu, 0);
	assert_int_equal(rec.ts, 106);
	take(source, 106, 12);
	at_end(source);
	/* A gap is not a record. */
	assert_int_equal(seen(source), 18);
	dkt_source_close(source);
}

/* A saved tree without the kernel's statistics: the pages count the losses. */
static void without_statistics_the_pages_tell_the_loss(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	struct dkt_loss loss;
	char name[80];

	fill_tree_with_gap(t);
	snprintf(name, sizeof(name), "%s/per_cpu/cpu0/stats", t->root);
	assert_int_equal(unlink(name), 0);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	while (!dkt_source_next(source, &rec))
		;
	assert_int_equal(dkt_source_get_loss(source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.lost, 1234);
	dkt_source_close(source);
}

static void unknown_and_bad_records_are_counted(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	struct dkt_loss loss;

	fill_tree(t);
	page_begin(&t->pages[0][0], 100);
	page_record(&t->pages[0][0], 0, 9, 1);
	page_record(&t->pages[0][0], 0, 0, 2);
	page_word(&t->pages[0][0], 0xffffffe0);
	hand_out(t, 0, 1);
	hand_out(t, 1, 0);
	source = open_live(t, 0, 0);
	assert_int_equal(dkt_source_next(source, &rec), 0);
	assert_string_equal(dkt_event_system(rec.event), "unknown");
	assert_string_equal(dkt_event_name(rec.event), "id_9");
	assert_null(dkt_event_field(rec.event, "value"));
	at_end(source);
	assert_int_equal(dkt_source_get_loss(source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.seen, 1);
	/* Type 0 is not a record, and the bytes after it have no valid length. */
	assert_int_equal(loss.bad, 2);
	dkt_source_close(source);
}

/* Each lost record is reported by one source. */
static void each_lost_record_is_reported_once(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_loss loss;

	fill_tree(t);
	hand_out_all(t, 0);
	stats(t, 0, 100, 50);
	source = open_live(t, 0, 0);
	at_end(source);
	assert_int_equal(dkt_source_done(source), 0);
	/* More records are lost before the next call. */
	stats(t, 0, 150, 50);
	assert_int_equal(dkt_source_get_loss(source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.lost, 103);
	dkt_source_close(source);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	assert_int_equal(dkt_source_get_loss(source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.lost, 50);
	dkt_source_close(source);
	source = open_live(t, 0, 0);
	assert_int_equal(dkt_source_done(source), 0);
	assert_int_equal(dkt_source_get_loss(source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.lost, 50);
	dkt_source_close(source);
	/* Another program emptied the buffers: the statistics begin again. */
	stats(t, 0, 20, 0);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	assert_int_equal(dkt_source_get_loss(source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.lost, 23);
	assert_fails(t->ctx, -EINVAL, "there is no cpu 2",
		     dkt_source_get_loss(source, 2, &loss, sizeof(loss)));
	dkt_source_close(source);
}

/* More pages than are taken at once, with a record each. */
static void hand_out_many(struct tree *t)
{
	struct made_page page;
	char name[64];
	uint64_t i;
	FILE *f;

	hand_out(t, 1, 0);
	snprintf(name, sizeof(name), "%s/per_cpu/cpu0/trace_pipe_raw", t->root);
	f = fopen(name, "w");
	assert_non_null(f);
	for (i = 0; i < 150; i++) {
		page_begin(&page, 1000 + i);
		page_record(&page, 0, EVENT_ID, i);
		assert_int_equal(fwrite(page.bytes, PAGE_BYTES, 1, f), 1);
	}
	assert_int_equal(fclose(f), 0);
}

/* Pages are flushed before more are read. */
static void pages_are_done_before_more_are_taken(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	uint64_t i;

	fill_tree(t);
	hand_out_many(t);
	source = open_live(t, 0, 0);
	for (i = 0; i < 150; i++) {
		next_is(source, i);
		assert_int_equal(t->flushes, i / 64);
	}
	dkt_source_close(source);
	/* Killed there: the last ones, which were not written out, are still there. */
	hand_out(t, 0, 0);
	source = open_live(t, 0, 0);
	next_is(source, 128);
	dkt_source_close(source);
}

static void a_failed_flush_keeps_the_records(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	uint64_t i;

	fill_tree(t);
	hand_out_many(t);
	t->flush_result = -ENOSPC;
	source = open_live(t, 0, 0);
	for (i = 0; i < 64; i++)
		assert_int_equal(dkt_source_next(source, &rec), 0);
	assert_int_equal(dkt_source_next(source, &rec), -ENOSPC);
	dkt_source_close(source);
	/* Nothing was forgotten, nothing more taken. */
	hand_out(t, 0, 0);
	source = open_live(t, 0, 0);
	for (i = 0; i < 64; i++)
		next_is(source, i);
	dkt_source_close(source);
}

static void a_second_reader_is_refused(void **state)
{
	struct tree *t = *state;
	struct dkt_source *one, *two;
	struct dkt_instance *in;
	char words[64];

	fill_tree(t);
	one = open_live(t, 0, 0);
	assert_int_equal(dkt_source_live(t->in, NULL, &two), -EBUSY);
	assert_null(two);
	snprintf(words, sizeof(words), "process %d is reading these buffers", (int)getpid());
	assert_string_equal(dkt_error(t->ctx), words);
	dkt_source_close(one);
	assert_int_equal(dkt_source_live(t->in, NULL, &two), 0);
	dkt_source_close(two);
	/* Without a spool there is nothing to share. */
	assert_ok(t->ctx, dkt_instance_open(t->ctx, NULL, NULL, &in));
	assert_int_equal(dkt_source_live(in, NULL, &one), 0);
	take(one, 100, 18);
	dkt_source_close(one);
	dkt_instance_close(in);
}

static void clear_empties_the_spool(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	uint64_t bytes;

	fill_tree(t);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	take(source, 100, 18);
	dkt_source_close(source);
	hand_out_all(t, 0);
	assert_ok(t->ctx, dkt__spool_bytes(t->in, &bytes));
	assert_true(bytes);
	assert_ok(t->ctx, dkt_instance_clear(t->in));
	assert_ok(t->ctx, dkt__spool_bytes(t->in, &bytes));
	assert_int_equal(bytes, 0);
	source = open_live(t, 0, 0);
	assert_int_equal(dkt_source_next(source, &rec), 1);
	dkt_source_close(source);
}

static void the_source_describes_itself(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;
	struct dkt_loss loss;
	uint64_t n = 0;

	fill_tree(t);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	assert_string_equal(dkt_source_info(source)->kind, "ring buffers");
	assert_string_equal(dkt_source_info(source)->clock, "mono");
	assert_int_equal(dkt_source_info(source)->cpus, 2);
	assert_true(dkt_source_info(source)->has_wall);
	for (; !dkt_source_next(source, &rec); n++)
		assert_int_equal(value_of(&rec), 100 + n);
	assert_int_equal(n, 18);
	assert_int_equal(dkt_source_get_loss(source, 1, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.seen, 9);
	dkt_source_close(source);
}

static bool wants_none(void *data, struct dkt_event *event)
{
	assert_string_equal(dkt_event_name(event), "up");
	++*(int *)data;
	return false;
}

/* Unwanted records are skipped and count as seen; the callback runs once per event. */
static void skipped_records_count_as_seen(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	int asked = 0;

	fill_tree(t);
	source = open_live(t, DKT_LIVE_KEEP, 0);
	assert_int_equal(dkt_source_select(source, wants_none, &asked), 0);
	at_end(source);
	assert_int_equal(asked, 1);
	assert_int_equal(seen(source), 18);
	dkt_source_close(source);
}

/* A following source returns new records at the next call, with or without a wait. */
static void a_following_source_sees_new_records(void **state)
{
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record rec;

	fill_tree(t);
	hand_out_all(t, 1);
	source = open_live(t, DKT_LIVE_FOLLOW, 0);
	take(source, 100, 6);
	assert_int_equal(dkt_source_next(source, &rec), 2);
	assert_int_equal(dkt_source_next(source, &rec), 2);
	hand_out_all(t, 3);
	take(source, 106, 12);
	assert_int_equal(dkt_source_next(source, &rec), 2);
	assert_int_equal(dkt_source_wait(source, 0), 0);
	assert_int_equal(dkt_source_next(source, &rec), 2);
	dkt_source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(records_come_in_order_of_time, setup, teardown),
		cmocka_unit_test_setup_teardown(the_first_record_of_a_cpu_is_marked_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_source_describes_itself, setup, teardown),
		cmocka_unit_test_setup_teardown(skipped_records_count_as_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(a_following_source_sees_new_records, setup,
						teardown),
		cmocka_unit_test_setup_teardown(records_not_done_come_again, setup, teardown),
		cmocka_unit_test_setup_teardown(done_records_are_removed_at_every_place, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_merged_source_keeps_the_record_read_ahead, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_bound_leaves_later_records, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bad_page_repeats_no_record_of_another_cpu, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_gap_has_the_number_of_lost_records, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_gap_without_a_number_is_a_loss, setup, teardown),
		cmocka_unit_test_setup_teardown(without_statistics_the_pages_tell_the_loss, setup,
						teardown),
		cmocka_unit_test_setup_teardown(unknown_and_bad_records_are_counted, setup,
						teardown),
		cmocka_unit_test_setup_teardown(each_lost_record_is_reported_once, setup, teardown),
		cmocka_unit_test_setup_teardown(pages_are_done_before_more_are_taken, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_failed_flush_keeps_the_records, setup, teardown),
		cmocka_unit_test_setup_teardown(a_second_reader_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(clear_empties_the_spool, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
