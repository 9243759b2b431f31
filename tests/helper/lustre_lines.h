/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of Lustre's log made by hand, for the analyses. */
#pragma once

#include "compat/lustre_log/line.h"
#include "tests/helper/check.h"

/* For cmocka_run_group_tests(): the state of each test is a context. */
static inline int open_context(void **state)
{
	return dkt_ctx_new(NULL, (struct dkt_ctx **)state);
}

static inline int close_context(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

#define LINES_START UINT64_C(1700000000000000000)

/* A line of a host. us: its time, since LINES_START. */
static inline struct log_line lustre_line(uint32_t host, uint64_t us, const char *text)
{
	return (struct log_line){ .time = LINES_START + us * 1000,
				  .host = host,
				  .file = { "a.c", 3 },
				  .function = { "f", 1 },
				  .text = { text, strlen(text) } };
}

#define LUSTRE_CLIENT "RPC pname:cluuid:pid:xid:nid:opc:job ptlrpcd_00:u-1:7:"
#define LUSTRE_SERVER "RPC pname:cluuid+ref:pid:xid:nid:opc:job ll_ost00_001:u-1+5:7:x"

/* The two sides of a callback: the server that sends it, and its client that serves it. */
#define LUSTRE_CALLER "RPC pname:cluuid:pid:xid:nid:opc:job ll_ost00_001:x-OST0000_UUID:7:"
#define LUSTRE_CALLED "RPC pname:cluuid+ref:pid:xid:nid:opc:job ldlm_cb00_000:LOV_OSC_UUID+5:7:x"

/* The end of a message about a request. */
#define LUSTRE_REQUEST(xid)                                                                        \
	"  req@0000000012345678 x" xid "/t0(0) o3->u-1@10.0.0.1@tcp:0/0 lens 1/1"
