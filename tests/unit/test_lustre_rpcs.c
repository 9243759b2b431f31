/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RPCs joined from their messages, and the clocks of hosts from RPCs. */
#include "compat/lustre_log/clocks.h"
#include "compat/lustre_log/rpcs.h"
#include "tests/helper/lustre_lines.h"

#define OST_READ 3

static void add(struct rpcs *rpcs, uint32_t host, uint64_t us, const char *text)
{
	const struct log_line line = lustre_line(host, us, text);

	assert_ok(rpcs->ctx, dkl_rpcs_add(rpcs, &line));
}

static void begin(void **state, struct rpcs *rpcs)
{
	const enum rpc_by all[RPC_KEYS] = { RPC_BY_NONE, RPC_BY_NONE };

	assert_ok(*state, dkl_rpcs_init(rpcs, *state, all, 10));
}

static void same_phase(const struct rpc *rpc, enum rpc_phase phase, uint64_t us)
{
	assert_true(rpc->has[phase]);
	assert_int_equal(rpc->phases[phase], us * 1000);
}

static void the_transfer_and_the_reply_have_times_of_their_own(void **state)
{
	struct rpcs rpcs;

	begin(state, &rpcs);
	add(&rpcs, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
	add(&rpcs, 1, 15, "got req x1780");
	add(&rpcs, 1, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
	/* 1780 is 0x6f4. */
	add(&rpcs, 1, 30,
	    "Transferring 512 pages 2097152 bytes via portal 8 id 12345-10.0.0.1@tcp mbits 0x6f3-0x6f4");
	add(&rpcs, 1, 45, "@@@ sending reply" LUSTRE_REQUEST("1780"));
	add(&rpcs, 0, 52, "@@@ type 2, status 0" LUSTRE_REQUEST("1780"));
	add(&rpcs, 0, 60, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
	/* The server ends its work after the client. */
	add(&rpcs, 1, 90, "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.n_slowest, 1);
	same_phase(&rpcs.slowest[0], RPC_WAIT, 5);
	same_phase(&rpcs.slowest[0], RPC_SERVICE, 70);
	same_phase(&rpcs.slowest[0], RPC_BULK_TIME, 15);
	same_phase(&rpcs.slowest[0], RPC_REPLY_TIME, 7);
	same_phase(&rpcs.slowest[0], RPC_TOTAL, 50);
	/* The server's work after the reply is not time of the network. */
	same_phase(&rpcs.slowest[0], RPC_NETWORK, 20);
	assert_int_equal(rpcs.slowest[0].opcode, OST_READ);
	dkl_rpcs_clear(&rpcs);
}

static void same_part(const char *wanted, struct part have)
{
	assert_int_equal(have.len, strlen(wanted));
	assert_memory_equal(have.p, wanted, have.len);
}

#define PART(text) ((struct part){ text, sizeof(text) - 1 })

static void a_job_names_its_user_and_a_device_its_target(void **state)
{
	(void)state;
	same_part("1000", dkl_user_part(PART("cp.1000")));
	same_part("1000", dkl_user_part(PART("a.out.1000.host7")));
	same_part("", dkl_user_part(PART("471003")));
	same_part("", dkl_user_part(PART("a.out")));
	same_part("", dkl_user_part(PART("a.")));
	same_part("", dkl_user_part((struct part){ 0 }));
	same_part("lustre-OST000a", dkl_target_part(PART("lustre-OST000a-osc-ffff9b7f")));
	same_part("a-b-MDT0000", dkl_target_part(PART("a-b-MDT0000_UUID")));
	same_part("", dkl_target_part(PART("lustre-OST00")));
	same_part("", dkl_target_part(PART("MGS")));
	same_part("", dkl_target_part((struct part){ 0 }));
}

static void rpcs_are_grouped_by_user_and_target(void **state)
{
	const enum rpc_by by[RPC_KEYS] = { RPC_BY_USER, RPC_BY_TARGET };
	struct rpcs rpcs;

	assert_ok(*state, dkl_rpcs_init(&rpcs, *state, by, 10));
	add(&rpcs, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.500");
	add(&rpcs, 0, 11,
	    "@@@ send flags=0  req@0000000012345678 x1780/t0(0)"
	    " o3->fs-OST0001-osc-ffff9b@10.0.0.9@tcp:6/4 lens 1/1");
	add(&rpcs, 0, 60, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.500");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.n_groups, 1);
	assert_string_equal(name_text(&rpcs.names, rpcs.groups[0].keys[0]), "500");
	assert_string_equal(name_text(&rpcs.names, rpcs.groups[0].keys[1]), "fs-OST0001");
	dkl_rpcs_clear(&rpcs);
}

static void equal_numbers_of_two_clients_are_two_requests(void **state)
{
	static const char other[] = "RPC pname:cluuid:pid:xid:nid:opc dd:u-2:7:1780:10.0.0.9@tcp:3";
	char text[128];
	struct rpcs rpcs;

	begin(state, &rpcs);
	add(&rpcs, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	snprintf(text, sizeof(text), "Sending %s", other);
	add(&rpcs, 1, 20, text);
	add(&rpcs, 0, 50, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	snprintf(text, sizeof(text), "Completed %s", other);
	add(&rpcs, 1, 120, text);
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.n_slowest, 2);
	same_phase(&rpcs.slowest[0], RPC_TOTAL, 100);
	same_phase(&rpcs.slowest[1], RPC_TOTAL, 40);
	assert_int_equal(rpcs.reused, 0);
	dkl_rpcs_clear(&rpcs);
}

static void the_two_sides_of_a_callback_join_though_their_uuids_differ(void **state)
{
	struct rpcs rpcs;

	begin(state, &rpcs);
	add(&rpcs, 1, 10, "Sending " LUSTRE_CALLER "1780:10.0.0.1@tcp:104:");
	add(&rpcs, 0, 15, "got req x1780");
	add(&rpcs, 0, 20, "Handling " LUSTRE_CALLED "1780:12345-10.0.0.9@tcp:104:");
	/* A request of the client that has the same number as one of the server. */
	add(&rpcs, 0, 21, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:103:");
	add(&rpcs, 0, 30, "Handled " LUSTRE_CALLED "1780:12345-10.0.0.9@tcp:104:");
	add(&rpcs, 0, 31, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:103:");
	add(&rpcs, 1, 40, "Completed " LUSTRE_CALLER "1780:10.0.0.1@tcp:104:");
	/* Two servers give the same number to a callback of another kind. */
	add(&rpcs, 1, 50, "Sending " LUSTRE_CALLER "1781:10.0.0.1@tcp:104:");
	add(&rpcs, 2, 51, "Sending " LUSTRE_CALLER "1781:10.0.0.1@tcp:106:");
	add(&rpcs, 0, 52, "Handling " LUSTRE_CALLED "1781:12345-10.0.0.8@tcp:106:");
	add(&rpcs, 0, 53, "Handled " LUSTRE_CALLED "1781:12345-10.0.0.8@tcp:106:");
	add(&rpcs, 2, 55, "Completed " LUSTRE_CALLER "1781:10.0.0.1@tcp:106:");
	add(&rpcs, 1, 59, "Completed " LUSTRE_CALLER "1781:10.0.0.1@tcp:104:");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.open.n, 0);
	assert_int_equal(rpcs.joined, 2);
	assert_int_equal(rpcs.n_slowest, 4);
	same_phase(&rpcs.slowest[0], RPC_TOTAL, 30);
	same_phase(&rpcs.slowest[0], RPC_SERVICE, 10);
	same_phase(&rpcs.slowest[0], RPC_WAIT, 5);
	same_phase(&rpcs.slowest[1], RPC_TOTAL, 10);
	assert_false(rpcs.slowest[1].has[RPC_SERVICE]);
	assert_int_equal(rpcs.slowest[1].opcode, 103);
	assert_false(rpcs.slowest[2].has[RPC_SERVICE]);
	same_phase(&rpcs.slowest[3], RPC_SERVICE, 1);
	dkl_rpcs_clear(&rpcs);
}

static void numbers_wrap_and_are_used_again(void **state)
{
	struct rpcs rpcs;

	begin(state, &rpcs);
	add(&rpcs, 0, 10, "Sending " LUSTRE_CLIENT "18446744073709551615:10.0.0.9@tcp:3:");
	add(&rpcs, 0, 20, "Completed " LUSTRE_CLIENT "18446744073709551615:10.0.0.9@tcp:3:");
	add(&rpcs, 0, 30, "Sending " LUSTRE_CLIENT "0:10.0.0.9@tcp:3:");
	/* After a reboot without an end: another opcode under the same number. */
	add(&rpcs, 0, 40, "Sending " LUSTRE_CLIENT "0:10.0.0.9@tcp:400:");
	add(&rpcs, 0, 50, "Completed " LUSTRE_CLIENT "0:10.0.0.9@tcp:400:");
	add(&rpcs, 0, 60, "Sending " LUSTRE_CLIENT "99999999999999999999:10.0.0.9@tcp:3:");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.n_slowest, 2);
	assert_int_equal(rpcs.reused, 1);
	assert_int_equal(rpcs.messages, 5);
	dkl_rpcs_clear(&rpcs);
}

static void a_clock_that_is_set_back_makes_no_time(void **state)
{
	struct rpcs rpcs;

	begin(state, &rpcs);
	add(&rpcs, 0, 50, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	add(&rpcs, 0, 20, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.backwards, 1);
	assert_int_equal(rpcs.n_slowest, 0);
	dkl_rpcs_clear(&rpcs);
}

static void nothing_is_paired_across_a_boot(void **state)
{
	struct rpcs rpcs;

	begin(state, &rpcs);
	/* After the boot the numbers begin anew. */
	add(&rpcs, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	dkl_rpcs_restart(&rpcs, 0);
	add(&rpcs, 0, 5, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	add(&rpcs, 0, 30, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	add(&rpcs, 0, 33, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.cut, 1);
	assert_int_equal(rpcs.spanned, 0);
	assert_int_equal(rpcs.no_begin, 1);
	assert_int_equal(rpcs.n_slowest, 1);
	same_phase(&rpcs.slowest[0], RPC_TOTAL, 3);
	dkl_rpcs_clear(&rpcs);
}

static void nothing_is_paired_across_a_loss(void **state)
{
	struct rpcs rpcs;

	begin(state, &rpcs);
	add(&rpcs, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	add(&rpcs, 1, 11, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:");
	dkl_rpcs_gap(&rpcs, 1);
	add(&rpcs, 1, 20, "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:");
	add(&rpcs, 0, 30, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.spanned, 1);
	/* The client's file lost nothing. */
	assert_int_equal(rpcs.n_slowest, 1);
	same_phase(&rpcs.slowest[0], RPC_TOTAL, 20);
	assert_false(rpcs.slowest[0].has[RPC_SERVICE]);
	dkl_rpcs_clear(&rpcs);
}

static void a_request_sent_again_without_an_end_counts_as_resent(void **state)
{
	struct rpcs rpcs;

	begin(state, &rpcs);
	add(&rpcs, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	add(&rpcs, 0, 20, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:");
	assert_ok(*state, dkl_rpcs_finish(&rpcs));
	assert_int_equal(rpcs.n_groups, 1);
	assert_int_equal(rpcs.groups[0].resent, 1);
	dkl_rpcs_clear(&rpcs);
}

static void a_step_of_a_clock_is_a_contradiction(void **state)
{
	static const struct {
		uint32_t host;
		uint64_t us;
		const char *text;
	} lines[] = {
		{ 0, 1000, "Sending " LUSTRE_CLIENT "1:10.0.0.9@tcp:3:" },
		{ 1, 9100, "Handling " LUSTRE_SERVER "1:12345-10.0.0.1@tcp:3:" },
		{ 0, 1300, "Completed " LUSTRE_CLIENT "1:10.0.0.9@tcp:3:" },
		/* The server's clock is now 3 ms behind where it was. */
		{ 0, 2000, "Sending " LUSTRE_CLIENT "2:10.0.0.9@tcp:3:" },
		{ 1, 7100, "Handling " LUSTRE_SERVER "2:12345-10.0.0.1@tcp:3:" },
		{ 0, 2300, "Completed " LUSTRE_CLIENT "2:10.0.0.9@tcp:3:" },
	};
	struct clocks_offset offset;
	struct clocks clocks;

	for (size_t n = 3; n <= ARRAY_SIZE(lines); n += 3) {
		assert_ok(*state, dkl_clocks_init(&clocks, *state, 2));
		for (size_t i = 0; i < n; i++) {
			const struct log_line line =
				lustre_line(lines[i].host, lines[i].us, lines[i].text);

			assert_ok(*state, dkl_clocks_add(&clocks, &line));
		}
		dkl_clocks_finish(&clocks);
		assert_true(dkl_clocks_get(&clocks, 1, &offset));
		assert_int_equal(offset.contradictory, n == 6);
		assert_int_equal(offset.pairs, n / 3);
		if (n == 3)
			/* Between 9100 - 1300 and 9100 - 1000 us, and Lustre's 1 us. */
			assert_true(offset.ns == -7950000 && offset.error == 151000);
		dkl_clocks_clear(&clocks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_transfer_and_the_reply_have_times_of_their_own),
		cmocka_unit_test(a_job_names_its_user_and_a_device_its_target),
		cmocka_unit_test(rpcs_are_grouped_by_user_and_target),
		cmocka_unit_test(equal_numbers_of_two_clients_are_two_requests),
		cmocka_unit_test(the_two_sides_of_a_callback_join_though_their_uuids_differ),
		cmocka_unit_test(numbers_wrap_and_are_used_again),
		cmocka_unit_test(a_clock_that_is_set_back_makes_no_time),
		cmocka_unit_test(nothing_is_paired_across_a_boot),
		cmocka_unit_test(nothing_is_paired_across_a_loss),
		cmocka_unit_test(a_request_sent_again_without_an_end_counts_as_resent),
		cmocka_unit_test(a_step_of_a_clock_is_a_contradiction),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
