/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's messages about RPCs: which request they are about, and whether they end it. */
#include <inttypes.h>

#include "compat/lustre_log/rpc_times.h"
#include "tests/helper/check.h"

#define NAMES "pname:cluuid:pid:xid:nid:opc:job "
#define OLD   "pname:cluuid+ref:pid:xid:nid:opc "

static void test_texts(void **state)
{
	static const struct {
		const char *text;
		bool server, ends;
		uint64_t id;
	} rows[] = {
		{ "Sending RPC req@00000000d5a6a1c2 " NAMES "dd:osc:1:2:10.0.0.1@tcp:4:dd.0", false,
		  false, 0xd5a6a1c2 },
		{ "Completed RPC req@0xffff9b0012345678 " NAMES "x:osc:1:2:n@tcp:4:dd.0", false,
		  true, 0xffff9b0012345678 },
		{ "Handling RPC req@00000000d5a6a1c2 " OLD "ll_ost:u+7:1:x2:n@tcp:4", true, false,
		  0xd5a6a1c2 },
		{ "Handled RPC " OLD "ll_ost:u+7:1:x1845032718239872:n@tcp:4 Request processed in"
		  " 12us",
		  true, true, 1845032718239872 },
		/* A name and a client with colons and numbers. */
		{ "Sending RPC " OLD "kworker/0:1:u:12:1845032718239872:n@tcp:4", false, false,
		  1845032718239872 },
		{ "Sending RPC " OLD "a:10.0.0.1@tcp:12:77:fe80::1:2@tcp:4", false, false, 77 },
	};
	static const char *const others[] = {
		"",
		"Sending RPC",
		"Sending RPC ",
		"Sending RPC req@",
		"Sending RPC req@<%p>",
		"Sending RPC " OLD "dd:osc:12:77",
		"Sending RPC " OLD "dd:osc:x:y:z:4",
		"Sending RPC " OLD "dd:osc:1:99999999999999999999999:z:4",
		"Sent RPC req@00000000d5a6a1c2 ",
	};
	struct rpc_message rpc;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!dkl_rpc_message_read(rows[i].text, strlen(rows[i].text), &rpc))
			fail_msg("not an RPC: %s", rows[i].text);
		if (rpc.id != rows[i].id)
			fail_msg("%#" PRIx64 ": %s", rpc.id, rows[i].text);
		assert_int_equal(rpc.server, rows[i].server);
		assert_int_equal(rpc.ends, rows[i].ends);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (dkl_rpc_message_read(others[i], strlen(others[i]), &rpc))
			fail_msg("an RPC: %s", others[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_texts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
