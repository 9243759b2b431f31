/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The style perfetto: the slices and tracks of pairs of events. */
#include "lib/style/perfetto.h"
#include "tests/helper/perfetto_walk.h"
#include "tests/helper/style_room.h"

/* A record of an event with the fields of style_event.h, a microsecond after the one before. */
static void perfetto_one(struct room *room, const char *system, const char *name, int32_t pid)
{
	static int id = 1000;

	room->record.event = styled_event_of(room->ctx, system, name, id++);
	room->record.pid = pid;
	room->record.ts += 1000;
	assert_int_equal(dkt_style_record(room->style, &room->record, "dd", room->buf), 0);
}

static struct walk walked(const struct room *room)
{
	struct walk walk = { 0 };

	walk_trace(&walk, room->buf->data, room->buf->len);
	return walk;
}

static void assert_walk(const struct room *room, unsigned int begins, unsigned int ends,
			unsigned int instants)
{
	struct walk walk = walked(room);

	assert_int_equal(walk.n[WALK_BEGIN], begins);
	assert_int_equal(walk.n[WALK_END], ends);
	assert_int_equal(walk.n[WALK_INSTANT], instants);
}

static void pairs_of_events_become_slices(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "perfetto", NULL, 0);
	/* On a thread: a call that contains another kind of slice. */
	perfetto_one(&room, "syscalls", "sys_exit_read", 1);
	assert_walk(&room, 0, 0, 1);
	perfetto_one(&room, "syscalls", "sys_enter_read", 1);
	perfetto_one(&room, "workqueue", "workqueue_execute_start", 1);
	assert_walk(&room, 2, 0, 1);
	/* The work's end is missing. */
	perfetto_one(&room, "syscalls", "sys_exit_read", 1);
	assert_walk(&room, 2, 2, 1);
	perfetto_one(&room, "workqueue", "workqueue_execute_end", 1);
	assert_walk(&room, 2, 2, 2);
	/* The first call's end is missing. */
	perfetto_one(&room, "syscalls", "sys_enter_read", 1);
	perfetto_one(&room, "syscalls", "sys_enter_write", 1);
	assert_walk(&room, 4, 3, 2);
	/* Functions nest. */
	perfetto_one(&room, "ftrace", "funcgraph_entry", 2);
	perfetto_one(&room, "ftrace", "funcgraph_entry", 2);
	perfetto_one(&room, "ftrace", "funcgraph_exit", 2);
	perfetto_one(&room, "ftrace", "funcgraph_exit", 2);
	perfetto_one(&room, "ftrace", "funcgraph_exit", 2);
	assert_walk(&room, 6, 5, 3);
	assert_int_equal(walked(&room).tracks, 2);
	room_close(&room);
}

static void interrupts_are_on_tracks_of_their_cpu(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "perfetto", NULL, 0);
	perfetto_one(&room, "irq", "irq_handler_entry", 1);
	perfetto_one(&room, "irq_vectors", "local_timer_entry", 1);
	perfetto_one(&room, "irq", "softirq_entry", 1);
	/* The CPU, its interrupts, its soft interrupts. */
	assert_int_equal(walked(&room).tracks, 3);
	assert_walk(&room, 3, 0, 0);
	/* An open slice may have ended in a lost record. */
	room.record.event = NULL;
	room.record.lost = 5;
	assert_int_equal(dkt_style_record(room.style, &room.record, "", room.buf), 0);
	assert_walk(&room, 3, 3, 1);
	perfetto_one(&room, "irq", "irq_handler_exit", 1);
	assert_walk(&room, 3, 3, 2);
	/* The idle thread of each CPU has number 0: the CPU's own track. */
	perfetto_one(&room, "power", "cpu_idle", 0);
	assert_int_equal(walked(&room).tracks, 3);
	room_close(&room);
}

struct request {
	uint64_t common;
	uint32_t dev;
	uint32_t sectors;
	uint64_t sector;
	char rwbs[8];
};

static struct dkt_event *request_event(struct dkt_ctx *ctx, const char *name, int id)
{
	char *text __cleanup(free) = NULL;
	struct dkt_event *event;

	assert_true(
		asprintf(&text,
			 "name: %s\nID: %d\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			 "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
			 "\tfield:unsigned int nr_sector;\toffset:12;\tsize:4;\tsigned:0;\n"
			 "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
			 "\tfield:char rwbs[8];\toffset:24;\tsize:8;\tsigned:0;\n\n"
			 "print fmt: \"%%u\", REC->dev\n",
			 name, id) > 0);
	assert_ok(ctx, dkt__event_define(ctx, "block", name, text, &event));
	return event;
}

/* A style, the requests that it gets, and the next one. */
struct requests {
	struct room room;
	struct dkt_event *issue, *complete;
	struct request request;
};

static void requests_open(struct requests *r, const char *rwbs)
{
	r->request = (struct request){ .dev = 254 << 20, .sectors = 8 };
	snprintf(r->request.rwbs, sizeof(r->request.rwbs), "%s", rwbs);
	room_open(&r->room, "perfetto", NULL, 0);
	r->issue = request_event(r->room.ctx, "block_rq_issue", 200);
	r->complete = request_event(r->room.ctx, "block_rq_complete", 201);
	r->room.record.data = &r->request;
	r->room.record.size = sizeof(r->request);
}

static void requests_one(struct requests *r, bool issue, uint64_t sector)
{
	r->request.sector = sector;
	r->room.record.event = issue ? r->issue : r->complete;
	assert_int_equal(dkt_style_record(r->room.style, &r->room.record, "dd", r->room.buf), 0);
}

/* Simultaneous requests have tracks of their own, which are used again. */
static void requests_at_once_have_their_own_tracks(void **state)
{
	struct requests r;

	(void)state;
	requests_open(&r, "WS");
	for (int i = 0; i < 40; i++) {
		static const uint64_t sectors[] = { 8, 16, 8, 24, 16, 24, 99, 8 };

		requests_one(&r, i % 8 < 2 || i % 8 == 3 || i % 8 == 7,
			     i % 8 == 7 ? 32 + (uint64_t)i : sectors[i % 8]);
	}
	assert_walk(&r.room, 20, 15, 5);
	assert_true(walked(&r.room).tracks <= 8);
	room_close(&r.room);
}

/* The end of one slice is the beginning of another, and two that are open at once have a lane each. */
static void intervals_of_no_thread_have_lanes(void **state)
{
	struct dkt_event *insert;
	struct requests r;

	(void)state;
	requests_open(&r, "WS");
	insert = request_event(r.room.ctx, "block_rq_insert", 202);
	for (uint64_t sector = 8; sector <= 16; sector += 8) {
		r.request.sector = sector;
		r.room.record.event = insert;
		assert_int_equal(dkt_style_record(r.room.style, &r.room.record, "dd", r.room.buf),
				 0);
	}
	assert_walk(&r.room, 2, 0, 0);
	assert_int_equal(walked(&r.room).tracks, 2);
	requests_one(&r, true, 16);
	assert_walk(&r.room, 3, 1, 0);
	/* It was not in the queue. */
	requests_one(&r, true, 24);
	assert_walk(&r.room, 4, 1, 0);
	requests_one(&r, true, 8);
	assert_walk(&r.room, 5, 2, 0);
	requests_one(&r, false, 8);
	assert_walk(&r.room, 5, 3, 0);
	/* The beginning again, with the same key: the end was lost. */
	for (int i = 0; i < 2; i++) {
		r.room.record.event = insert;
		assert_int_equal(dkt_style_record(r.room.style, &r.room.record, "dd", r.room.buf),
				 0);
	}
	assert_walk(&r.room, 7, 4, 0);
	/* Two lanes of the queue, three of the disk. */
	assert_int_equal(walked(&r.room).tracks, 5);
	room_close(&r.room);
}

static void a_read_and_a_write_of_one_sector_are_two_requests(void **state)
{
	static const char *const steps[] = { "WS", "R", "R", "WS" };
	struct requests r;

	(void)state;
	requests_open(&r, "");
	for (int i = 0; i < 4; i++) {
		snprintf(r.request.rwbs, sizeof(r.request.rwbs), "%s", steps[i]);
		requests_one(&r, i < 2, 8);
	}
	assert_walk(&r.room, 2, 2, 0);
	assert_int_equal(walked(&r.room).tracks, 2);
	room_close(&r.room);
}

static void a_request_ends_with_its_last_part(void **state)
{
	static const uint64_t sectors[] = { 1000, 1000, 1128 };
	struct requests r;

	(void)state;
	requests_open(&r, "R");
	for (int i = 0; i < 3; i++) {
		r.request.sectors = i ? 128 : 256;
		requests_one(&r, !i, sectors[i]);
		assert_walk(&r.room, 1, i == 2, i > 0);
	}
	assert_int_equal(walked(&r.room).tracks, 1);
	room_close(&r.room);
}

/* Switches are ftrace events. */
static void switches_become_ftrace_events(void **state)
{
	static const char format[] =
		"name: sched_switch\nID: 300\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:char prev_comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:16;\tsize:4;\tsigned:1;\n"
		"\tfield:int prev_prio;\toffset:20;\tsize:4;\tsigned:1;\n"
		"\tfield:long prev_state;\toffset:24;\tsize:8;\tsigned:1;\n"
		"\tfield:char next_comm[8];\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:pid_t next_pid;\toffset:40;\tsize:4;\tsigned:1;\n"
		"\tfield:int next_prio;\toffset:44;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%d\", REC->next_pid\n";
	struct dkt_event *event;
	struct room room;

	(void)state;
	room_open(&room, "perfetto", NULL, 0);
	assert_ok(room.ctx, dkt__event_define(room.ctx, "sched", "sched_switch", format, &event));
	room.record.event = event;
	room.record.size = 48;
	assert_int_equal(dkt_style_record(room.style, &room.record, "dd", room.buf), 0);
	assert_walk(&room, 0, 0, 0);
	assert_int_equal(walked(&room).switches, 1);
	/* A record of another host: Perfetto has the CPUs of one host only. */
	room.record.stream = 1;
	assert_int_equal(dkt_style_record(room.style, &room.record, "dd", room.buf), 0);
	assert_int_equal(walked(&room).switches, 1);
	assert_walk(&room, 0, 0, 1);
	room_close(&room);
}

#define STATE "REC->prev_state"

/* The kernel's print format defines the meaning of the bits, whatever release Perfetto is told. */
static void task_states_are_those_of_the_kernel(void **state)
{
	static const char old_print[] =
		"{ 1, \"S\" }, { 16, \"Z\" }, { 32, \"X\" }) : \"R\", " STATE
		" & 1024 ? \"+\" : \"\"";
	static const char mid_print[] = "{ 16, \"X\" }, { 32, \"Z\" }) : \"R\", " STATE
					" & (4096) ? \"+\" : \"\"";
	static const char new_print[] =
		"{ 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", " STATE
		" & (((0x0 | 0x40) + 1) << 1) ? \"+\" : \"\"";
	static const char odd_print[] = "{ 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", " STATE
					" & 0x1000 ? \"+\" : \"\"";
	static const struct {
		const char *print, *kernel;
		uint64_t v, expected;
	} cases[] = {
		{ new_print, "6.1.0 x86_64", 0x100, 0x100 },
		{ new_print, "6.1.0", 0x80, 0x80 },
		{ new_print, NULL, 0x100, 0x800 },
		{ new_print, NULL, 0x80, 0x402 },
		{ new_print, NULL, 0x40, 0x200 },
		{ new_print, NULL, 0x22, 0x22 },
		{ odd_print, "4.14.15-lx arm", 0x1000, 0x100 },
		{ odd_print, "4.14.15", 1, 1 },
		{ old_print, NULL, 1024, 0x800 },
		{ old_print, NULL, 16, 32 },
		{ old_print, "3.10.0", 32, 16 },
		{ old_print, "3.10.0", 512, 512 },
		{ mid_print, "4.9.1", 0x1000, 0x1000 },
		{ mid_print, "4.9.1", 32, 32 },
		{ mid_print, "5.0.0", 512, 64 },
		{ "", "x", 0x800, 0x800 },
	};
	struct task_states states;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		dkt__task_states(&states, cases[i].print, cases[i].kernel);
		assert_int_equal(dkt__task_state(&states, cases[i].v), cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_events_become_slices),
		cmocka_unit_test(interrupts_are_on_tracks_of_their_cpu),
		cmocka_unit_test(requests_at_once_have_their_own_tracks),
		cmocka_unit_test(intervals_of_no_thread_have_lanes),
		cmocka_unit_test(a_read_and_a_write_of_one_sector_are_two_requests),
		cmocka_unit_test(a_request_ends_with_its_last_part),
		cmocka_unit_test(switches_become_ftrace_events),
		cmocka_unit_test(task_states_are_those_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
