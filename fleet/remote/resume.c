/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The socket on which a run that has lost its connection takes another. */
#include "fleet/remote/resume.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "lib/base/pass.h"
#include "lib/base/run_dir.h"
#include "lib/base/turn.h"

/* It has mode 0700, so that only root's processes connect. */
#define PLACE RUN_DIR "-remote"

static bool find_address(const char *id, struct sockaddr_un *address)
{
	if (strlen(id) != RESUME_ID_SIZE - 1 ||
	    strspn(id, "0123456789abcdef") != RESUME_ID_SIZE - 1)
		return false;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address->sun_path, sizeof(address->sun_path), PLACE "/%s", id);
	return true;
}

static int make_id(char id[RESUME_ID_SIZE])
{
	uint64_t bits[2];

	if (getrandom(bits, sizeof(bits), 0) != sizeof(bits))
		return -EIO;
	snprintf(id, RESUME_ID_SIZE, "%016llx%016llx", (unsigned long long)bits[0],
		 (unsigned long long)bits[1]);
	return 0;
}

/*
 * Creates the directory, and waits for the turn to change it: a socket that does not listen yet looks like that of a
 * killed process. Another process removes the directory with its last socket.
 */
static int begin_turn(void)
{
	int turn;

	do {
		if (mkdir(PLACE, 0700) && errno != EEXIST)
			return -errno;
		turn = dkt__turn_begin(PLACE, O_NOFOLLOW);
	} while (turn == -ENOENT);
	return turn;
}

/* A killed process leaves its socket. */
static void remove_if_dead(const char *name)
{
	struct sockaddr_un address;
	int fd __cleanup(close) = -1;

	if (!find_address(name, &address))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    errno == ECONNREFUSED)
		unlink(address.sun_path);
}

static void sweep(void)
{
	DIR *dir __cleanup(closedir) = opendir(PLACE);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		remove_if_dead(entry->d_name);
}

int resume_listen(char id[RESUME_ID_SIZE])
{
	struct sockaddr_un address;
	int turn __cleanup(close) = -1, err = make_id(id), fd;

	if (err || !find_address(id, &address))
		return err ? err : -EINVAL;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	turn = begin_turn();
	err = turn < 0 ? turn : 0;
	if (!err && bind(fd, (struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	if (!err && listen(fd, 4))
		err = -errno;
	if (!err) {
		sweep();
		return fd;
	}
	close(fd);
	return err;
}

void resume_close(int listener, const char *id)
{
	struct sockaddr_un address;
	int turn __cleanup(close) = -1;

	if (listener < 0)
		return;
	close(listener);
	turn = begin_turn();
	if (find_address(id, &address))
		unlink(address.sun_path);
	/* It stays while other runs are in it. */
	rmdir(PLACE);
}

int resume_accept(int listener, struct resume *resume)
{
	struct dkt__pass pass = { .head = &resume->at, .n_head = sizeof(resume->at) };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	/* The sender is this program, and sends at once. */
	n = dkt__pass_take(fd, &pass);
	if (n == sizeof(resume->at) && pass.n == 2) {
		resume->in = pass.fds[0];
		resume->out = pass.fds[1];
		resume->giver = fd;
		return 0;
	}
	for (size_t i = 0; i < pass.n; i++)
		close(pass.fds[i]);
	close(fd);
	return -EPROTO;
}

int resume_hand_over(struct dkt_ctx *ctx, const char *id, int in, int out, uint64_t at)
{
	struct sockaddr_un address;
	struct pollfd ended = { .events = POLLIN };
	const struct dkt__pass pass = {
		.head = &at, .n_head = sizeof(at), .fds = { in, out }, .n = 2
	};
	int fd __cleanup(close) = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return dkt_fail(ctx, -errno, "find the command again: %s", strerror(errno));
	if (!find_address(id, &address) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return dkt_fail(ctx, -ENOENT,
				"the command that lost its connection has ended, and what it had"
				" recorded is gone");
	err = dkt__pass_send(fd, &pass);
	if (err)
		return dkt_fail(ctx, err, "hand the connection over: %s", strerror(-err));
	/* The ssh server closes the connection when this process ends. */
	ended.fd = fd;
	while (poll(&ended, 1, -1) < 0 && errno == EINTR)
		;
	return 0;
}
