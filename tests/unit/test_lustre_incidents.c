/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What locks, memory and incidents of Lustre become when a host is started again. */
#include "lustre_lines.h"
#include "lustre_log/incidents.h"
#include "lustre_log/leaks.h"

#define LOCK(words, address, modes)                                                                \
	"### " words " ns: filter-x_UUID lock: 0000000000000001/" address                          \
	" lrc: 3/0,0 mode: " modes                                                                 \
	" res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT flags: 0x0 nid: 10.0.0.1@tcp remote: 0x99 expref: 1"

static void add(struct incidents *incidents, uint64_t us, const char *text)
{
	const struct log_line line = lustre_line(0, us, text);

	assert_ok(incidents->ctx, incidents_add(incidents, &line));
}

static void a_restart_ends_locks_and_is_an_incident(void **state)
{
	static const char start[] = "Lustre: Build Version: 2.15.3";
	const struct log_line line = lustre_line(0, 30, start);
	struct incidents it;

	assert_ok(*state, incidents_init(&it, *state));
	add(&it, 10, LOCK("server-side enqueue handler, new lock created", "0xa1", "--/PW"));
	add(&it, 11,
	    LOCK("server-side enqueue handler, sending reply(err=0, rc=0)", "0xa1", "PW/PW"));
	add(&it, 20, LOCK("server preparing blocking AST", "0xa1", "PW/PW"));
	add(&it, 25,
	    "x-OST0001: haven't heard from client u-1 (at 10.0.0.1@tcp) in 227 seconds."
	    " I think it's dead, and I am evicting it.");
	assert_true(line_is_start(&line));
	incidents_restart(&it, 0);
	add(&it, 30, start);
	/* The same handle, and the NID that was evicted, before the boot. */
	add(&it, 40, LOCK("server-side enqueue handler, new lock created", "0xa1", "--/PW"));
	add(&it, 50,
	    LOCK("lock callback timer expired after 100s: evicting client at 10.0.0.1@tcp ", "0xa1",
		 "PW/PW"));
	assert_int_equal(it.locks.cut, 1);
	assert_int_equal(it.n, 3);
	assert_string_equal(incident_name(it.list[1].step), "started");
	assert_int_equal(it.list[2].lock, 0xa1);
	assert_int_equal(it.list[2].called, 0);
	incidents_clear(&it);
}

static void memory_of_before_a_restart_is_not_leaked(void **state)
{
	static const char *const texts[] = { "kmalloced 'a': 100 at 00000000000000a1.",
					     "kmalloced 'a': 100 at 00000000000000a2.",
					     "kfreed 'a': 100 at 00000000000000a2." };
	struct leaks leaks;

	leaks_init(&leaks, *state);
	for (size_t i = 0; i < ARRAY_SIZE(texts) * 2; i++) {
		const struct log_line line = lustre_line(0, i, texts[i % ARRAY_SIZE(texts)]);

		assert_ok(*state, leaks_add(&leaks, &line));
		if (i == 1)
			leaks_restart(&leaks, 1);
		if (i == 2)
			leaks_restart(&leaks, 0);
	}
	assert_int_equal(leaks.cut, 1);
	assert_int_equal(leaks.bytes, 100);
	assert_int_equal(leaks.again, 0);
	assert_int_equal(leaks.unknown, 0);
	leaks_clear(&leaks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_restart_ends_locks_and_is_an_incident),
		cmocka_unit_test(memory_of_before_a_restart_is_not_leaked),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
