/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The style ctf: babeltrace2 reads back the same, whatever is in the records. */
#include "tests/helper/style_room.h"

/* ---- what babeltrace2 reads back ---- */

struct read_back {
	unsigned int events;
	unsigned int discarded;
	bool failed;
	char *first; /* line */
};

static struct read_back read_back(const char *dir)
{
	struct read_back back = { 0 };
	char *command __cleanup(free) = NULL;
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	assert_true(asprintf(&command, "babeltrace2 --clock-cycles --no-delta %s/trace 2>&1", dir) >
		    0);
	f = popen(command, "r");
	assert_non_null(f);
	while (getline(&line, &size, f) > 0) {
		const char *lost = strstr(line, "discarded ");

		if (lost)
			back.discarded += (unsigned int)strtoul(lost + 10, NULL, 10);
		else if (line[0] == '[')
			back.events++;
		if (line[0] == '[' && !back.first)
			back.first = strdup(line);
	}
	free(line);
	back.failed = pclose(f);
	return back;
}

static void ctf_open_in(struct room *room, char dir[32])
{
	char *path __cleanup(free) = NULL;

	if (system("command -v babeltrace2 >/dev/null")) {
		puts("skip: there is no babeltrace2");
		skip();
	}
	strcpy(dir, "/tmp/dkt-ctf-XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_true(asprintf(&path, "%s/trace", dir) > 0);
	room_open_in(room, "ctf", NULL, 0, path);
}

static struct read_back ctf_end(struct room *room, const char *dir)
{
	char *command __cleanup(free) = NULL;
	struct read_back back;

	assert_int_equal(dkt_style_end(room->style, room->buf), 0);
	room_close(room);
	back = read_back(dir);
	assert_true(asprintf(&command, "rm -r '%s'", dir) > 0);
	assert_int_equal(system(command), 0);
	return back;
}

static void values_read_back(void **state)
{
	struct read_back back;
	struct room room;
	char dir[32];

	(void)state;
	ctf_open_in(&room, dir);
	memcpy(room.body.name, "a\\x\xff", 5);
	styled(&room, "d\"d");
	back = ctf_end(&room, dir);
	assert_false(back.failed);
	assert_int_equal(back.events, 1);
	assert_string_equal(
		back.first,
		"[00000003682519727123] styled:sample: { cpu_id = 3 }, { pid = 4711, comm = \"d\\\"d\", "
		"flags = \"d.s2\" }, { i = -5, u = 4000000000, s64 = -9223372036854775808, "
		"u64 = 18446744073709551615, pointer = 0xFFFF888100A00000, ip = 0xFFFFFFFF81000010, "
		"name = \"a\\\\x5cx\\\\xff\", text = \"some tex\", late = \"later\", "
		"shorts = [ [0] = 1, [1] = 2, [2] = 65535 ], "
		"mac = [ [0] = 0x0, [1] = 0x1, [2] = 0x2, [3] = 0xAB, [4] = 0xCD, [5] = 0xEF ], "
		"_longs_length = 2, longs = [ [0] = 1, [1] = 9007199254740993 ], tiny = -1, yes = 1, "
		"odd = [ [0] = 0x1, [1] = 0x2, [2] = 0x3 ] }\n");
	free(back.first);
}

/* Losses before, between and after the records, on two CPUs of two hosts. */
static void losses_read_back(void **state)
{
	struct dkt_event *event;
	struct read_back back;
	struct room room;
	char dir[32];
	int i;

	(void)state;
	ctf_open_in(&room, dir);
	event = room.event;
	for (i = 0; i < 12; i++) {
		room.record.cpu = (uint32_t)i & 1;
		room.record.stream = i > 8;
		room.record.ts += 1000;
		room.record.event = i % 3 ? event : NULL;
		room.record.lost = i == 6 ? DKT_LOST_UNKNOWN : 10;
		styled(&room, "dd");
		if (i == 4)
			assert_int_equal(dkt__style_flush(room.style, room.buf), 0);
	}
	back = ctf_end(&room, dir);
	assert_false(back.failed);
	assert_int_equal(back.events, 8);
	assert_int_equal(back.discarded, 10 + 10 + 1 + 10);
	free(back.first);
}

/* Random records, a clock that jumps back, names of events and fields that are no identifiers. */
static void hostile_records_read_back(void **state)
{
	struct read_back back;
	struct dkt_event odd;
	uint32_t seed = 5;
	struct room room;
	char dir[32];
	int i;

	(void)state;
	ctf_open_in(&room, dir);
	odd = *room.event;
	odd.plan = NULL;
	odd.system = "a\"b";
	odd.name = "c\\d\n";
	for (i = 0; i < 3000; i++) {
		uint8_t bytes[sizeof(struct styled)];

		if (i == 1000)
			room.record.event = &odd;
		randomize(&room, bytes, &seed);
		room.record.ts = random_next(&seed);
		room.record.cpu = random_next(&seed) % 3;
		styled(&room, "\xff\"\n");
	}
	dkt__plan_free(odd.plan);
	back = ctf_end(&room, dir);
	assert_false(back.failed);
	assert_int_equal(back.events, 3000);
	free(back.first);
}

/* More records than fit in a packet. */
static void several_packets_read_back(void **state)
{
	struct read_back back;
	struct room room;
	char dir[32];
	int i;

	(void)state;
	ctf_open_in(&room, dir);
	for (i = 0; i < 5000; i++) {
		room.record.ts++;
		styled(&room, "dd");
	}
	back = ctf_end(&room, dir);
	assert_false(back.failed);
	assert_int_equal(back.events, 5000);
	assert_int_equal(back.discarded, 0);
	free(back.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_read_back),
		cmocka_unit_test(losses_read_back),
		cmocka_unit_test(hostile_records_read_back),
		cmocka_unit_test(several_packets_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
