/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clocks narrowed by causality: the stated error holds the true offset, and becomes no larger. */
#include <math.h>

#include "fleet/clock/causal.h"
#include "tests/helper/check.h"

#define HOSTS 3

/* The clock of a host: this host's time is its time plus an offset that drifts. */
struct side {
	double offset, drift;
	double wander; /* of the drift, that of a sine */
};

struct world {
	struct side sides[HOSTS];
	uint64_t seed;
	struct causal_host hosts[HOSTS];
	struct dkt_clock_point *before[HOSTS];
	size_t n_before[HOSTS];
};

static double random_part(struct world *world)
{
	world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(world->seed >> 33) / 2147483648.0;
}

/* The time of the host at a time of this host. */
static double far_time(const struct side *side, double near)
{
	return near - side->offset - side->drift * near -
	       side->wander * 20e9 * sin((near - 5e12) / 20e9);
}

static double near_time(const struct side *side, double far)
{
	double near = far + side->offset;

	for (int i = 0; i < 20; i++)
		near += far - far_time(side, near);
	return near;
}

/* Measures the hosts by trips, whose least delays differ, and relates all to the first. */
static void measure(struct world *world, int seconds)
{
	struct dkt_clock_point *lines[HOSTS];
	size_t n[HOSTS];

	for (int i = 0; i < HOSTS; i++) {
		const double scale = pow(10, 4 + 3 * random_part(world));
		struct clock clock = { 0 };

		for (int j = 0; j < seconds; j++) {
			const double sent = 5e12 + j * 1e9 + i * 1e6;
			const double there = sent + scale * (0.2 + pow(random_part(world), 4));
			const double back = there + scale * (0.2 + pow(random_part(world), 4));
			const uint64_t far = (uint64_t)llround(far_time(&world->sides[i], there));
			const struct clock_trip trip = { .sent = (uint64_t)llround(sent),
							 .received = (uint64_t)llround(back),
							 .far_received = far,
							 .far_sent = far };

			assert_int_equal(clock_add(&clock, &trip), 0);
		}
		assert_int_equal(clock_fit(&clock, &lines[i], &n[i]), 0);
		clock_free(&clock);
	}
	world->hosts[0].exact = true;
	for (int i = 1; i < HOSTS; i++) {
		struct dkt_clock_point *points;
		size_t n_points;

		assert_int_equal(clock_between(lines[i], n[i], lines[0], n[0], &points, &n_points),
				 0);
		n_points -= 2;
		memmove(points, points + 1, n_points * sizeof(*points));
		world->hosts[i] = (struct causal_host){ .points = points, .n = n_points };
		world->before[i] = calloc(n_points, sizeof(*points));
		memcpy(world->before[i], points, n_points * sizeof(*points));
		world->n_before[i] = n_points;
	}
	for (int i = 0; i < HOSTS; i++)
		free(lines[i]);
}

/* A message from one host to another at a time. */
static struct dkt__causal_pair message(struct world *world, double near, double delay)
{
	const uint32_t from = (uint32_t)(random_part(world) * HOSTS);
	const uint32_t to = (from + 1 + (uint32_t)(random_part(world) * (HOSTS - 1))) % HOSTS;

	return (struct dkt__causal_pair){
		.cause = from,
		.effect = to,
		.cause_time = (uint64_t)floor(far_time(&world->sides[from], near)),
		.effect_time = (uint64_t)ceil(far_time(&world->sides[to], near + delay)),
	};
}

/* Returns the mean of the errors, in parts of those before. */
static double check(struct world *world, int seconds)
{
	double sum = 0;
	int n = 0;

	for (int i = 1; i < HOSTS; i++) {
		const struct causal_host *host = &world->hosts[i];

		for (int j = 0; j < 200; j++) {
			const double near = 5e12 + 2e6 + random_part(world) * (seconds - 1) * 1e9;
			const double far = floor(far_time(&world->sides[i], near));
			const double true_offset =
				far_time(&world->sides[0], near_time(&world->sides[i], far)) - far;
			struct dkt_clock_point at, before;

			assert_true(dkt__clock_at(host->points, host->n, (uint64_t)far, &at));
			dkt__clock_at(world->before[i], world->n_before[i], (uint64_t)far, &before);
			if (fabs((double)at.offset - true_offset) > (double)at.error + 3)
				fail_msg("off by %.0f ns, stated %llu",
					 fabs((double)at.offset - true_offset),
					 (unsigned long long)at.error);
			/* Each round may round up. */
			if (at.error > before.error + 16)
				fail_msg("%llu became %llu", (unsigned long long)before.error,
					 (unsigned long long)at.error);
			sum += (double)at.error / ((double)before.error + 1);
			n++;
		}
		free(host->points);
		free(world->before[i]);
	}
	return sum / n;
}

static struct world make_world(uint64_t seed)
{
	struct world world = { .seed = seed };

	for (int i = 0; i < HOSTS; i++)
		world.sides[i] = (struct side){ .offset = (random_part(&world) - 0.5) * 4e12,
						.drift = (random_part(&world) - 0.5) * 1e-4,
						.wander = random_part(&world) * 4e-5 };
	return world;
}

static void test_messages(void **state)
{
	double least = 1;

	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct world world = make_world(seed);
		const int seconds = 3 + (int)(seed % 8);
		const size_t n = seed % 60;
		struct dkt__causal_pair *pairs = calloc(n + 1, sizeof(*pairs));
		uint64_t contradictory;

		measure(&world, seconds);
		for (size_t i = 0; i < n; i++)
			pairs[i] = message(&world, 5e12 + random_part(&world) * seconds * 1e9,
					   2e4 * random_part(&world) + (i % 5 ? 0 : 1e8));
		assert_int_equal(causal_narrow(world.hosts, HOSTS, pairs, n, &contradictory), 0);
		assert_int_equal(contradictory, 0);
		least = fmin(least, check(&world, seconds));
		free(pairs);
	}
	/* Quick messages say far more than slow trips. */
	assert_true(least < 0.1);
}

/* Pairs that say the impossible are left out, whatever else they say. */
static void test_contradictory(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct world world = make_world(seed);
		struct dkt__causal_pair pairs[20];
		uint64_t contradictory;

		measure(&world, 4);
		for (size_t i = 0; i < 20; i++) {
			pairs[i] = message(&world, 5e12 + random_part(&world) * 4e9, 1e5);
			/* The answer of a minute before. */
			if (i % 4 == 0)
				pairs[i].effect_time -= 60000000000;
		}
		assert_int_equal(causal_narrow(world.hosts, HOSTS, pairs, 20, &contradictory), 0);
		assert_uint_in_range(contradictory, 5, 10);
		check(&world, 4);
	}
}

/* Times and errors of any size. */
static void test_hostile(void **state)
{
	struct world world = { .seed = 3 };

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct causal_host hosts[HOSTS] = { { .exact = round % 2 } };
		struct dkt__causal_pair pairs[8];
		uint64_t contradictory;

		for (int i = 1; i < HOSTS; i++) {
			hosts[i].n = 3;
			hosts[i].points = calloc(3, sizeof(struct dkt_clock_point));
			for (uint64_t j = 0; j < 3; j++)
				hosts[i].points[j] = (struct dkt_clock_point){
					.time = (j + 1) * (CLOCK_TIME_MAX / 4),
					.offset = (int64_t)((random_part(&world) - 0.5) *
							    pow(2, 64 * random_part(&world)) * 0.9),
					.error = (uint64_t)pow(2, 63.9 * random_part(&world)),
					.begins = random_part(&world) < 0.3,
				};
		}
		for (int i = 0; i < 8; i++)
			pairs[i] = (struct dkt__causal_pair){
				.cause = (uint32_t)(random_part(&world) * HOSTS),
				.effect = (uint32_t)(random_part(&world) * HOSTS),
				.cause_time = (uint64_t)pow(2, 63.9 * random_part(&world)),
				.effect_time = (uint64_t)pow(2, 63.9 * random_part(&world)),
			};
		assert_int_equal(causal_narrow(hosts, HOSTS, pairs, 8, &contradictory), 0);
		for (int i = 0; i < HOSTS; i++)
			free(hosts[i].points);
	}
}

/* The tightest of many pairs are kept, over the whole time. */
static void test_kept(void **state)
{
	struct causal_kept *kept = causal_kept_new(64);
	const struct dkt__causal_pair *list;
	uint64_t first = UINT64_MAX, last = 0;
	size_t n, tight = 0;

	(void)state;
	assert_non_null(kept);
	for (uint64_t i = 0; i < 100000; i++) {
		const struct dkt__causal_pair pair = { .cause = i % 2,
						       .effect = 1 - i % 2,
						       .cause_time = i * 100000,
						       .effect_time = i };

		assert_int_equal(causal_kept_add(kept, &pair, i % 5000 > 1 ? 1000 : -5), 0);
	}
	list = causal_kept_pairs(kept, &n);
	assert_uint_in_range(n, 16, 64);
	for (size_t i = 0; i < n; i++) {
		first = DKT__MIN(first, list[i].cause_time);
		last = DKT__MAX(last, list[i].cause_time);
		tight += list[i].cause_time / 100000 % 5000 < 2;
	}
	assert_true(first < 1000000000 && last > 9000000000);
	assert_uint_in_range(tight, n / 2, n);
	causal_kept_free(kept);
	/* More pairs of hosts than places. */
	kept = causal_kept_new(4);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(causal_kept_add(kept, &(struct dkt__causal_pair){ .cause = i }, 0),
				 0);
	causal_kept_pairs(kept, &n);
	assert_int_equal(n, 4);
	causal_kept_free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_contradictory),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
