/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both sides of Lustre's requests: which messages come before others, and what is not certain. */
#include <inttypes.h>

#include "answers/exchange/exchange.h"
#include "lib/base/buf.h"
#include "tests/helper/lustre_lines.h"

#define HOSTS 4

struct room {
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

static void open_room(struct room *r, struct dkt_ctx *ctx)
{
	struct dkt_ctx *ctxs[HOSTS] = { ctx, ctx, ctx, ctx };

	*r = (struct room){ .n = 0 };
	assert_int_equal(exchange_new(ctxs, HOSTS, take, r, &r->x), 0);
}

static void say(struct room *r, uint32_t host, uint64_t us, const char *text)
{
	const struct log_line line = lustre_line(host, us, text);

	assert_int_equal(exchange_add_line(r->x, &line), 0);
}

static void lose(struct room *r)
{
	const struct dkt_record gap = { .ts = LINES_START, .lost = 1 };

	assert_int_equal(exchange_add(r->x, 1, &gap), 0);
}

/* An earlier request of the host, so that higher numbers are new. */
static void send_first(struct room *r, uint32_t host)
{
	say(r, host, 1, "Sending " LUSTRE_CLIENT "1:10.0.0.9@tcp:3:dd.0");
}

static void holds(const struct room *r, size_t i, uint32_t cause, uint64_t cause_us,
		  uint32_t effect, uint64_t effect_us)
{
	assert_true(i < r->n);
	assert_int_equal(r->pairs[i].cause, cause);
	assert_int_equal(r->pairs[i].effect, effect);
	assert_int_equal(r->pairs[i].cause_time, LINES_START + cause_us * 1000);
	/* A message was written at most 1 us after the time that it has. */
	assert_int_equal(r->pairs[i].effect_time, LINES_START + effect_us * 1000 + LINE_TIME_UNIT);
}

static void a_request_is_sent_before_the_work_and_ends_after_it_has_begun(void **state)
{
	struct room r;

	open_room(&r, *state);
	send_first(&r, 0);
	/* The client's clock is ahead. */
	say(&r, 1, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
	say(&r, 1, 40, "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
	say(&r, 0, 100, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
	/* The answer leaves before the server writes that it has done its work. */
	say(&r, 0, 115, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
	assert_int_equal(r.n, 0);
	assert_int_equal(exchange_finish(r.x), 0);
	assert_int_equal(r.n, 2);
	holds(&r, 0, 0, 100, 1, 20);
	holds(&r, 1, 1, 20, 0, 115);
	exchange_free(r.x);
}

static void other_clients_with_the_number_are_others(void **state)
{
	struct room r;

	open_room(&r, *state);
	send_first(&r, 0);
	say(&r, 0, 10, "Sending RPC pname:cluuid:pid:xid:nid:opc dd:u-2:7:1780:10.0.0.9@tcp:3");
	say(&r, 1, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
	/* A client without a connection, or without a recorded name, cannot be told from others. */
	say(&r, 0, 30, "Sending RPC pname:cluuid:pid:xid:nid:opc dd:0:7:1790:10.0.0.9@tcp:38");
	say(&r, 1, 40,
	    "Handling RPC pname:cluuid+ref:pid:xid:nid:opc m:0+-99:7:x1790:12345-10.0.0.1@tcp:38");
	say(&r, 0, 50, "Sending RPC pname:cluuid:pid:xid:nid:opc dd:(null):7:1800:10.0.0.9@tcp:3");
	say(&r, 1, 60,
	    "Handling RPC pname:cluuid+ref:pid:xid:nid:opc m:(null)+1:7:x1800:12345-10.0.0.1@tcp:3");
	/* The same host asks itself. */
	say(&r, 1, 70, "Sending " LUSTRE_CLIENT "1810:0@lo:3:dd.0");
	say(&r, 1, 80, "Handling " LUSTRE_SERVER "1810:12345-0@lo:3:dd.0");
	assert_int_equal(exchange_finish(r.x), 0);
	assert_int_equal(r.n, 0);
	exchange_free(r.x);
}

static void what_was_sent_or_done_twice_says_nothing(void **state)
{
	static const struct {
		uint32_t host;
		const char *text;
	} again[] = {
		{ 0, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0" },
		{ 0, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0" },
		{ 1, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0" },
		/* The other server of a pair, and a client that pretends to be the first one. */
		{ 2, "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0" },
		{ 2, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0" },
	};
	struct room r;

	open_room(&r, *state);
	send_first(&r, 0);
	for (size_t i = 0; i < ARRAY_SIZE(again); i++) {
		say(&r, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
		say(&r, 1, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
		say(&r, 0, 30, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
		say(&r, again[i].host, 40, again[i].text);
		assert_int_equal(exchange_finish(r.x), 0);
		assert_int_equal(r.n, 0);
		send_first(&r, 0);
	}
	exchange_free(r.x);
}

static void a_sending_that_may_not_be_the_first_says_nothing(void **state)
{
	struct room r;

	open_room(&r, *state);
	/* The first one that is known. */
	say(&r, 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
	say(&r, 1, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
	/* One after another of a higher number. */
	say(&r, 0, 30, "Sending " LUSTRE_CLIENT "1779:10.0.0.9@tcp:3:dd.0");
	say(&r, 1, 40, "Handling " LUSTRE_SERVER "1779:12345-10.0.0.1@tcp:3:dd.0");
	/* One whose first sending may have been lost. */
	say(&r, 0, 50, "Sending " LUSTRE_CLIENT "1790:10.0.0.9@tcp:3:dd.0");
	lose(&r);
	assert_int_equal(r.n, 0);
	say(&r, 1, 60, "Handling " LUSTRE_SERVER "1790:12345-10.0.0.1@tcp:3:dd.0");
	say(&r, 0, 70, "Sending " LUSTRE_CLIENT "1800:10.0.0.9@tcp:3:dd.0");
	say(&r, 1, 80, "Handling " LUSTRE_SERVER "1800:12345-10.0.0.1@tcp:3:dd.0");
	assert_int_equal(exchange_finish(r.x), 0);
	assert_int_equal(r.n, 0);
	exchange_free(r.x);
}

static int take_way(void *data, const struct exchange_way *way)
{
	struct dkt_buf *text = data;

	dkt_buf_printf(text, "%s:", way->label);
	for (size_t i = 0; i < way->n; i++)
		dkt_buf_printf(text, " %u %s %" PRIu64, way->steps[i].host, way->steps[i].what,
			       (way->steps[i].time - LINES_START) / 1000);
	dkt_buf_str(text, "\n");
	return 0;
}

static void a_callback_is_sent_before_its_client_works_though_the_uuids_differ(void **state)
{
	struct room r;

	open_room(&r, *state);
	say(&r, 1, 1, "Sending " LUSTRE_CALLER "1:10.0.0.1@tcp:104:");
	say(&r, 1, 100, "Sending " LUSTRE_CALLER "1780:10.0.0.1@tcp:104:");
	say(&r, 0, 20, "Handling " LUSTRE_CALLED "1780:12345-10.0.0.9@tcp:104:");
	/* The request of another server that has the same number. */
	say(&r, 0, 30, "Handling " LUSTRE_CALLED "1780:12345-10.0.0.8@tcp:106:");
	say(&r, 1, 115, "Completed " LUSTRE_CALLER "1780:10.0.0.1@tcp:104:");
	assert_int_equal(exchange_finish(r.x), 0);
	assert_int_equal(r.n, 2);
	holds(&r, 0, 1, 100, 0, 20);
	holds(&r, 1, 0, 20, 1, 115);
	exchange_free(r.x);
}

static void a_way_has_the_steps_of_both_hosts_in_order(void **state)
{
	struct dkt_buf *text;
	struct room r;

	assert_int_equal(dkt_buf_new(&text), 0);
	open_room(&r, *state);
	exchange_tell_ways(r.x, take_way, text);
	/* The way holds even if nothing tells that it is the first sending. */
	say(&r, 3, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
	say(&r, 1, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0");
	say(&r, 3, 30, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0");
	say(&r, 1, 40,
	    "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0"
	    " Request processed in 20us (21us total) trans 0 rc 0/0");
	say(&r, 3, 50, "Sending " LUSTRE_CLIENT "1790:10.0.0.9@tcp:3:dd.0");
	assert_int_equal(exchange_finish(r.x), 0);
	dkt__buf_add(text, "", 1);
	assert_string_equal(text->data, "OST_READ x1780: 3 request sent 10 1 work begun 20"
					" 3 request completed 30 1 work done 40\n");
	dkt_buf_free(text);
	exchange_free(r.x);
}

/* ---- made worlds ---- */

struct made_line {
	uint64_t us; /* on the clock of the host */
	uint64_t order; /* when it is read */
	uint32_t host;
	bool lost; /* records are lost here */
	char text[160];
};

/* Requests of two clients, which have the same numbers, to two servers that can stand in for each other. */
struct world {
	uint64_t seed, number[2];
	uint64_t ahead[HOSTS]; /* the clock of a host, us */
	uint64_t later[HOSTS]; /* when its lines are read */
	uint64_t begins[HOSTS]; /* its recording, true us */
	uint64_t lost[HOSTS][2]; /* from when until when its lines are lost */
	struct made_line lines[4096];
	size_t n;
	size_t pairs, wrong;
};

static uint64_t any(struct world *world, uint64_t below)
{
	world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
	return (world->seed >> 33) % below;
}

static void put(struct world *world, uint32_t host, uint64_t us, const char *kind, uint32_t client,
		uint64_t number)
{
	struct made_line *line = &world->lines[world->n];

	if (us < world->begins[host] || (us >= world->lost[host][0] && us < world->lost[host][1]))
		return;
	assert_true(++world->n < ARRAY_SIZE(world->lines));
	*line = (struct made_line){ .us = us + world->ahead[host], .order = us, .host = host };
	line->order += world->later[host];
	snprintf(line->text, sizeof(line->text),
		 host < 2 ? "%s RPC pname:cluuid:pid:xid:nid:opc dd:c%u:7:%" PRIu64 ":n@tcp:3" :
			    "%s RPC pname:cluuid+ref:pid:xid:nid:opc s:c%u+5:7:x%" PRIu64
			    ":12345-n@tcp:3",
		 kind, client, number);
}

/* A request, at a time; it can be lost, or its answer. Then the client connects and sends it again. */
static void make_request(struct world *world, uint64_t us)
{
	const uint32_t client = (uint32_t)any(world, 2);
	const uint64_t number = ++world->number[client];
	uint32_t server = 2 + (uint32_t)any(world, 2);
	bool answered = false;

	for (int i = 0; !answered && i < 3; i++) {
		const uint64_t there = us + any(world, 50), ends = there + 10 + any(world, 900);

		answered = any(world, 4);
		put(world, client, us, "Sending", client, number);
		if (answered || any(world, 2)) {
			put(world, server, there, "Handling", client, number);
			put(world, server, ends, "Handled", client, number);
		}
		if (answered)
			put(world, client, there + any(world, ends - there + 50), "Completed",
			    client, number);
		us += 5000 + any(world, 5000);
		if (!answered)
			put(world, client, us - 1, "Sending", client, ++world->number[client]);
		if (!any(world, 3))
			server = 5 - server;
	}
}

/* Hostile lines: parts of true ones, numbers that are too large, characters that were changed. */
static void spoil(struct world *world)
{
	struct made_line *from = &world->lines[any(world, world->n)];
	struct made_line *line = &world->lines[world->n];

	assert_true(++world->n < ARRAY_SIZE(world->lines));
	*line = *from;
	if (any(world, 2))
		line->text[any(world, strlen(line->text) + 1)] = '\0';
	else
		line->text[any(world, strlen(line->text) + 1)] = (char)any(world, 256);
}

static int compare_lines(const void *one, const void *other)
{
	const struct made_line *a = one, *b = other;

	return a->order < b->order ? -1 : a->order > b->order;
}

static int check_pair(void *data, const struct dkt__causal_pair *pair)
{
	struct world *world = data;

	assert_int_not_equal(pair->cause, pair->effect);
	world->pairs++;
	world->wrong += pair->cause_time - world->ahead[pair->cause] * 1000 >
			pair->effect_time - world->ahead[pair->effect] * 1000;
	return 0;
}

static void read_world(struct world *world, struct dkt_ctx *ctx)
{
	struct room r = { .n = 0 };
	struct dkt_ctx *ctxs[HOSTS] = { ctx, ctx, ctx, ctx };

	assert_int_equal(exchange_new(ctxs, HOSTS, check_pair, world, &r.x), 0);
	qsort(world->lines, world->n, sizeof(world->lines[0]), compare_lines);
	for (size_t i = 0; i < world->n; i++) {
		if (world->lines[i].lost)
			lose(&r);
		else
			say(&r, world->lines[i].host, world->lines[i].us, world->lines[i].text);
	}
	assert_int_equal(exchange_finish(r.x), 0);
	exchange_free(r.x);
}

static void no_pair_of_a_made_world_is_wrong(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	size_t pairs = 0;

	assert_non_null(world);
	for (uint64_t seed = 0; seed < 200; seed++) {
		*world = (struct world){ .seed = seed, .number = { 1000, 1000 } };
		for (uint32_t i = 0; i < HOSTS; i++) {
			world->ahead[i] = any(world, 1000000);
			world->begins[i] = any(world, 20000);
			/* The files are read in about the order of time. */
			world->later[i] = any(world, 2000);
			world->lost[i][0] = any(world, 60000);
			world->lost[i][1] = world->lost[i][0] + any(world, 3000);
			world->lines[world->n++] =
				(struct made_line){ .order = world->lost[i][1] + world->later[i],
						    .lost = true };
		}
		for (int i = 0; i < 200; i++)
			make_request(world, (uint64_t)i * 300 + any(world, 300));
		read_world(world, *state);
		assert_int_equal(world->wrong, 0);
		pairs += world->pairs;
	}
	assert_true(pairs > 10000);
	free(world);
}

static void hostile_lines_are_read(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	for (uint64_t seed = 0; seed < 50; seed++) {
		*world = (struct world){ .seed = seed, .number = { 1, UINT64_MAX - 300 } };
		for (int i = 0; i < 200; i++)
			make_request(world, (uint64_t)i * 300);
		for (int i = 0; i < 500; i++)
			spoil(world);
		read_world(world, *state);
	}
	free(world);
}

/* Many requests of which only one side is known must not use up memory. */
static void requests_without_end_are_forgotten(void **state)
{
	char text[160];
	struct room r;

	open_room(&r, *state);
	for (uint32_t i = 1; i < 200000; i++) {
		snprintf(text, sizeof(text), "Sending " LUSTRE_CLIENT "%u:10.0.0.9@tcp:3:dd.0", i);
		say(&r, 0, i, text);
	}
	say(&r, 1, 200000, "Handling " LUSTRE_SERVER "199999:12345-10.0.0.1@tcp:3:dd.0");
	say(&r, 1, 200001, "Handling " LUSTRE_SERVER "2:12345-10.0.0.1@tcp:3:dd.0");
	assert_int_equal(exchange_finish(r.x), 0);
	assert_int_equal(r.n, 1);
	holds(&r, 0, 0, 199999, 1, 200000);
	exchange_free(r.x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_sent_before_the_work_and_ends_after_it_has_begun),
		cmocka_unit_test(other_clients_with_the_number_are_others),
		cmocka_unit_test(what_was_sent_or_done_twice_says_nothing),
		cmocka_unit_test(a_sending_that_may_not_be_the_first_says_nothing),
		cmocka_unit_test(
			a_callback_is_sent_before_its_client_works_though_the_uuids_differ),
		cmocka_unit_test(a_way_has_the_steps_of_both_hosts_in_order),
		cmocka_unit_test(no_pair_of_a_made_world_is_wrong),
		cmocka_unit_test(hostile_lines_are_read),
		cmocka_unit_test(requests_without_end_are_forgotten),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
