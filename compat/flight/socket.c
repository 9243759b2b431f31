/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket on which a flight recorder is asked for dumps. */
#include "flight/socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/parse.h"
#include "flight/state.h"

#define SOCKET "socket"

/* A client that sends nothing must not hold up the recorder, in us. */
#define REQUEST_US 500000

/* So the address fits whatever the length of the log's name. The caller closes the directory. */
static int find_address(struct dkt_ctx *ctx, const char *log, struct sockaddr_un *address, int *dir)
{
	char *path __cleanup(free) = service_path(&flight_service, log, "");

	*dir = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (*dir < 0)
		return dkt_fail(ctx, -errno, "open %s: %s", path ? path : log, strerror(errno));
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/" SOCKET, *dir);
	return 0;
}

int flight_listen(struct dkt_ctx *ctx, const char *log)
{
	struct sockaddr_un address;
	int dir __cleanup(close) = -1;
	int err = find_address(ctx, log, &address, &dir);
	int fd = err ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (err)
		return err;
	unlinkat(dir, SOCKET, 0);
	if (fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, 16))
		return fd;
	err = dkt_fail(ctx, -errno, "create the socket of the flight recorder: %s",
		       strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

int flight_accept(int listener, char reason[FLIGHT_LINE_MAX])
{
	const struct timeval limit = { .tv_usec = REQUEST_US };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	while (n > 0 && len + 1 < FLIGHT_LINE_MAX && !memchr(reason, '\n', len)) {
		n = read(fd, reason + len, FLIGHT_LINE_MAX - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	reason[len] = '\0';
	reason[strcspn(reason, "\n")] = '\0';
	if (*reason)
		return fd;
	close(fd);
	return -EBADMSG;
}

void flight_answer(int fd, int err, const char *text)
{
	char *line __cleanup(free) = dkt__format("%d\t%s\n", -err, text);

	/* A client that has gone needs no answer. */
	if (line)
		send(fd, line, strlen(line), MSG_NOSIGNAL);
	close(fd);
}

int flight_ask(struct dkt_ctx *ctx, const char *log, const char *reason, char **file)
{
	char *line __cleanup(free) = dkt__format("%.*s\n", FLIGHT_LINE_MAX - 2, reason);
	char *answer __cleanup(free) = NULL, *text;
	int fd __cleanup(close) = -1, dir __cleanup(close) = -1;
	struct sockaddr_un address;
	int64_t number;
	size_t len;
	int err = line ? find_address(ctx, log, &address, &dir) : dkt__no_memory(ctx);

	*file = NULL;
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	if (!err)
		err = dkt__write_all(fd, line, strlen(line));
	if (!err)
		err = dkt__read_fd(fd, 1 << 16, &answer, &len);
	/* A recorder that ends drops those that it has not heard yet. */
	if (err && err != -ECONNRESET && err != -EPIPE)
		return dkt_fail(ctx, err, "ask the flight recorder: %s", strerror(-err));
	text = err ? NULL : strchr(answer, '\t');
	if (!text)
		return dkt_fail(ctx, -EPIPE,
				"the flight recorder ended before it had made the dump");
	*text++ = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (dkt__parse_int(answer, 1, 4095, &number) == 0)
		return dkt_fail(ctx, -(int)number, "%s", text);
	*file = strdup(text);
	return *file ? 0 : dkt__no_memory(ctx);
}
