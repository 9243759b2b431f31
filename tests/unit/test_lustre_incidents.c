/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incidents of Lustre and their stories: both sides of locks, threads that hang, hosts that start again. */
#include "compat/lustre_log/incidents.h"
#include "compat/lustre_log/leaks.h"
#include "tests/helper/lustre_lines.h"

#define LOCK(words, address, modes)                                                                \
	"### " words " ns: filter-x_UUID lock: 0000000000000001/" address                          \
	" lrc: 3/0,0 mode: " modes                                                                 \
	" res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT flags: 0x0 nid: 10.0.0.1@tcp remote: 0x99 expref: 1"

static void add_of(struct incidents *incidents, uint32_t host, int32_t pid, uint64_t us,
		   const char *text)
{
	struct log_line line = lustre_line(host, us, text);

	line.pid = pid;
	assert_ok(incidents->ctx, dkl_incidents_add(incidents, &line));
}

static void add(struct incidents *incidents, uint64_t us, const char *text)
{
	add_of(incidents, 0, 2001, us, text);
}

/* ---- both sides of a lock ---- */

/* A lock of the server 0 for the client 1, the lock of another client, and the first one at its client. */
#define HELD(words, modes) LOCK(words, "0xa1", modes)
#define NEXT(words, modes)                                                                         \
	"### " words " ns: filter-x_UUID lock: 0000000000000002/0xa2 lrc: 3/0,0 mode: " modes      \
	" res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT flags: 0x0 nid: 10.0.0.2@tcp remote: 0x98 expref: 1"
#define AT_CLIENT(words, modes)                                                                    \
	"### " words " ns: x-OST0001-osc-ffff lock: 0000000000000099/0x99 lrc: 3/0,0 mode: " modes \
	" res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT flags: 0x0 nid: local remote: 0xa1 expref: -99"  \
	" pid: 4711 timeout: 0"

#define NEW   "server-side enqueue handler, new lock created"
#define REPLY "server-side enqueue handler, sending reply(err=0, rc=0)"
#define AST   "server preparing blocking AST"

/* The client 10.0.0.1 has the lock, and 10.0.0.2 asks for it; thread 2002 of the server waits. */
static void begin_conflict(void **state, struct incidents *it)
{
	assert_ok(*state, dkl_incidents_init(it, *state));
	add(it, 10, HELD(NEW, "--/PW"));
	add(it, 11, HELD(REPLY, "PW/PW"));
	add_of(it, 1, 4711, 12, AT_CLIENT("client-side enqueue END", "PW/PW"));
	add_of(it, 0, 2002, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.2@tcp:101:dd.0");
	add_of(it, 0, 2002, 21, NEXT(NEW, "--/PR"));
	add_of(it, 0, 2002, 22, HELD(AST, "PW/PW"));
}

static void the_parts_of_a_callback_need_both_sides(void **state)
{
	static const uint64_t want[LOCK_PHASES] = { [LOCK_WAIT] = 31,
						    [LOCK_CALLBACK] = 29,
						    [LOCK_TO_CLIENT] = 3,
						    [LOCK_KEPT] = 20,
						    [LOCK_TO_SERVER] = 6 };
	const struct lock_group *group;
	struct incidents it;

	begin_conflict(state, &it);
	add_of(&it, 1, 88, 25, AT_CLIENT("client blocking AST callback handler", "PW/PW"));
	add_of(&it, 1, 88, 45, AT_CLIENT("client-side cancel", "PW/PW"));
	add(&it, 51, HELD("server cancels blocked lock after 0s", "PW/PW"));
	add(&it, 52, NEXT("server preparing completion AST", "PR/PR"));
	group = &it.locks.groups[0];
	for (size_t i = 0; i < LOCK_PHASES; i++)
		assert_int_equal(group->phases[i].max, want[i] * 1000);
	assert_int_equal(it.locks.conflicts, 1);
	assert_null(dkl_lock_pairs_find(&it.locks.pairs, 0xa1, 0x99));
	dkl_incidents_clear(&it);
}

static void a_client_alone_has_no_parts(void **state)
{
	const struct lock_group *group;
	struct incidents it;

	assert_ok(*state, dkl_incidents_init(&it, *state));
	add_of(&it, 1, 88, 25, AT_CLIENT("client blocking AST callback handler", "PW/PW"));
	add_of(&it, 1, 88, 45, AT_CLIENT("client-side cancel", "PW/PW"));
	group = &it.locks.groups[0];
	assert_int_equal(group->phases[LOCK_CALLBACK].count, 1);
	assert_int_equal(group->phases[LOCK_KEPT].count, 0);
	assert_null(dkl_lock_pairs_find(&it.locks.pairs, 0xa1, 0x99));
	dkl_incidents_clear(&it);
}

static void no_part_spans_a_loss(void **state)
{
	struct incidents it;

	begin_conflict(state, &it);
	add_of(&it, 1, 88, 25, AT_CLIENT("client blocking AST callback handler", "PW/PW"));
	dkl_locks_gap(&it.locks, 1);
	add_of(&it, 1, 88, 45, AT_CLIENT("client-side cancel", "PW/PW"));
	add(&it, 51, HELD("server cancels blocked lock after 0s", "PW/PW"));
	for (size_t i = LOCK_TO_CLIENT; i < LOCK_TO_SERVER; i++)
		assert_int_equal(it.locks.groups[0].phases[i].count, 0);
	dkl_incidents_clear(&it);
}

static void a_thread_that_hangs_tells_its_request_and_lock(void **state)
{
	const struct incident *hung;
	struct incidents it;

	begin_conflict(state, &it);
	add_of(&it, 0, 9, 90,
	       "ll_ost00_001: service thread pid 2002 was inactive for 62.123 seconds. The ...");
	add_of(&it, 0, 2002, 95, "Handled " LUSTRE_SERVER "1780:12345-10.0.0.2@tcp:101:dd.0");
	add_of(&it, 0, 9, 96,
	       "ll_ost00_001: service thread pid 2002 completed after 75.000s. This ...");
	assert_int_equal(it.n, 2);
	hung = &it.list[0];
	assert_string_equal(dkl_incident_name(hung->step), "inactive");
	assert_int_equal(hung->xid, 1780);
	assert_int_equal(hung->opcode, 101);
	assert_int_equal(hung->began, LINES_START + 20000);
	assert_true(hung->waits);
	assert_int_equal(hung->lock, 0xa2);
	assert_int_equal(hung->waiter_since, LINES_START + 21000);
	assert_string_equal(name_text(&it.locks.names, hung->holder), "10.0.0.1@tcp");
	assert_int_equal(hung->called, LINES_START + 22000);
	/* The client's process has it, and has not got the callback. */
	assert_true(hung->held.has_client);
	assert_int_equal(hung->held.pid, 4711);
	assert_int_equal(hung->held.received, 0);
	assert_string_equal(dkl_incident_name(it.list[1].step), "completed");
	assert_int_equal(it.list[1].began, 0);
	dkl_incidents_clear(&it);
}

/* ---- boots ---- */

#define RPC(step, xid)                                                                                \
	step " RPC req@ffff88003a5fb000 pname:cluuid:pid:xid:nid:opc:job ptlrpcd_00_01:u-1:2001:" xid \
	     ":10.0.0.9@tcp:400:"
#define TIMED_OUT(xid)                                                                                 \
	"@@@ Request sent has timed out for slow reply: [sent 10/real 10]  req@ffff88003a5fb000 x" xid \
	"/t0(0) o400->MGC@10.0.0.9@tcp:26/25 lens 224/224 e 0 to 1 dl 12 ref 1 fl Rpc:X/0/ffffffff rc 0/-1"

/* One that was not sent, or whose time is over, is completed without a word from the server. */
static void only_a_reply_is_heard_of_a_server(void **state)
{
	struct incidents it;

	assert_ok(*state, dkl_incidents_init(&it, *state));
	add(&it, 10, RPC("Completed", "1779"));
	add(&it, 20, RPC("Sending", "1780"));
	add(&it, 30, TIMED_OUT("1780"));
	add(&it, 31, RPC("Completed", "1780"));
	add(&it, 40, RPC("Sending", "1781"));
	add(&it, 50, TIMED_OUT("1781"));
	assert_int_equal(it.n, 2);
	assert_int_equal(it.list[1].heard, 0);
	add(&it, 60, RPC("Sending", "1782"));
	add(&it, 61, RPC("Completed", "1782"));
	add(&it, 70, TIMED_OUT("1783"));
	assert_int_equal(it.n, 3);
	assert_int_equal(it.list[2].heard_xid, 1782);
	dkl_incidents_clear(&it);
}

static void a_restart_ends_locks_and_is_an_incident(void **state)
{
	static const char start[] = "Lustre: Build Version: 2.15.3";
	const struct log_line line = lustre_line(0, 30, start);
	struct incidents it;

	assert_ok(*state, dkl_incidents_init(&it, *state));
	add(&it, 10, LOCK("server-side enqueue handler, new lock created", "0xa1", "--/PW"));
	add(&it, 11,
	    LOCK("server-side enqueue handler, sending reply(err=0, rc=0)", "0xa1", "PW/PW"));
	add(&it, 20, LOCK("server preparing blocking AST", "0xa1", "PW/PW"));
	add(&it, 25,
	    "x-OST0001: haven't heard from client u-1 (at 10.0.0.1@tcp) in 227 seconds."
	    " I think it's dead, and I am evicting it.");
	assert_true(dkl_line_is_start(&line));
	dkl_incidents_restart(&it, 0);
	add(&it, 30, start);
	/* The same handle, and the NID that was evicted, before the boot. */
	add(&it, 40, LOCK("server-side enqueue handler, new lock created", "0xa1", "--/PW"));
	add(&it, 50,
	    LOCK("lock callback timer expired after 100s: evicting client at 10.0.0.1@tcp ", "0xa1",
		 "PW/PW"));
	assert_int_equal(it.locks.cut, 1);
	assert_int_equal(it.n, 3);
	assert_string_equal(dkl_incident_name(it.list[1].step), "started");
	assert_int_equal(it.list[2].lock, 0xa1);
	assert_int_equal(it.list[2].called, 0);
	dkl_incidents_clear(&it);
}

static void memory_of_before_a_restart_is_not_leaked(void **state)
{
	static const char *const texts[] = { "kmalloced 'a': 100 at 00000000000000a1.",
					     "kmalloced 'a': 100 at 00000000000000a2.",
					     "kfreed 'a': 100 at 00000000000000a2." };
	struct leaks leaks;

	dkl_leaks_init(&leaks, *state);
	for (size_t i = 0; i < ARRAY_SIZE(texts) * 2; i++) {
		const struct log_line line = lustre_line(0, i, texts[i % ARRAY_SIZE(texts)]);

		assert_ok(*state, dkl_leaks_add(&leaks, &line));
		if (i == 1)
			dkl_leaks_restart(&leaks, 1);
		if (i == 2)
			dkl_leaks_restart(&leaks, 0);
	}
	assert_int_equal(leaks.cut, 1);
	assert_int_equal(leaks.bytes, 100);
	assert_int_equal(leaks.again, 0);
	assert_int_equal(leaks.unknown, 0);
	dkl_leaks_clear(&leaks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parts_of_a_callback_need_both_sides),
		cmocka_unit_test(a_client_alone_has_no_parts),
		cmocka_unit_test(no_part_spans_a_loss),
		cmocka_unit_test(a_thread_that_hangs_tells_its_request_and_lock),
		cmocka_unit_test(only_a_reply_is_heard_of_a_server),
		cmocka_unit_test(a_restart_ends_locks_and_is_an_incident),
		cmocka_unit_test(memory_of_before_a_restart_is_not_leaked),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
