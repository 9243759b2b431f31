/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The worker of a daemon: what it does after a failure, and with a segment that is removed under it. */
#include <limits.h>
#include <sys/inotify.h>
#include <time.h>

#include "lib/base/buf.h"
#include "recording/daemon/worker.h"
#include "tests/helper/check.h"

#define WHOLE "tests/fixture/tracedat/v7-zstd.dat"

struct place {
	char dir[32];
	struct archive_worker worker;
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	strcat(place->dir, "/tmp/dkt-worker-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	place->worker = (struct archive_worker)ARCHIVE_WORKER_INIT;
	place->worker.dir = place->dir;
	assert_int_equal(dkt_ctx_new(NULL, &place->worker.ctx), 0);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	char *command = dkt__format("rm -rf %s", place->dir);

	assert_int_equal(system(command), 0);
	free(command);
	dkt_ctx_free(place->worker.ctx);
	archive_worker_free(&place->worker);
	free(place);
	return 0;
}

/* Copies a file to the segment of that number, and returns its path. */
static char *put(const struct place *place, uint64_t number, const char *from)
{
	char name[SEGMENT_NAME];
	char *path, *command;

	segment_name(name, 1000, number);
	path = dkt__format("%s/%s", place->dir, name);
	command = dkt__format("cp %s %s", from, path);
	assert_int_equal(system(command), 0);
	free(command);
	return path;
}

static bool is_known(const struct place *place, uint64_t number)
{
	struct segments segments;
	bool known = false;

	assert_ok(place->worker.ctx, segments_read(place->worker.ctx, place->dir, &segments));
	for (size_t i = 0; i < segments.n; i++)
		known |= segments.list[i].number == number && segments.list[i].known;
	segments_free(&segments);
	return known;
}

static void a_failure_keeps_no_later_segment_from_the_index(void **state)
{
	struct place *place = *state;

	free(put(place, 1, "Makefile"));
	assert_ok(place->worker.ctx, archive_worker_look(&place->worker, 2, 0));
	assert_int_not_equal(place->worker.process.pid, 0);
	free(put(place, 2, WHOLE));
	assert_int_equal(archive_worker_end(&place->worker, 3), -EIO);
	assert_non_null(strstr(dkt_error(place->worker.ctx), "000001.dat"));
	assert_false(is_known(place, 1));
	assert_true(is_known(place, 2));
}

/* The file is removed as soon as the worker has opened it, so this is before or while it is completed. */
static void a_segment_that_is_removed_meanwhile_is_no_failure(void **state)
{
	struct place *place = *state;
	char *path = put(place, 1, WHOLE), event[sizeof(struct inotify_event) + NAME_MAX + 1];
	int watch = inotify_init1(IN_CLOEXEC);

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	assert_ok(place->worker.ctx, archive_worker_look(&place->worker, 2, 0));
	assert_true(read(watch, event, sizeof(event)) > 0);
	assert_int_equal(unlink(path), 0);
	assert_ok(place->worker.ctx, archive_worker_end(&place->worker, 2));
	close(watch);
	free(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_failure_keeps_no_later_segment_from_the_index,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_segment_that_is_removed_meanwhile_is_no_failure,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
