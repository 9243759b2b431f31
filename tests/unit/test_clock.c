/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The difference between two clocks: the stated error holds the true offset, whatever the network does. */
#include <math.h>

#include "fleet/clock/clock.h"
#include "tests/helper/check.h"

/* A pair of hosts: near = far + offset(far), with drift, and steps between. */
struct pair {
	double offset; /* at time 0 of the far host, ns */
	double drift;
	double step_at, step; /* from that time on; 0: none */
	double slew_at, slew; /* more drift from that time on; 0: none */
	uint64_t seed;
};

static uint64_t random_next(struct pair *pair)
{
	pair->seed = pair->seed * 6364136223846793005u + 1442695040888963407u;
	return pair->seed >> 33;
}

/* From 0 to 1. */
static double random_part(struct pair *pair)
{
	return (double)random_next(pair) / 2147483648.0;
}

static double true_offset(const struct pair *pair, double far)
{
	return pair->offset + pair->drift * far +
	       (pair->step_at > 0 && far >= pair->step_at ? pair->step : 0) +
	       (pair->slew_at > 0 && far >= pair->slew_at ? pair->slew * (far - pair->slew_at) : 0);
}

/* A round trip at a time of the far host, with delays of its own for each way. */
static struct clock_trip make_trip(struct pair *pair, double far, double scale)
{
	/* Most are quick, few are very slow. */
	const double there = scale * (0.1 + pow(random_part(pair), 8) * 100);
	const double back = scale * (0.1 + pow(random_part(pair), 8) * 100);
	const double hold = scale * random_part(pair);

	return (struct clock_trip){
		.sent = (uint64_t)llround(far - there + true_offset(pair, far - there)),
		.far_received = (uint64_t)llround(far),
		.far_sent = (uint64_t)llround(far + hold),
		.received =
			(uint64_t)llround(far + hold + back + true_offset(pair, far + hold + back)),
	};
}

/* Returns the mean error that is stated. */
static double check_pair(struct pair *pair, int seconds, double scale)
{
	struct clock clock = { 0 };
	struct dkt_clock_point *points, at;
	double sum = 0;
	size_t n;

	for (int i = 0; i < seconds; i++) {
		struct clock_trip trip = make_trip(pair, 1e12 + i * 1e9, scale);

		assert_int_equal(clock_add(&clock, &trip), 0);
	}
	assert_int_equal(clock_fit(&clock, &points, &n), 0);
	for (int i = 0; i < 100; i++) {
		const uint64_t far =
			(uint64_t)(1e12 + random_part(pair) * (double)(seconds - 1) * 1e9);
		double off;

		assert_true(dkt__clock_at(points, n, far, &at));
		off = fabs((double)at.offset - true_offset(pair, (double)far));
		if (off > (double)at.error + 2)
			fail_msg("off by %.0f ns, stated %llu", off, (unsigned long long)at.error);
		sum += (double)at.error / 100;
	}
	free(points);
	clock_free(&clock);
	return sum;
}

static void test_drift(void **state)
{
	double worst = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct pair pair = { .offset = 6e11, .seed = seed };

		pair.drift = (random_part(&pair) - 0.5) * 2e-4;
		worst = fmax(worst, check_pair(&pair, 30, 1e5));
	}
	/* A quick trip takes 20 us, and the drift is found: no line is off by as much as a slow trip. */
	assert_true(worst < 1e6);
}

/* Two far hosts: the errors hold for the offset between them, too. */
static void test_between(void **state)
{
	struct pair pairs[2] = { { .offset = 6e11, .drift = 4e-5, .seed = 3 },
				 { .offset = -2e11, .drift = -3e-5, .seed = 5 } };
	struct dkt_clock_point *lines[2], *points, at;
	size_t n[2], n_points;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct clock clock = { 0 };

		/* Both at the same times of this host. */
		for (int j = 0; j < 20; j++) {
			const double near = 5e12 + j * 1e9;
			const struct clock_trip trip = make_trip(
				&pairs[i], (near - pairs[i].offset) / (1 + pairs[i].drift), 1e5);

			assert_int_equal(clock_add(&clock, &trip), 0);
		}
		assert_int_equal(clock_fit(&clock, &lines[i], &n[i]), 0);
		clock_free(&clock);
	}
	assert_int_equal(clock_between(lines[0], n[0], lines[1], n[1], &points, &n_points), 0);
	for (size_t i = 1; i + 1 < n_points; i++) {
		const double from = (double)points[i].time;
		const double near = from + true_offset(&pairs[0], from);
		const double to = (near - pairs[1].offset) / (1 + pairs[1].drift);

		assert_true(fabs(from + (double)points[i].offset - to) <=
			    (double)points[i].error + 4);
		assert_true(points[i].error < 1000000);
	}
	/* Beyond the measurements it stays. */
	assert_int_equal(points[0].time, 0);
	assert_int_equal(points[0].offset, points[1].offset);
	assert_true(dkt__clock_at(lines[0], n[0], 1, &at));
	free(points);
	free(lines[0]);
	free(lines[1]);
}

/* A wall clock that was set, and was read at other moments than the clock that counts. */
static void test_walls(void **state)
{
	struct pair pair = { .offset = 6e11, .drift = 2e-5, .seed = 9 };
	struct clock clock = { 0 };
	struct dkt_clock_point *points, *walls, at;
	size_t n, n_walls;

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct clock_trip trip = make_trip(&pair, 1e12 + i * 1e9, 1e5);

		trip.far_wall = 1700000000000000000 + i % 3 * 1000 + (i > 9 ? 5000000000 : 0);
		assert_int_equal(clock_add(&clock, &trip), 0);
	}
	/* Set back to the first time: these times came twice. */
	clock.trips[19].far_wall -= 20000000000;
	assert_int_equal(clock_fit(&clock, &points, &n), 0);
	assert_int_equal(clock_walls(&clock, points, n, &walls, &n_walls), 0);
	assert_int_equal(n_walls, 19);
	for (int i = 0; i < 190; i++) {
		const double far = 1e12 + i * 1e8;
		const int64_t wall = 1700000000000000000 + (i > 95 ? 5000000000 : 0);

		assert_true(dkt__clock_at(walls, n_walls, (uint64_t)(far + (double)wall), &at));
		assert_true(fabs((double)(at.offset + wall) - true_offset(&pair, far)) <=
			    (double)at.error + 2300);
		assert_true((i >= 90 && i <= 100) || at.error < 2000000);
	}
	free(points);
	free(walls);
	clock_free(&clock);
}

/* In between two lines of either host, the error holds for both of them, from the first moment on. */
static void test_between_gaps(void **state)
{
	const struct dkt_clock_point from[] = { { 1000000, 50, 10, 0, true },
						{ 2000000, 50, 10, 0, false },
						{ 3000000, 90050, 20, 0, true } };
	const struct dkt_clock_point to[] = { { 500000, 0, 30, 0, true },
					      { 9000000, 0, 30, 0, false } };
	struct dkt_clock_point *points, at;
	size_t n;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(clock_between(i ? to : from, i ? 2 : 3, i ? from : to, i ? 3 : 2,
					       &points, &n),
				 0);
		for (uint64_t time = 2000001; time < 2999000; time += 99990) {
			assert_true(dkt__clock_at(points + 1, n - 2, time + (i ? 100 : 0), &at));
			assert_true(at.error >= 90000);
		}
		assert_true(dkt__clock_at(points + 1, n - 2, 1500000, &at));
		assert_uint_in_range(at.error, 39, 43);
		assert_uint_in_range(at.own_error, i ? 30 : 10, i ? 32 : 12);
		free(points);
	}
}

/* A host whose clock is ahead has times that the other one does not have: none becomes one below 0. */
static void test_between_ahead(void **state)
{
	const struct dkt_clock_point from[] = { { 900000, -700000, 10, 0, true },
						{ 1900000, -700000, 10, 0, false } };
	const struct dkt_clock_point to[] = { { 100000, 0, 30, 0, true },
					      { 1100000, 0, 30, 0, false } };
	struct dkt_clock_point *points;
	size_t n;

	(void)state;
	assert_int_equal(clock_between(from, 2, to, 2, &points, &n), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(points[i].offset, -700000);
		assert_true(points[i].time >= 700000);
		assert_true(!i || points[i].time >= points[i - 1].time);
	}
	free(points);
}

static void test_steps(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct pair pair = { .offset = 6e11, .seed = seed };

		pair.step_at = 1e12 + 10.5e9;
		pair.step = (random_part(&pair) - 0.5) * 1e9;
		check_pair(&pair, 20, 1e5);
	}
}

/* An NTP client changes the drift, by less than slow trips show. */
static void test_slew(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct pair pair = { .offset = 6e11, .seed = seed };

		pair.drift = (random_part(&pair) - 0.5) * 1e-4;
		pair.slew_at = 1e12 + random_part(&pair) * 30e9;
		pair.slew = (random_part(&pair) - 0.5) * 9e-5;
		check_pair(&pair, 30, seed % 2 ? 1e4 : 1e6);
	}
}

static void test_slow(void **state)
{
	struct pair pair = { .offset = 5e11, .drift = 5e-5, .seed = 7 };

	(void)state;
	/* Trips of up to ten seconds. */
	check_pair(&pair, 20, 1e7);
}

static void test_many(void **state)
{
	struct pair pair = { .offset = 5e11, .drift = -3e-5, .seed = 11 };

	(void)state;
	check_pair(&pair, 5000, 1e5);
}

static void test_one(void **state)
{
	struct clock clock = { 0 };
	struct clock_trip trip = {
		.sent = 1000000, .received = 1100000, .far_received = 50, .far_sent = 50
	};
	struct dkt_clock_point *points, at;
	size_t n;

	(void)state;
	assert_int_equal(clock_fit(&clock, &points, &n), -ENODATA);
	assert_int_equal(clock_add(&clock, &trip), 0);
	assert_int_equal(clock_fit(&clock, &points, &n), 0);
	assert_true(dkt__clock_at(points, n, 50, &at));
	assert_int_equal(at.offset, 1050000 - 50);
	assert_true(at.error >= 50000 && at.error < 50010);
	/* A second later, and a second earlier, it is 100 us worse. */
	assert_true(dkt__clock_at(points, n, 1000000050, &at));
	assert_true(at.error >= 150000 && at.error < 150010);
	free(points);
	/* An answer that took less time than the far host held it back. */
	trip.far_sent = 200000;
	assert_int_equal(clock_add(&clock, &trip), -EPROTO);
	/* Times that go backwards. */
	trip.far_received = trip.far_sent = 40;
	assert_int_equal(clock_add(&clock, &trip), -EPROTO);
	/* Wall clocks that would overflow with an offset. */
	trip.far_received = trip.far_sent = 60;
	trip.far_wall = INT64_MIN;
	assert_int_equal(clock_add(&clock, &trip), -EPROTO);
	trip.far_wall = INT64_MAX;
	assert_int_equal(clock_add(&clock, &trip), -EPROTO);
	trip.far_wall = 0;
	assert_int_equal(clock_add(&clock, &trip), 0);
	clock_free(&clock);
	assert_false(dkt__clock_at(NULL, 0, 50, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drift),         cmocka_unit_test(test_steps),
		cmocka_unit_test(test_slew),          cmocka_unit_test(test_slow),
		cmocka_unit_test(test_many),          cmocka_unit_test(test_between),
		cmocka_unit_test(test_one),           cmocka_unit_test(test_walls),
		cmocka_unit_test(test_between_ahead), cmocka_unit_test(test_between_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
