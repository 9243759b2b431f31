/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The styles ctf and ctf2: babeltrace2 reads back the same, whatever is in the records. The environment variable
 * BABELTRACE2 names another babeltrace2 than that in PATH.
 */
#include "tests/helper/style_room.h"

/* ---- what babeltrace2 reads back ---- */

struct read_back {
	unsigned int events;
	unsigned int discarded;
	bool failed;
	char *first; /* line */
};

static const char *reader(void)
{
	return getenv("BABELTRACE2") ?: "babeltrace2";
}

/* True if the program is there and, for CTF 2, new enough. */
static bool can_read(const char *style)
{
	char *command __cleanup(free) = NULL;
	char line[64] = "";
	int major = 0, minor = 0;
	FILE *f;

	assert_true(asprintf(&command, "%s --version 2>&1", reader()) > 0);
	f = popen(command, "r");
	assert_non_null(f);
	if (fgets(line, sizeof(line), f))
		sscanf(line, "Babeltrace %d.%d", &major, &minor);
	/* Not a reader that the shell ends by a signal, because more lines come. */
	while (getc(f) != EOF)
		;
	pclose(f);
	return major > 2 || (major == 2 && minor >= (strcmp(style, "ctf2") ? 0 : 1));
}

static struct read_back read_back(const char *dir)
{
	struct read_back back = { 0 };
	char *command __cleanup(free) = NULL;
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	assert_true(asprintf(&command, "%s --clock-cycles --no-delta %s/trace 2>&1", reader(),
			     dir) > 0);
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

static void ctf_open_in(struct room *room, const char *style, char dir[32])
{
	char *path __cleanup(free) = NULL;

	if (!can_read(style)) {
		printf("skip: there is no babeltrace2 that reads %s\n", style);
		skip();
	}
	strcpy(dir, "/tmp/dkt-ctf-XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_true(asprintf(&path, "%s/trace", dir) > 0);
	room_open_in(room, style, NULL, 0, path);
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

	ctf_open_in(&room, *state, dir);
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

	ctf_open_in(&room, *state, dir);
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

	ctf_open_in(&room, *state, dir);
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

	ctf_open_in(&room, *state, dir);
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

/* The test, once for each style. */
#define BOTH(test)                                                                                 \
	cmocka_unit_test_prestate(test, (char[]){ "ctf" }),                                        \
		cmocka_unit_test_prestate(test, (char[]){ "ctf2" })

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(values_read_back),
		BOTH(losses_read_back),
		BOTH(hostile_records_read_back),
		BOTH(several_packets_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
