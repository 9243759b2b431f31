/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages of Lustre 2.12, 2.15 and 2.17 that the analyses of lustre read. */
#include <inttypes.h>

#include "compat/lustre_log/call_text.h"
#include "compat/lustre_log/incident_text.h"
#include "compat/lustre_log/leaks.h"
#include "compat/lustre_log/lock_text.h"
#include "compat/lustre_log/opcode.h"
#include "compat/lustre_log/rpc_text.h"
#include "compat/lustre_log/thing.h"
#include "tests/helper/check.h"

#define CLIENT_2_12 "pname:cluuid:pid:xid:nid:opc "
#define SERVER_2_12 "pname:cluuid+ref:pid:xid:nid:opc "
#define CLIENT_2_15 "req@00000000d5a6a1c2 pname:cluuid:pid:xid:nid:opc:job "
#define SERVER_2_15 "req@00000000d5a6a1c2 pname:cluuid+ref:pid:xid:nid:opc:job "
#define ADDRESS     0xd5a6a1c2
#define REQUEST     "req@00000000d5a6a1c2 x1780000000000064/t0(0) o400->"

static char *copy(struct part part)
{
	char *text = strndup(part.p ? part.p : "", part.len);

	assert_non_null(text);
	return text;
}

static void same(struct part part, const char *want)
{
	char *have = copy(part);

	assert_string_equal(have, want);
	free(have);
}

static void the_four_messages_of_a_request_are_read(void **state)
{
	static const struct {
		const char *text;
		enum rpc_step step;
		bool server;
		uint64_t xid;
		uint32_t opcode;
		const char *thread, *client, *nid, *job;
		uint64_t address;
	} rows[] = {
		{ "Sending RPC " CLIENT_2_12 "dd:u-1:17:1780:10.0.0.1@tcp:4", RPC_SENDING, false,
		  1780, 4, "dd", "u-1", "10.0.0.1@tcp", "", 0 },
		{ "Completed RPC " CLIENT_2_12 "ptlrpcd_00_01:u-1:17:1780:0@lo:400", RPC_COMPLETED,
		  false, 1780, 400, "ptlrpcd_00_01", "u-1", "0@lo", "", 0 },
		{ "Handling RPC " SERVER_2_12 "ll_ost00_001:u-1+7:17:x1780:12345-10.0.0.1@tcp:4",
		  RPC_HANDLING, true, 1780, 4, "ll_ost00_001", "u-1", "10.0.0.1@tcp", "", 0 },
		{ "Sending RPC " CLIENT_2_15 "kworker/0:1:u-1:17:1780:10.0.0.1@o2ib1:4:dd.0",
		  RPC_SENDING, false, 1780, 4, "kworker/0:1", "u-1", "10.0.0.1@o2ib1", "dd.0",
		  ADDRESS },
		{ "Sending RPC " CLIENT_2_15 "dd:u-1:17:1780:fe80::1:2@tcp:101:a:b", RPC_SENDING,
		  false, 1780, 101, "dd", "u-1", "fe80::1:2@tcp", "a:b", ADDRESS },
		{ "Handling RPC " SERVER_2_15 "mdt01_003:0+-99:17:x1780:12345-fe80::1@tcp2:38:",
		  RPC_HANDLING, true, 1780, 38, "mdt01_003", "0", "fe80::1@tcp2", "", ADDRESS },
		{ "got req x1780", RPC_ARRIVED, true, 1780, OPCODE_UNKNOWN, "", "", "", "", 0 },
		{ "incoming req@00000000d5a6a1c2 x1780 msgsize 224", RPC_ARRIVED, true, 1780,
		  OPCODE_UNKNOWN, "", "", "", "", ADDRESS },
		{ "Completed RPC req@0xffff9b0012345678 pname:cluuid:pid:xid:nid:opc:job "
		  "x:u-1:1:2:n@tcp:4:dd.0",
		  RPC_COMPLETED, false, 2, 4, "x", "u-1", "n@tcp", "dd.0", 0xffff9b0012345678 },
		{ "Sending RPC " CLIENT_2_12 "a:10.0.0.1@tcp:12:77:fe80::1:2@tcp:4", RPC_SENDING,
		  false, 77, 4, "a", "10.0.0.1@tcp", "fe80::1:2@tcp", "", 0 },
	};
	struct rpc_text it;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(dkl_rpc_text_read(rows[i].text, strlen(rows[i].text), &it));
		assert_int_equal(it.step, rows[i].step);
		assert_int_equal(it.server, rows[i].server);
		assert_int_equal(it.xid, rows[i].xid);
		assert_int_equal(it.opcode, rows[i].opcode);
		same(it.thread, rows[i].thread);
		same(it.client, rows[i].client);
		same(it.nid, rows[i].nid);
		same(it.job, rows[i].job);
		assert_int_equal(it.address, rows[i].address);
	}
}

static void the_times_of_a_handled_request_are_read(void **state)
{
	static const char new_text[] =
		"Handled RPC " SERVER_2_15 "ll_ost00_001:u-1+7:17:x1780:12345-10.0.0.1@tcp:4:dd.0"
		" Request processed in 81us (95us total) trans 4294967299 rc -2/-2";
	static const char old_text[] = "Handled RPC " SERVER_2_12
				       "ll_ost00_001:u-1+7:17:x1780:12345-10.0.0.1@tcp:4"
				       " Request processed in 81us (95us total) trans 0 rc 0/0";
	struct rpc_text it;

	(void)state;
	assert_true(dkl_rpc_text_read(new_text, sizeof(new_text) - 1, &it));
	assert_true(it.timed);
	assert_int_equal(it.service, 81000);
	assert_int_equal(it.total, 95000);
	assert_int_equal(it.rc, -2);
	same(it.job, "dd.0");
	assert_true(dkl_rpc_text_read(old_text, sizeof(old_text) - 1, &it));
	assert_int_equal(it.total, 95000);
	same(it.job, "");
	/* A dump that was cut in the middle of the line. */
	assert_true(dkl_rpc_text_read(new_text, sizeof(new_text) - 50, &it));
	assert_false(it.timed);
}

static void the_messages_about_a_request_are_read(void **state)
{
	static const struct {
		const char *text;
		enum rpc_step step;
		const char *target, *nid, *job;
	} rows[] = {
		{ "@@@ Request sent has timed out for slow reply: [sent 1700000000/real 1700000000]  " REQUEST
		  "scratch-OST0003-osc-ffff8d00@10.0.0.1@tcp:28/4 lens 224/224 e 0 to 1 dl 1700000007"
		  " ref 1 fl Rpc:XN/0/ffffffff rc 0/-1",
		  RPC_TIMED_OUT, "scratch-OST0003-osc-ffff8d00", "10.0.0.1@tcp", "" },
		{ "@@@ Request sent has failed due to network error: [sent 1/real 1]  " REQUEST
		  "MGC10.0.0.1@tcp@10.0.0.1@tcp:26/25 lens 224/224 e 0 to 1 dl 17 ref 1"
		  " fl Rpc:XNQr/200/ffffffff rc 0/-1 job:'kworker.0' uid:0 gid:0 projid:4294967295",
		  RPC_NETWORK_ERROR, "MGC10.0.0.1@tcp", "10.0.0.1@tcp", "kworker.0" },
		{ "@@@ going to resend  " REQUEST
		  "scratch-MDT0000-mdc-ffff8d00@fe80::1@tcp:12/10 lens 224/224 e 0 to 1 dl 17 ref 1"
		  " fl Rpc:XNQr/200/ffffffff rc -11/-1 job:''",
		  RPC_RESENDING, "scratch-MDT0000-mdc-ffff8d00", "fe80::1@tcp", "" },
		{ "@@@ Resending request on EINPROGRESS  " REQUEST "<?>@<unknown>:0/0 lens 1/0 e 0",
		  RPC_RESENDING, "<?>", "<unknown>", "" },
		{ "@@@ Early reply #2, new deadline in 30s (20s)  " REQUEST "a@b@tcp:1/2 lens 1/1",
		  RPC_EARLY_REPLY, "a", "b@tcp", "" },
		{ "@@@ Dropping timed-out request from 12345-10.0.0.9@tcp: deadline 7/3s ago  " REQUEST
		  "8d1f@10.0.0.9@tcp:0/0 lens 224/0",
		  RPC_DROPPED, "8d1f", "10.0.0.9@tcp", "" },
		{ "@@@ bulk transfer failed 0/0/0  " REQUEST "a@b@tcp:1/2 lens 1/1", RPC_BULK, "a",
		  "b@tcp", "" },
		{ "@@@ timeout on bulk READ after 100+0s  " REQUEST "a@b@tcp:1/2 lens 1/1",
		  RPC_BULK, "a", "b@tcp", "" },
		{ "@@@ Eviction on bulk WRITE  " REQUEST "a@b@tcp:1/2 lens 1/1", RPC_BULK, "a",
		  "b@tcp", "" },
		{ "@@@ Reconnect on bulk READ  " REQUEST "a@b@tcp:1/2 lens 1/1", RPC_BULK, "a",
		  "b@tcp", "" },
		/* 2.12 and 2.15. */
		{ "@@@ Already past deadline (-3s), not sending early reply. Consider increasing"
		  " at_early_margin (5)?  " REQUEST "a@b@tcp:1/2 lens 1/1",
		  RPC_LATE, "a", "b@tcp", "" },
		{ "@@@ Couldn't add any time (5/5), not sending early reply  " REQUEST
		  "a@b@tcp:1/2 lens 1/1",
		  RPC_LATE, "a", "b@tcp", "" },
		{ "@@@ Could not add any time (5/5), not sending early reply  " REQUEST
		  "a@b@tcp:1/2 lens 1/1",
		  RPC_LATE, "a", "b@tcp", "" },
		{ "@@@ sending reply  " REQUEST "a@b@tcp:1/2 lens 1/1", RPC_REPLYING, "a", "b@tcp",
		  "" },
		{ "@@@ type 2, status 0  " REQUEST "a@b@tcp:1/2 lens 1/1", RPC_REPLY, "a", "b@tcp",
		  "" },
		{ "@@@ type 6, status 0  " REQUEST "a@b@tcp:1/2 lens 1/1", RPC_MENTIONED, "a",
		  "b@tcp", "" },
	};
	struct rpc_text it;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(dkl_rpc_text_read(rows[i].text, strlen(rows[i].text), &it));
		assert_int_equal(it.step, rows[i].step);
		assert_int_equal(it.xid, 1780000000000064);
		assert_int_equal(it.opcode, 400);
		same(it.target, rows[i].target);
		same(it.nid, rows[i].nid);
		same(it.job, rows[i].job);
	}
}

static void other_messages_are_not_about_requests(void **state)
{
	static const char *const texts[] = {
		"",
		"Sending RPC",
		"Sending RPC req@",
		"Sending RPC req@<%p>",
		"Sending RPC " CLIENT_2_12 "dd:u-1:1:99999999999999999999999:n@tcp:4",
		"Sent RPC " CLIENT_2_15 "dd:u-1:17:1780:n@tcp:4:dd.0",
		"Sending RPC " CLIENT_2_12,
		"Sending RPC " CLIENT_2_12 "dd:u-1:17:1780",
		"Sending RPC " CLIENT_2_12 "dd:u-1:17:1780:nid",
		"Handled RPC " SERVER_2_12 "dd:u-1:17:xx:nid@tcp:4",
		"Sending 224 bytes to portal 28, xid 1780",
		"got req 1780",
		"got req x",
		"Transferring 1 pages 4096 bytes via portal 8 id a@tcp mbits 1",
		"Transferring 1 pages",
		"incoming msg@00000000d5a6a1c2 x1780 msgsize 224",
		"@@@ type 5, status 0  req@00000000d5a6a1c2",
		"### client-side enqueue START"
	};
	struct rpc_text it;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(dkl_rpc_text_read(texts[i], strlen(texts[i]), &it));
}

#define LOCK "ns: filter-scratch-OST0001_UUID lock: 00000000d5a6a1c2/0x5d3c lrc: 3/0,0 mode: "
#define RES  " res: [0x100000400:0x22:0x0].0x0 "

static void messages_about_locks_are_read(void **state)
{
	static const struct {
		const char *text;
		enum lock_step step;
		bool granted;
		uint64_t remote;
		const char *wanted, *res, *nid;
	} rows[] = {
		{ "### server-side enqueue handler, new lock created " LOCK "--/PW" RES
		  "rrc: 3 type: EXT [0->18446744073709551615] (req 0->4095) flags: 0x60 nid: 10.0.0.1@tcp"
		  " remote: 0x1001 expref: 12 pid: 2001 timeout: 0 lvb_type: 0",
		  LOCK_ENQUEUED, false, 0x1001, "PW", "[0x100000400:0x22:0x0].0x0",
		  "10.0.0.1@tcp" },
		{ "### server preparing blocking AST " LOCK "PR/PR" RES
		  "bits 0x13/0x0 rrc: 3 type: IBT gid 0 flags: 0x60 nid: fe80::1@tcp remote: 0x1001 expref:"
		  " 12 pid: 2001 timeout: 0 lvb_type: 0 lru_score: 0 lru_type: 0",
		  LOCK_BLOCKING, true, 0x1001, "PR", "[0x100000400:0x22:0x0].0x0", "fe80::1@tcp" },
		{ "### client-side enqueue START, flags 0x1000 " LOCK "--/PR" RES
		  "rrc: 2 type: FLK pid: 7 [0->9] flags: 0x0 nid: local remote: 0x0 expref: -99 pid: 7"
		  " timeout: 0",
		  LOCK_ENQUEUED, false, 0, "PR", "[0x100000400:0x22:0x0].0x0", "local" },
		{ "### client-side cancel " LOCK "PR/PR" RES
		  "bits 0x13/0x0 rrc: 2 type: IBT flags: 0x0"
		  " pid: 7 initiator: MDT1 lru_score: 0 lru_type: 0",
		  LOCK_CANCELLED, true, 0, "PR", "[0x100000400:0x22:0x0].0x0", "local" },
		{ "### server cancels blocked lock after 3s " LOCK "PW/PW" RES "rrc: 2 type: PLN",
		  LOCK_CANCELLED, true, 0, "PW", "[0x100000400:0x22:0x0].0x0", "" },
		{ "### lock callback timer expired after 100s: evicting client at 10.0.0.1@tcp  " LOCK
		  "PW/PW" RES "rrc: 2",
		  LOCK_EXPIRED, true, 0, "PW", "[0x100000400:0x22:0x0].0x0", "" },
		{ "### ldlm_lock_addref(PR) ns: ?? lock: 00000000d5a6a1c2/0x5d3c lrc: 3/0,0 mode: PR/PR"
		  " res: ?? rrc=?? type: ???",
		  LOCK_MENTIONED, true, 0, "PR", "??", "" },
	};
	static const char *const others[] = { "",
					      "### ",
					      "### server-side enqueue handler START",
					      "### a ns: b",
					      "### a ns: b lock: x/y",
					      "ns: b lock: 1/2" };
	struct lock_text it;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(dkl_lock_text_read(rows[i].text, strlen(rows[i].text), &it));
		assert_int_equal(it.step, rows[i].step);
		assert_int_equal(it.handle, 0x5d3c);
		assert_int_equal(it.remote, rows[i].remote);
		assert_int_equal(lock_text_granted(&it), rows[i].granted);
		same(it.wanted, rows[i].wanted);
		same(it.res, rows[i].res);
		same(it.nid, rows[i].nid);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(dkl_lock_text_read(others[i], strlen(others[i]), &it));
}

static void evictions_and_connections_are_read(void **state)
{
	static const struct {
		const char *text;
		enum client_step step;
		const char *target, *nid;
	} rows[] = {
		{ "### lock callback timer expired after 100s: evicting client at 10.0.0.1@tcp  " LOCK
		  "PW/PW",
		  CLIENT_EVICTED, "", "10.0.0.1@tcp" },
		{ "### client (nid 10.0.0.1@tcp) failed to reply to blocking AST (req@00000000d5a6a1c2 x17"
		  " status 0 rc -110), evict it " LOCK "PW/PW",
		  CLIENT_EVICTED, "", "10.0.0.1@tcp" },
		{ "138-a: scratch-OST0001: A client on nid 10.0.0.1@tcp was evicted due to a lock blocking"
		  " callback time out: rc -107",
		  CLIENT_EVICTED, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "scratch-OST0001: haven't heard from client 8d1f-4 (at 10.0.0.1@tcp) in 227 seconds. I"
		  " think it's dead, and I am evicting it. exp 00000000d5a6a1c2, cur 1 expire 2 last 3",
		  CLIENT_EVICTED, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "scratch-MDT0000: evicting 8d1f-4 (at fe80::1@tcp) by administrative request",
		  CLIENT_EVICTED, "scratch-MDT0000", "fe80::1@tcp" },
		{ "167-0: scratch-OST0001-osc-ffff: This client was evicted by scratch-OST0001; in progress"
		  " operations using this service will fail.",
		  CLIENT_WAS_EVICTED, "scratch-OST0001-osc-ffff", "" },
		{ "scratch-OST0001-osc-ffff: Connection to scratch-OST0001 (at 10.0.0.9@tcp) was lost; in"
		  " progress operations using this service will wait for recovery to complete",
		  CLIENT_LOST, "scratch-OST0001-osc-ffff", "10.0.0.9@tcp" },
		{ "scratch-OST0001-osc-ffff: Connection restored to scratch-OST0001 (at 10.0.0.9@tcp)",
		  CLIENT_RESTORED, "scratch-OST0001-osc-ffff", "10.0.0.9@tcp" },
		{ "scratch-OST0001: Client 8d1f-4 (at 10.0.0.1@tcp) reconnecting, waiting for 4 clients",
		  CLIENT_RECONNECTS, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "scratch-OST0001: Client 8d1f-4 (at 10.0.0.1@tcp) reconnected, waiting for 4 clients in"
		  " recovery for 1:02",
		  CLIENT_RECONNECTS, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "Evicted from scratch-MDT0000_UUID (at 10.0.0.9@tcp) after server handle changed from 0x1"
		  " to 0x2",
		  CLIENT_WAS_EVICTED, "scratch-MDT0000_UUID", "10.0.0.9@tcp" },
		{ "E-OST0001-osc-ffff: Connection to E-OST0001 (at 10.0.0.9@tcp) was lost; in progress"
		  " operations using this service will fail",
		  CLIENT_LOST, "E-OST0001-osc-ffff", "10.0.0.9@tcp" },
		{ "11-0: scratch-MDT0000-mdc-ffff: operation obd_ping to node 10.0.0.9@tcp failed: rc ="
		  " -107",
		  CLIENT_FAILED, "scratch-MDT0000-mdc-ffff", "10.0.0.9@tcp" },
		{ "scratch-OST0001: Client 8d1f-4 (at 10.0.0.1@tcp) refused connection, still busy with 7"
		  " references",
		  CLIENT_REFUSED, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "scratch-OST0001: Denying connection for new client 8d1f-4 (at 10.0.0.1@tcp), waiting for"
		  " 4 known clients (3 recovered, 0 in progress, and 1 evicted) to recover in 1:02",
		  CLIENT_REFUSED, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "137-5: scratch-OST0001: not available for connect from 10.0.0.1@tcp (no target). If you"
		  " are running an HA pair check that the target is mounted on the other server.",
		  CLIENT_REFUSED, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "scratch-OST0001: Bulk IO write error with 8d1f-4 (at 10.0.0.1@tcp), client will retry:"
		  " rc = -110",
		  CLIENT_BULK, "scratch-OST0001", "10.0.0.1@tcp" },
		{ "scratch-OST0001: Will be in recovery for at least 2:30, or until 4 clients reconnect",
		  CLIENT_RECOVERY, "scratch-OST0001", "" },
		{ "scratch-OST0001: Recovery over after 2:31, of 4 clients 3 recovered and 1 was evicted.",
		  CLIENT_RECOVERY, "scratch-OST0001", "" },
		{ "scratch-OST0001: disconnecting 1 stale clients", CLIENT_RECOVERY,
		  "scratch-OST0001", "" },
	};
	static const char *const others[] = {
		"",
		":",
		"a:",
		("### client (nid 10.0.0.1@tcp) returned 0 from blocking AST (req@1 x2) - normal race " LOCK),
		"scratch-OST0001: Client 8d1f-4 (at 10.0.0.1@tcp) is here",
		"Evicted from x",
		"scratch-OST0001: Connection to x failed",
	};
	struct client_text it;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(dkl_client_text_read(rows[i].text, strlen(rows[i].text), &it));
		assert_int_equal(it.step, rows[i].step);
		same(it.target, rows[i].target);
		same(it.nid, rows[i].nid);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(dkl_client_text_read(others[i], strlen(others[i]), &it));
}

static void threads_that_take_too_long_are_read(void **state)
{
	static const struct {
		const char *text;
		enum service_step step;
		uint64_t pid;
		const char *name, *why;
	} rows[] = {
		/* 2.12, and 2.15. */
		{ "Service thread pid 4711 was inactive for 200.09s. The thread might be hung, or it might"
		  " only be slow and will resume later. Dumping the stack trace for debugging purposes:",
		  SERVICE_INACTIVE, 4711, "", "Service thread pid 4711 was inactive for 200.09s" },
		{ "mdt00_001: service thread pid 4711 was inactive for 62.123 seconds. Watchdog stack"
		  " traces are limited to 3 per 300 seconds, skipping this one.",
		  SERVICE_INACTIVE, 4711, "mdt00_001",
		  "service thread pid 4711 was inactive for 62.123 seconds" },
		{ "Service thread pid 4711 completed after 300.12s. This indicates the system was"
		  " overloaded (too many service threads, or there were not enough hardware resources).",
		  SERVICE_COMPLETED, 4711, "", "Service thread pid 4711 completed after 300.12s" },
		{ "ll_ost_io00: service thread pid 4711 completed after 300.123s",
		  SERVICE_COMPLETED, 4711, "ll_ost_io00",
		  "service thread pid 4711 completed after 300.123s" },
		{ "mdt_rdpg00_002: service thread pid 4711 resumed after 70.001s. This likely indicates"
		  " the system was overloaded",
		  SERVICE_COMPLETED, 4711, "mdt_rdpg00_002",
		  "service thread pid 4711 resumed after 70.001s" },
		/* Up to 2.15, and later. */
		{ "ost_io: This server is not able to keep up with request traffic (cpu-bound).",
		  SERVICE_SLOW, 0, "ost_io",
		  "This server is not able to keep up with request traffic (cpu-bound)." },
		{ "'ost_io' is processing requests too slowly, client may timeout.", SERVICE_SLOW,
		  0, "ost_io", "'ost_io' is processing requests too slowly, client may timeout." },
	};
	static const char *const others[] = { "",
					      "S",
					      "'",
					      "Service thread pid x was inactive for 1s",
					      "Service thread pid 1 died",
					      "a: service thread pid ",
					      "a: This server is not able to",
					      "'a' is fast" };
	struct service_text it;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(dkl_service_text_read(rows[i].text, strlen(rows[i].text), &it));
		assert_int_equal(it.step, rows[i].step);
		assert_int_equal(it.pid, rows[i].pid);
		same(it.name, rows[i].name);
		same(it.why, rows[i].why);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(dkl_service_text_read(others[i], strlen(others[i]), &it));
}

static void allocations_and_frees_are_read(void **state)
{
	static const struct {
		const char *text;
		bool frees;
		uint64_t size, address;
		const char *name;
	} rows[] = {
		{ "kmalloced 'req': 1024 at 00000000d5a6a1c2.", false, 1024, 0xd5a6a1c2, "req" },
		{ "kmalloced 'req': 1024 at ffff88003a (tot 4096).", false, 1024, 0xffff88003a,
		  "req" },
		{ "vmalloced '(lvb->b['a'])': 8 at 0xffff88003a.", false, 8, 0xffff88003a,
		  "(lvb->b['a'])" },
		{ "slab-alloced '(lock)': 576 at ffff88003a.", false, 576, 0xffff88003a, "(lock)" },
		{ "slab-freed 'lock' at ffff88003a.", true, 0, 0xffff88003a, "lock" },
		{ "kfreed 'req' of size 12 at ffff88003a (tot 1).", true, 12, 0xffff88003a, "req" },
		{ "kfreed_rcu 'req': 12 at ffff88003a.", true, 12, 0xffff88003a, "req" },
		{ "vfreed 'req': 12 at ffff88003a.", true, 12, 0xffff88003a, "req" },
		{ "rcu 'exp': 976 at 00000000f4abc297.", true, 976, 0xf4abc297, "exp" },
		{ "alloc '(lp)': 312 at (____ptrval____) (tot 451850).", false, 312, 0, "(lp)" },
	};
	static const char *const others[] = { "",
					      "kmalloced",
					      "kmalloced 'a",
					      "kmalloced 'a': x at 1",
					      "kmalloced 'a': 1 at",
					      "allocated 'a': 1 at 2",
					      "freeing 'a': 1 at 2" };
	struct malloc_text it;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(dkl_malloc_text_read(rows[i].text, strlen(rows[i].text), &it));
		assert_int_equal(it.frees, rows[i].frees);
		assert_int_equal(it.size, rows[i].size);
		assert_int_equal(it.address, rows[i].address);
		assert_int_equal(it.hidden, !rows[i].address);
		same(it.name, rows[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(dkl_malloc_text_read(others[i], strlen(others[i]), &it));
}

static bool is_in(const char *word, const char *text)
{
	const struct log_line line = { .pid = 4711, .text = { text, strlen(text) } };
	struct thing it;
	bool found;

	assert_int_equal(dkl_thing_read(&it, word), 0);
	found = dkl_thing_is_in(&it, &line);
	dkl_thing_clear(&it);
	return found;
}

static void a_thing_is_found_in_each_way_of_writing_it(void **state)
{
	(void)state;
	assert_true(is_in("0x200000401:0x5:0x0", "res: [0x200000401:0x5:0x0].0x0 rrc: 2"));
	assert_true(is_in("[0x200000401:0x5:0x0]", "fid=[0x200000401:0x5:0x0]"));
	assert_true(is_in("[200000401:5:0]", "0x200000401:0x5:0x0"));
	assert_false(is_in("[0x200000401:0x5:0x0]", "[0x200000401:0x5:0x01]"));
	assert_false(is_in("[0x200000401:0x5:0x0]", "[0x1200000401:0x5:0x0]"));
	assert_true(is_in("10.0.0.1@tcp0", "at 12345-10.0.0.1@tcp:4"));
	assert_true(is_in("12345-10.0.0.1@tcp", "(at 10.0.0.1@tcp0) reconnecting"));
	assert_true(is_in("10.0.0.1@tcp", "lost contact with 10.0.0.1@tcp."));
	assert_false(is_in("10.0.0.1@tcp", "110.0.0.1@tcp"));
	assert_false(is_in("10.0.0.1@tcp", "10.0.0.1@tcp1"));
	assert_true(is_in("x1780000000000064", "u:17:1780000000000064:nid"));
	assert_true(is_in("1780000000000064", "got req x1780000000000064"));
	assert_false(is_in("x178000000000006", "got req x1780000000000064"));
	assert_true(is_in("4711", "any text"));
	assert_true(is_in("4712", "pid 4712 of another thread"));
	assert_true(is_in("471003", "Processing jobid: dd.0 job: 471003 rc 0"));
	assert_false(is_in("471003", "any text"));
	assert_false(is_in("471003", "0x471003 a471003 471003b 4710030 1471003"));
	assert_true(is_in("scratch-OST0001", "scratch-OST0001: already connected"));
	assert_false(is_in("scratch-OST0001", "scratch-OST00010"));
}

static void opcodes_have_the_names_of_lustre(void **state)
{
	char text[OPCODE_TEXT_SIZE];

	(void)state;
	assert_string_equal(dkl_opcode_name(0), "OST_REPLY");
	assert_string_equal(dkl_opcode_name(3), "OST_READ");
	assert_string_equal(dkl_opcode_name(36), "MDS_REINT");
	assert_string_equal(dkl_opcode_name(101), "LDLM_ENQUEUE");
	assert_string_equal(dkl_opcode_name(400), "OBD_PING");
	assert_string_equal(dkl_opcode_name(1102), "LFSCK_QUERY");
	assert_null(dkl_opcode_name(15));
	dkl_opcode_text(15, text);
	assert_string_equal(text, "15");
}

static void the_beginning_and_end_of_a_call_are_read(void **state)
{
	static const struct {
		const char *function, *text;
		bool ends, paired;
		const char *call, *name, *fid;
	} rows[] = {
		{ "ll_unlink", "VFS Op:name=g5, dir=[0x200000401:0x1:0x0](000000000744d34a)", false,
		  false, "unlink", "g5", "[0x200000401:0x1:0x0]" },
		{ "do_file_read_iter", "START file f9:[0x2:0x3:0x0], ppos: 524288, count: 65536",
		  false, true, "read", "f9", "[0x2:0x3:0x0]" },
		{ "do_file_read_iter",
		  "COMPLETED: file f9:[0x2:0x3:0x0], ppos: 524288, count: 65536, rc = 0", true,
		  true, "read", "f9", "[0x2:0x3:0x0]" },
		/* 2.15 */
		{ "ll_file_write_iter", "file f9:[0x2:0x3:0x0], ppos: 524288, count: 65536", false,
		  true, "write", "f9", "[0x2:0x3:0x0]" },
		{ "ll_fsync", "START file: name=f 9, fid=[0x2:0x3:0x0], start=0, end=1", false,
		  true, "fsync", "f 9", "[0x2:0x3:0x0]" },
		{ "ll_file_open", "VFS Op:inode=[0x2:0x3:0x0](000000000744d34a), flags 704400",
		  false, false, "open", "", "[0x2:0x3:0x0]" },
		{ "do_mkdir", "VFS Op:name=", false, false, "mkdir", "", "" },
		{ "x", "START file", false, true, "x", "", "" },
	};
	struct call_text call;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct part function = { rows[i].function, strlen(rows[i].function) };

		assert_true(dkl_call_text_read(rows[i].text, strlen(rows[i].text), &call));
		assert_int_equal(call.ends, rows[i].ends);
		assert_int_equal(call.paired, rows[i].paired);
		same(call.name, rows[i].name);
		same(call.fid, rows[i].fid);
		same(dkl_call_name(function), rows[i].call);
	}
	/* A page fault is not a call. */
	assert_false(dkl_call_text_read("COMPLETED: [0x2:0x3:0x0]: vma=1", 31, &call));
	assert_false(dkl_call_text_read("VFS O", 5, &call));
	assert_false(dkl_call_text_read("file f9:[0x2:0x3:0x0] is", 24, &call));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_beginning_and_end_of_a_call_are_read),
		cmocka_unit_test(the_four_messages_of_a_request_are_read),
		cmocka_unit_test(the_times_of_a_handled_request_are_read),
		cmocka_unit_test(the_messages_about_a_request_are_read),
		cmocka_unit_test(other_messages_are_not_about_requests),
		cmocka_unit_test(messages_about_locks_are_read),
		cmocka_unit_test(evictions_and_connections_are_read),
		cmocka_unit_test(threads_that_take_too_long_are_read),
		cmocka_unit_test(allocations_and_frees_are_read),
		cmocka_unit_test(a_thing_is_found_in_each_way_of_writing_it),
		cmocka_unit_test(opcodes_have_the_names_of_lustre),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
