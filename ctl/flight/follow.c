/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flight follow: prints incidents and dumps as they come, and freezes the buffers for incidents elsewhere. */
#include <poll.h>

#include "compat/io/say.h"
#include "ctl/flight/actions.h"
#include "fleet/remote/words.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "recording/flight/socket.h"

/* A signal between the look at its flag and the wait is seen after so many ms. */
#define LOOK_MS 500

/* Returns false at the end. */
static bool print_some(int fd)
{
	char bytes[4096];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR;
	dkl_say_text(stdout, bytes, (size_t)n);
	return n && !fflush(stdout);
}

static int freeze(void *data, char *reason)
{
	struct app *app = data;
	struct flight_elsewhere elsewhere;

	flight_elsewhere_read(reason, &elsewhere);
	if (*reason && flight_freeze(app->ctx, app->instance, reason, &elsewhere))
		app_say("%s", dkt_error(app->ctx));
	return 0;
}

/* Each line of standard input is an incident elsewhere: flight_elsewhere_read(). Returns false at the end. */
static bool freeze_some(struct app *app, struct dkt_buf *lines)
{
	char bytes[4096];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (n <= 0)
		return n < 0 && errno == EINTR;
	if (words_lines(lines, bytes, (size_t)n, freeze, app))
		return false;
	/* Only the beginning is kept of a line without end. */
	lines->len = DKT__MIN(lines->len, sizeof(bytes));
	return true;
}

int flight_action_follow(struct app *app)
{
	struct dkt_buf lines = { 0 };
	int fd __cleanup(close) = flight_follow(app->ctx, app->instance);
	/* Without events to wait for, poll() still reports an output that has no reader any more. */
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = OPT(app, flight)->freeze ? STDIN_FILENO : -1,
				  .events = POLLIN },
				{ .fd = STDOUT_FILENO } };
	bool ended = false, unread = false;

	if (fd < 0)
		return app_fail(app);
	dkt__stop_on_end();
	while (!ended && !unread && !dkt__stopped()) {
		if (poll(fds, ARRAY_SIZE(fds), LOOK_MS) <= 0)
			continue;
		if (fds[0].revents)
			ended = !print_some(fd);
		if (fds[1].revents && !freeze_some(app, &lines))
			fds[1].fd = -1;
		unread = fds[2].revents & POLLERR;
	}
	free(lines.data);
	if (unread)
		return EXIT_PIPE;
	if (!ended)
		return 0;
	dkt_fail(app->ctx, -EPIPE, "the flight recorder ended");
	return app_fail(app);
}
