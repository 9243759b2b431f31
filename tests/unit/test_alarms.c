/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incidents of a fleet: who is told to freeze, which dumps belong together, and lines that are none. */
#include <fcntl.h>
#include <unistd.h>

#include "fleet/collect/alarms.h"
#include "lib/base/when.h"
#include "tests/helper/check.h"

#define N_HOSTS 100

struct test {
	struct fleet fleet;
	struct fleet_host hosts[N_HOSTS];
	char names[N_HOSTS][8];
	int pipes[N_HOSTS]; /* where the words to a host arrive */
	struct alarms alarms;
	/* The last alarm, and the last message. */
	size_t made, n_files, asked;
	char reason[64], file[64], told[128];
};

static void made(void *data, const struct alarm *alarm)
{
	struct test *t = data;

	t->made++;
	t->n_files = alarm->n_files;
	t->asked = alarm->asked;
	snprintf(t->reason, sizeof(t->reason), "%s: %s", alarm->host, alarm->reason);
	snprintf(t->file, sizeof(t->file), "%s", alarm->files[0] ?: "none");
}

static void tell(void *data, const char *host, const char *message)
{
	struct test *t = data;

	snprintf(t->told, sizeof(t->told), "%s: %s", host, message);
}

static int set_up(void **state)
{
	struct test *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->fleet = (struct fleet){ .hosts = t->hosts, .n = N_HOSTS };
	for (size_t i = 0; i < N_HOSTS; i++) {
		int ends[2];

		assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
		t->pipes[i] = ends[0];
		snprintf(t->names[i], sizeof(t->names[i]), "oss%zu", i);
		t->hosts[i] = (struct fleet_host){ .name = t->names[i],
						   .opts = &t->fleet.opts,
						   .state = FLEET_RUNNING,
						   .begun = true,
						   .in = -1,
						   .out = ends[1],
						   .err = -1 };
	}
	t->alarms = (struct alarms){ .fleet = &t->fleet,
				     .most = 2,
				     .wait = 60 * (uint64_t)DKT__NSEC_PER_SEC,
				     .made = made,
				     .tell = tell,
				     .data = t };
	assert_int_equal(alarms_init(&t->alarms), 0);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct test *t = *state;

	alarms_clear(&t->alarms);
	for (size_t i = 0; i < N_HOSTS; i++) {
		host_clear(&t->hosts[i]);
		close(t->pipes[i]);
	}
	free(t);
	return 0;
}

static int say(struct test *t, size_t host, const char *text)
{
	return alarms_take(&t->alarms, &t->hosts[host], (const uint8_t *)text, strlen(text));
}

/* Returns what has been said to a host since, without the head of the frame. */
static const char *heard(struct test *t, size_t host)
{
	static char words[256];
	ssize_t n = read(t->pipes[host], words, sizeof(words) - 1);

	words[DKT__MAX(n, 0)] = '\0';
	if (n <= FRAME_HEAD)
		return "";
	assert_int_equal(words[4], FRAME_IN);
	return words + FRAME_HEAD;
}

static void test_all_are_told(void **state)
{
	struct test *t = *state;
	/* A time before the incident: the machine may stand still for longer than the wait. */
	const uint64_t before = dkt__monotonic_ns();

	t->hosts[7].state = FLEET_FAILED;
	t->hosts[8].state = FLEET_BROKEN;
	t->hosts[9].begun = false;
	assert_int_equal(say(t, 3, "recorder\t/var/log\nincident\tfsync to"), 0);
	assert_string_equal(heard(t, 4), "");
	/* All know it before the call returns. */
	assert_int_equal(say(t, 3, "ok 2 s\n"), 0);
	for (size_t i = 0; i < N_HOSTS; i++)
		assert_string_equal(heard(t, i),
				    i == 3 || (i >= 7 && i <= 9) ? "" : "oss3: fsync took 2 s\n");
	assert_int_equal(t->hosts[8].input.len, strlen("oss3: fsync took 2 s\n"));
	t->hosts[8].state = FLEET_FAILED;
	/* Another host's incident meanwhile is the same one. */
	assert_int_equal(say(t, 5, "incident\tslow, too\n"), 0);
	assert_string_equal(heard(t, 4), "");
	for (size_t i = 0; i < N_HOSTS - 1; i++)
		assert_int_equal(say(t, i, "dump\t/var/log/flight-1-000001.dat\tall\n"), 0);
	alarms_tick(&t->alarms, before);
	assert_int_equal(t->made, 0);
	assert_int_equal(say(t, N_HOSTS - 1, "failed\tno room\n"), 0);
	assert_string_equal(t->told, "oss99: no room");
	alarms_tick(&t->alarms, before);
	assert_int_equal(t->made, 1);
	assert_int_equal(t->n_files, N_HOSTS - 1);
	assert_int_equal(t->asked, N_HOSTS - 3);
	assert_string_equal(t->reason, "oss3: fsync took 2 s");
	assert_string_equal(t->file, "flight-1-000001.dat");
}

#define ID(digit) "000000000000000" digit

/* Many hosts have the condition at once: each makes a dump for itself, and another one because it was told. */
static void test_a_storm_leaves_no_dump_to_the_next_incident(void **state)
{
	static const char *const ids[] = { ID("1"), ID("2"), ID("3"), ID("4") };
	struct test *t = *state;

	t->fleet.n = 3;
	dkt__hourly_clear(&t->alarms.hourly);
	assert_int_equal(dkt__hourly_init(&t->alarms.hourly, 10), 0);
	assert_int_equal(say(t, 2, "recorder\t/var/log\t" IDENTITY_NONE "\n"), 0);
	assert_int_equal(say(t, 1, "incident\tone\t" ID("a") "\n"), 0);
	assert_string_equal(heard(t, 0), "oss1: one\t" ID("a") "\n");
	/* The last incident of theirs that we have heard of. */
	assert_string_equal(heard(t, 2), "oss1: one\t" ID("a") "\t" IDENTITY_NONE "\n");
	assert_int_equal(say(t, 0, "incident\tone, too\t" ID("b") "\n"), 0);
	assert_int_equal(t->alarms.now.merged, 1);
	/* Its own comes first, and has what the next one lacks. */
	assert_int_equal(say(t, 0, "dump\tflight-1-000001.dat\tone, too\t" ID("b") "\n"), 0);
	assert_int_equal(say(t, 1, "dump\tflight-1-000001.dat\tone\t" ID("a") "\n"), 0);
	assert_int_equal(say(t, 2, "dump\tflight-1-000009.dat\tsomebody asked\t\n"), 0);
	assert_int_equal(
		say(t, 2, "dump\tflight-1-000010.dat\toss1: one\t" ID("a") " " ID("c") "\n"), 0);
	alarms_tick(&t->alarms, dkt__monotonic_ns());
	assert_int_equal(t->made, 1);
	assert_int_equal(t->n_files, 3);
	assert_string_equal(t->file, "flight-1-000001.dat");
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		char line[128];

		snprintf(line, sizeof(line), "incident\tanother\t%s\n", ids[i]);
		assert_int_equal(say(t, 1, line), 0);
		snprintf(line, sizeof(line), "oss1: another\t%s\t" ID("b") "\n", ids[i]);
		assert_string_equal(heard(t, 0), line);
		/* The second dump for the first incident. */
		assert_int_equal(say(t, 0, "dump\tflight-1-000002.dat\toss1: one\t" ID("a") "\n"),
				 0);
		assert_int_equal(say(t, 2, "failed\tno room\toss1: one\t" ID("a") "\n"), 0);
		for (size_t host = 0; host < 3; host++) {
			alarms_tick(&t->alarms, dkt__monotonic_ns());
			assert_int_equal(t->made, i + 1);
			snprintf(line, sizeof(line), "dump\tflight-1-00001%zu.dat\tanother\t%s\n",
				 i, ids[i]);
			assert_int_equal(say(t, host, line), 0);
		}
		alarms_tick(&t->alarms, dkt__monotonic_ns());
		assert_int_equal(t->made, i + 2);
		assert_int_equal(t->n_files, 3);
		snprintf(line, sizeof(line), "flight-1-00001%zu.dat", i);
		assert_string_equal(t->file, line);
	}
	t->fleet.n = N_HOSTS;
}

static void test_limits(void **state)
{
	struct test *t = *state;

	for (size_t i = 0; i < 2; i++) {
		const uint64_t before = dkt__monotonic_ns();

		assert_int_equal(say(t, i, "incident\tone\n"), 0);
		assert_true(heard(t, 9)[0]);
		alarms_tick(&t->alarms, before + t->alarms.wait / 2);
		assert_int_equal(t->made, i);
		/* A host that does not answer holds nothing up for ever. */
		alarms_tick(&t->alarms, dkt__monotonic_ns() + 2 * t->alarms.wait);
		assert_int_equal(t->made, i + 1);
		assert_int_equal(t->n_files, 0);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(say(t, 4, "incident\tanother\n"), 0);
	assert_string_equal(heard(t, 9), "");
	assert_int_equal(t->alarms.suppressed, 3);
	assert_string_equal(t->told, "oss4: an incident does not freeze the others: the hour has"
				     " had its dumps");
	/* A dump outside of an incident belongs to none. */
	assert_int_equal(say(t, 4, "dump\tflight-2-000002.dat\ta user\n"), 0);
	/* The hour is over. */
	for (size_t i = 0; i < t->alarms.hourly.n; i++)
		t->alarms.hourly.times[i] -= 3600 * (uint64_t)DKT__NSEC_PER_SEC;
	assert_int_equal(say(t, 4, "incident\tnew\n"), 0);
	assert_string_equal(heard(t, 9), "oss4: new\n");
}

static void test_hostile(void **state)
{
	static const char *const lines[] = {
		"no tab\n",
		"dump\t/etc/passwd\tx\n",
		"dump\tflight-../../etc\tx\n",
		"dump\tflight-1.dat;reboot\tx\n",
		"dump\t\n",
	};
	struct test *t = *state;
	char much[8192];
	int err = 0;

	assert_int_equal(say(t, 0, "incident\tone\n"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(say(t, i, lines[i]), -EPROTO);
	assert_int_equal(say(t, 6, "a word of tomorrow\twith text\n"), 0);
	memset(much, 'x', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	for (int i = 0; !err && i < 10; i++)
		err = say(t, 9, much);
	assert_int_equal(err, -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_are_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_storm_leaves_no_dump_to_the_next_incident,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_hostile, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("incidents of a fleet", tests, NULL, NULL);
}
