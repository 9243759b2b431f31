/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both sides of connections and requests: which steps come before others, and what is not certain. */
#include "answers/exchange/exchange.h"

#include "lib/base/buf.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define XID "\tfield:u32 xid;\toffset:16;\tsize:4;\tsigned:0;\n"
#define END "\nprint fmt: \"\"\n"

enum made { SOCKET, RESERVE, LOOKUP, PROCESS, N_MADE };

static const struct {
	const char *system, *name, *format;
} made[N_MADE] = {
	{ "sock", "inet_sock_set_state",
	  "name: inet_sock_set_state\nID: 801\nformat:\n" COMMON
	  "\tfield:const void * skaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
	  "\tfield:int oldstate;\toffset:16;\tsize:4;\tsigned:1;\n"
	  "\tfield:int newstate;\toffset:20;\tsize:4;\tsigned:1;\n"
	  "\tfield:__u16 sport;\toffset:24;\tsize:2;\tsigned:0;\n"
	  "\tfield:__u16 dport;\toffset:26;\tsize:2;\tsigned:0;\n"
	  "\tfield:__u16 family;\toffset:28;\tsize:2;\tsigned:0;\n"
	  "\tfield:__u16 protocol;\toffset:30;\tsize:2;\tsigned:0;\n"
	  "\tfield:__u8 saddr[4];\toffset:32;\tsize:4;\tsigned:0;\n"
	  "\tfield:__u8 daddr[4];\toffset:36;\tsize:4;\tsigned:0;\n"
	  "\tfield:__u8 saddr_v6[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	  "\tfield:__u8 daddr_v6[16];\toffset:56;\tsize:16;\tsigned:0;\n" END },
	{ "sunrpc", "xprt_reserve", "name: xprt_reserve\nID: 802\nformat:\n" COMMON XID END },
	{ "sunrpc", "xprt_lookup_rqst",
	  "name: xprt_lookup_rqst\nID: 803\nformat:\n" COMMON XID
	  "\tfield:int status;\toffset:20;\tsize:4;\tsigned:1;\n" END },
	{ "sunrpc", "svc_process", "name: svc_process\nID: 804\nformat:\n" COMMON XID END },
};

struct bytes {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t skaddr;
	union {
		int32_t old;
		uint32_t xid;
	};
	union {
		int32_t new;
		int32_t status;
	};
	uint16_t sport, dport, family, protocol;
	uint8_t saddr[4], daddr[4], saddr6[16], daddr6[16];
};

struct room {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *events[N_MADE];
	struct exchange *x;
	struct dkt__causal_pair pairs[16];
	size_t n;
};

static int take(void *data, const struct dkt__causal_pair *pair)
{
	struct room *r = data;

	assert_true(r->n < ARRAY_SIZE(r->pairs));
	r->pairs[r->n++] = *pair;
	return 0;
}

static int setup(void **state)
{
	struct room *r = *state = calloc(1, sizeof(*r));
	DKT_OPTS(dkt_ctx_opts, opts, .root = r->root);
	char names[256] = "", path[128];
	struct dkt_ctx *ctxs[3];

	assert_int_equal(tree_make(r->root), 0);
	for (size_t i = 0; i < N_MADE; i++) {
		snprintf(path, sizeof(path), "events/%s/%s/format", made[i].system, made[i].name);
		assert_int_equal(tree_write(r->root, path, made[i].format, strlen(made[i].format)),
				 0);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s:%s\n",
			 made[i].system, made[i].name);
	}
	assert_int_equal(tree_write(r->root, "available_events", names, strlen(names)), 0);
	assert_int_equal(dkt_ctx_new(&opts, &r->ctx), 0);
	for (size_t i = 0; i < N_MADE; i++)
		assert_non_null(r->events[i] =
					dkt_event_find(r->ctx, made[i].system, made[i].name));
	assert_true(exchange_has(r->ctx));
	ctxs[0] = ctxs[1] = ctxs[2] = r->ctx;
	return exchange_new(ctxs, 3, take, r, &r->x);
}

static int teardown(void **state)
{
	struct room *r = *state;

	exchange_free(r->x);
	dkt_ctx_free(r->ctx);
	tree_remove(r->root);
	free(r);
	return 0;
}

static void add(struct room *r, enum made nr, uint32_t host, uint64_t ts, const struct bytes *bytes)
{
	const struct dkt_record record = {
		.ts = ts, .event = r->events[nr], .data = bytes, .size = sizeof(*bytes)
	};

	assert_int_equal(exchange_add(r->x, host, &record), 0);
}

/* A socket of host 10.0.0.(1 + host) with that port, to the other end. */
static void tcp(struct room *r, uint32_t host, uint64_t ts, int old, int new, uint16_t sport,
		uint8_t to, uint16_t dport)
{
	struct bytes bytes = {
		.type = 801, .old = old, .new = new, .sport = sport, .dport = dport, .protocol = 6
	};
	const uint8_t mapped[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };

	memcpy(bytes.saddr6, mapped, 16);
	memcpy(bytes.daddr6, mapped, 16);
	bytes.saddr6[15] = (uint8_t)(1 + host);
	bytes.daddr6[15] = to;
	add(r, SOCKET, host, ts, &bytes);
}

static void rpc(struct room *r, enum made nr, uint32_t host, uint64_t ts, uint32_t xid, int status)
{
	add(r, nr, host, ts, &(struct bytes){ .xid = xid, .status = status });
}

static void holds(struct room *r, size_t i, uint32_t cause, uint64_t cause_time, uint32_t effect,
		  uint64_t effect_time)
{
	assert_true(i < r->n);
	assert_int_equal(r->pairs[i].cause, cause);
	assert_int_equal(r->pairs[i].cause_time, cause_time);
	assert_int_equal(r->pairs[i].effect, effect);
	assert_int_equal(r->pairs[i].effect_time, effect_time);
}

/* The client opens and closes a connection; its clock is ahead, so its records come later. */
static void test_tcp(void **state)
{
	struct room *r = *state;

	tcp(r, 1, 100, 10, 3, 80, 0, 0);
	tcp(r, 1, 110, 3, 1, 80, 1, 5000);
	tcp(r, 0, 200, 7, 2, 0, 2, 80);
	tcp(r, 0, 205, 2, 1, 5000, 2, 80);
	holds(r, 0, 0, 205, 1, 110);
	tcp(r, 1, 130, 1, 8, 80, 1, 5000);
	tcp(r, 0, 220, 1, 4, 5000, 2, 80);
	holds(r, 1, 0, 220, 1, 130);
	tcp(r, 0, 240, 4, 5, 5000, 2, 80);
	holds(r, 2, 1, 130, 0, 240);
	/* The server's own end, whose arrival is not recorded as such: it may be a time-out. */
	tcp(r, 1, 135, 8, 9, 80, 1, 5000);
	tcp(r, 0, 250, 5, 7, 5000, 2, 80);
	assert_int_equal(r->n, 3);
}

static void test_rpc(void **state)
{
	struct room *r = *state;

	rpc(r, RESERVE, 0, 10, 77, 0);
	rpc(r, PROCESS, 1, 20, 77, 0);
	holds(r, 0, 0, 10, 1, 20);
	rpc(r, LOOKUP, 0, 25, 77, -11);
	assert_int_equal(r->n, 1);
	rpc(r, LOOKUP, 0, 30, 77, 0);
	holds(r, 1, 1, 20, 0, 30);
	/* A number of 0 is none; a host that asks itself says nothing. */
	rpc(r, RESERVE, 0, 40, 0, 0);
	rpc(r, PROCESS, 1, 50, 0, 0);
	rpc(r, RESERVE, 2, 40, 78, 0);
	rpc(r, PROCESS, 2, 50, 78, 0);
	assert_int_equal(r->n, 2);
}

/* Numbers and ports that are used again, hosts of one address. */
static void test_ambiguous(void **state)
{
	struct room *r = *state;

	rpc(r, RESERVE, 0, 10, 1, 0);
	rpc(r, RESERVE, 2, 11, 1, 0);
	rpc(r, PROCESS, 1, 20, 1, 0);
	rpc(r, RESERVE, 0, 30, 2, 0);
	rpc(r, RESERVE, 0, 31, 2, 0);
	rpc(r, PROCESS, 1, 40, 2, 0);
	assert_int_equal(r->n, 0);
	tcp(r, 0, 50, 2, 1, 5000, 2, 80);
	tcp(r, 0, 60, 2, 1, 5000, 2, 80);
	tcp(r, 1, 70, 3, 1, 80, 1, 5000);
	assert_int_equal(r->n, 0);
}

/* Behind a gap the records may be of another exchange. */
static void test_lost(void **state)
{
	struct room *r = *state;
	const struct dkt_record gap = { .ts = 15, .lost = 1 };

	rpc(r, RESERVE, 0, 10, 5, 0);
	assert_int_equal(exchange_add(r->x, 1, &gap), 0);
	rpc(r, PROCESS, 1, 20, 5, 0);
	assert_int_equal(r->n, 0);
}

/* Loopback addresses, other protocols, and records that are too short. */
static void test_others(void **state)
{
	struct room *r = *state;
	struct bytes bytes = {
		.type = 801, .old = 2, .new = 1, .sport = 1, .dport = 2, .protocol = 6
	};
	struct dkt_record record = { .ts = 5, .event = r->events[SOCKET], .data = &bytes };

	bytes.saddr6[15] = bytes.daddr6[15] = 1;
	add(r, SOCKET, 0, 10, &bytes);
	bytes = (struct bytes){
		.type = 801, .old = 3, .new = 1, .sport = 2, .dport = 1, .protocol = 6
	};
	bytes.saddr6[15] = bytes.daddr6[15] = 1;
	add(r, SOCKET, 1, 20, &bytes);
	memset(bytes.saddr6, 1, 32);
	bytes.protocol = 132;
	add(r, SOCKET, 1, 20, &bytes);
	bytes.protocol = 6;
	for (record.size = 0; record.size < sizeof(bytes); record.size++)
		assert_int_equal(exchange_add(r->x, 2, &record), 0);
	assert_int_equal(r->n, 0);
}

/* The ways as texts: the label, and each step with its host and time. */
static int take_way(void *data, const struct exchange_way *way)
{
	struct dkt_buf *text = data;

	dkt_buf_printf(text, "%s:", way->label);
	for (size_t i = 0; i < way->n; i++)
		dkt_buf_printf(text, " %u %s %u", way->steps[i].host, way->steps[i].what,
			       (unsigned int)way->steps[i].time);
	dkt_buf_str(text, "\n");
	return 0;
}

static void test_ways(void **state)
{
	struct room *r = *state;
	struct dkt_buf *text;

	assert_int_equal(dkt_buf_new(&text), 0);
	exchange_tell_ways(r->x, take_way, text);
	tcp(r, 1, 120, 3, 1, 7000, 1, 40000);
	tcp(r, 0, 110, 2, 1, 40000, 2, 7000);
	tcp(r, 0, 130, 1, 4, 40000, 2, 7000);
	rpc(r, RESERVE, 0, 140, 77, 0);
	rpc(r, PROCESS, 2, 150, 77, 0);
	/* One side is not a way, and one that is not certain neither. */
	rpc(r, RESERVE, 0, 160, 78, 0);
	rpc(r, RESERVE, 0, 170, 79, 0);
	rpc(r, PROCESS, 1, 180, 79, 0);
	rpc(r, PROCESS, 1, 190, 79, 0);
	assert_int_equal(exchange_finish(r->x), 0);
	dkt__buf_add(text, "", 1);
	assert_string_equal(
		text->data,
		"10.0.0.1:40000 to 10.0.0.2:7000: 0 connected 110 1 accepted 120 0 FIN sent 130\n"
		"request 0x4d: 0 request made 140 2 work begun 150\n");
	dkt_buf_reset(text);
	assert_int_equal(exchange_finish(r->x), 0);
	assert_int_equal(text->len, 0);
	dkt_buf_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tcp, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rpc, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ambiguous, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ways, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
