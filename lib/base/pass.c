/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes messages with open descriptors between processes. */
#include "lib/base/pass.h"

#include <sys/socket.h>
#include <sys/uio.h>

/* Room for the longest message, whatever the system's default is. */
#define ROOM (256 << 10)

struct message {
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(DKT__PASS_MOST * sizeof(int))];
	struct iovec parts[2];
	struct msghdr msg;
};

static void prepare(struct message *message, const struct dkt__pass *pass)
{
	*message = (struct message){ .parts = { { .iov_base = pass->head, .iov_len = pass->n_head },
						{ .iov_base = pass->body,
						  .iov_len = pass->n_body } } };
	message->msg.msg_iov = message->parts;
	message->msg.msg_iovlen = ARRAY_SIZE(message->parts);
}

int dkt__pass_pair(int ends[2])
{
	const int room = ROOM;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	for (int i = 0; i < 2; i++)
		setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	return 0;
}

int dkt__pass_send(int to, const struct dkt__pass *pass)
{
	const size_t size = pass->n * sizeof(int);
	struct message message;
	ssize_t n;

	prepare(&message, pass);
	if (pass->n) {
		struct cmsghdr *head;

		message.msg.msg_control = message.control;
		message.msg.msg_controllen = CMSG_SPACE(size);
		head = CMSG_FIRSTHDR(&message.msg);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(head), pass->fds, size);
	}
	n = TEMP_FAILURE_RETRY(sendmsg(to, &message.msg, MSG_NOSIGNAL));
	return n < 0 ? -errno : 0;
}

ssize_t dkt__pass_take(int from, struct dkt__pass *pass)
{
	struct message message;
	const struct cmsghdr *head;
	ssize_t n;

	pass->n = 0;
	prepare(&message, pass);
	message.msg.msg_control = message.control;
	message.msg.msg_controllen = sizeof(message.control);
	n = TEMP_FAILURE_RETRY(recvmsg(from, &message.msg, MSG_CMSG_CLOEXEC));
	head = n > 0 ? CMSG_FIRSTHDR(&message.msg) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS) {
		pass->n = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(pass->fds, CMSG_DATA(head), pass->n * sizeof(int));
	}
	return n < 0 ? -errno : n;
}
