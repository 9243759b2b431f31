/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket of a flight recorder: it takes requests, and tells followers of incidents and dumps. */
#include "recording/flight/socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "lib/base/buf.h"
#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "recording/flight/state.h"

#define SOCKET "socket"

/* A client that sends nothing must not hold up the recorder, in us. */
#define REQUEST_US 500000

/* So the address fits whatever the length of the log's name. The caller closes the directory. */
static int find_address(struct dkt_ctx *ctx, const char *log, struct sockaddr_un *address, int *dir)
{
	char *path __cleanup(free) = service_path(&flight_service, log, "");
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&flight_service, log);

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
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&flight_service, log);
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

void flight_elsewhere_read(char *line, struct flight_elsewhere *elsewhere)
{
	char *last = dkt__identity_cut(line), *first = last ? dkt__identity_cut(line) : NULL;

	elsewhere->id = first ?: last;
	elsewhere->heard = first ? last : NULL;
}

int flight_accept(int listener, struct flight_request *request)
{
	const struct timeval limit = { .tv_usec = REQUEST_US };
	char line[FLIGHT_LINE_MAX];
	size_t len = 0;
	ssize_t n = 1;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	while (n > 0 && len + 1 < sizeof(line) && !memchr(line, '\n', len)) {
		n = read(fd, line + len, sizeof(line) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (!line[0] || !strchr("dfw", line[0]) || line[1] != '\t' || !line[2]) {
		close(fd);
		return -EBADMSG;
	}
	request->kind = (enum flight_request_kind)line[0];
	snprintf(request->reason, sizeof(request->reason), "%s", line + 2);
	request->elsewhere = (struct flight_elsewhere){ 0 };
	if (request->kind == FLIGHT_FREEZE)
		flight_elsewhere_read(request->reason, &request->elsewhere);
	request->fd = fd;
	return 0;
}

void flight_answer(int fd, int err, const char *text)
{
	char *line __cleanup(free) = dkt__format("%d\t%s\n", -err, text);

	/* A client that has gone needs no answer. */
	if (line)
		send(fd, line, strlen(line), MSG_NOSIGNAL);
	close(fd);
}

/* ---- followers ---- */

void flight_followers_add(struct flight_followers *followers, int fd)
{
	if (followers->n == FLIGHT_FOLLOWERS)
		close(fd);
	else
		followers->fds[followers->n++] = fd;
}

/* Names of processes are part of reasons, and may have any characters. */
static void add_text(struct dkt_buf *line, const char *text)
{
	char *clean __cleanup(free) = service_line(text);

	dkt_buf_printf(line, "%s%s", line->len ? "\t" : "", clean ?: "");
}

void flight_followers_tell(struct flight_followers *followers, const char *const *texts)
{
	struct dkt_buf line = { 0 };
	size_t kept = 0;

	for (; *texts; texts++)
		add_text(&line, *texts);
	dkt_buf_str(&line, "\n");
	for (size_t i = 0; i < followers->n; i++) {
		const int fd = followers->fds[i];

		if (!dkt_buf_error(&line) &&
		    send(fd, line.data, line.len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)line.len)
			followers->fds[kept++] = fd;
		else
			close(fd);
	}
	followers->n = kept;
	free(line.data);
}

void flight_followers_close(struct flight_followers *followers)
{
	while (followers->n)
		close(followers->fds[--followers->n]);
}

/* ---- asking ---- */

/* Connects, and sends the line. Returns the descriptor for the answer, or -errno. */
static int send_line(const struct sockaddr_un *address, const char *line)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		err = -errno;
	else if (send(fd, line, strlen(line), MSG_NOSIGNAL) != (ssize_t)strlen(line))
		err = -EPIPE;
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Sends a request. end: of the line. Returns the descriptor for the answer, or -errno. */
static int ask(struct dkt_ctx *ctx, const char *log, enum flight_request_kind kind,
	       const char *reason, const char *end)
{
	/* The line is KIND, a tab, REASON, END, a newline and a NUL. */
	const int room = FLIGHT_LINE_MAX - 4 - (int)strlen(end);
	char *line __cleanup(free) = dkt__format("%c\t%.*s%s\n", (char)kind, room, reason, end);
	int dir __cleanup(close) = -1, fd;
	struct dkt__gained gained __cleanup(gained_end) = service_gained(&flight_service, log);
	struct sockaddr_un address;
	int err = line ? find_address(ctx, log, &address, &dir) : dkt__no_memory(ctx);

	if (err)
		return err;
	/* On a busy machine the recorder gives up a client that has connected before the line comes. */
	do
		fd = send_line(&address, line);
	while (fd == -EPIPE && service_holder(&flight_service, log));
	if (fd >= 0)
		return fd;
	/* A recorder that ends drops those that it has not heard yet. */
	return fd == -ECONNRESET || fd == -EPIPE ?
		       dkt_fail(ctx, -EPIPE, "the flight recorder ended") :
		       dkt_fail(ctx, fd, "ask the flight recorder: %s", strerror(-fd));
}

int flight_ask(struct dkt_ctx *ctx, const char *log, const char *reason, char **file)
{
	char *answer __cleanup(free) = NULL, *text;
	int fd __cleanup(close) = ask(ctx, log, FLIGHT_DUMP, reason, "");
	int64_t number;
	size_t len;
	int err = fd < 0 ? fd : dkt__read_fd(fd, 1 << 16, &answer, &len);

	*file = NULL;
	if (fd < 0)
		return fd;
	if (err && err != -ECONNRESET)
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

int flight_freeze(struct dkt_ctx *ctx, const char *log, const char *reason,
		  const struct flight_elsewhere *elsewhere)
{
	const char *id = elsewhere->id, *heard = elsewhere->heard;
	char end[2 * IDENTITY_SIZE + 1];
	int fd;

	snprintf(end, sizeof(end), "%s%s%s%s", id ? "\t" : "", id ?: "", heard ? "\t" : "",
		 heard ?: "");
	fd = ask(ctx, log, FLIGHT_FREEZE, reason, end);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int flight_follow(struct dkt_ctx *ctx, const char *log)
{
	struct flight_state state;
	int err = flight_load(ctx, log, &state);

	flight_clear(&state);
	if (!err && !service_holder(&flight_service, log))
		err = dkt_fail(ctx, -ESRCH,
			       "the flight recorder was killed; 'dktrace flight status' shows what"
			       " is left");
	return err ? err : ask(ctx, log, FLIGHT_FOLLOW, "all", "");
}
