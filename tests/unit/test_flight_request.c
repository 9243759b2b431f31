/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to a flight recorder, whole and not. */
#include <sys/socket.h>
#include <sys/un.h>

#include "recording/flight/socket.h"
#include "tests/helper/check.h"

/* Connects to a listener of our own, says the bytes and ends. Returns what flight_accept() makes of it. */
static int request_of(const char *bytes, struct flight_request *request)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), err;

	/* The kernel chooses the name. */
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
	close(fd);
	err = flight_accept(listener, request);
	if (!err)
		close(request->fd);
	else
		assert_int_equal(flight_accept(listener, request), -EAGAIN);
	close(listener);
	return err;
}

static void test_requests(void **state)
{
	static const char *const bad[] = { "",          "\n", "d", "d\n", "d\t\n", "x\ta reason\n",
					   "a reason\n" };
	struct flight_request request;

	(void)state;
	assert_int_equal(request_of("d\tit hangs\nmore", &request), 0);
	assert_int_equal(request.kind, FLIGHT_DUMP);
	assert_string_equal(request.reason, "it hangs");
	assert_int_equal(request_of("f\toss3: it hangs\n", &request), 0);
	assert_int_equal(request.kind, FLIGHT_FREEZE);
	assert_null(request.elsewhere.id);
	assert_int_equal(request_of("f\toss3: it hangs\t0123456789abcdef\n", &request), 0);
	assert_string_equal(request.reason, "oss3: it hangs");
	assert_string_equal(request.elsewhere.id, "0123456789abcdef");
	assert_null(request.elsewhere.heard);
	assert_int_equal(request_of("f\toss3: it hangs\t0123456789abcdef\t" IDENTITY_NONE "\n",
				    &request),
			 0);
	assert_string_equal(request.reason, "oss3: it hangs");
	assert_string_equal(request.elsewhere.id, "0123456789abcdef");
	assert_string_equal(request.elsewhere.heard, IDENTITY_NONE);
	assert_int_equal(request_of("f\toss3: it hangs\t0123456789abcdeF\n", &request), 0);
	assert_string_equal(request.reason, "oss3: it hangs\t0123456789abcdeF");
	assert_null(request.elsewhere.id);
	assert_int_equal(request_of("w\tall\n", &request), 0);
	assert_int_equal(request.kind, FLIGHT_FOLLOW);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(request_of(bad[i], &request), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_requests) };

	return cmocka_run_group_tests_name("requests to a flight recorder", tests, NULL, NULL);
}
