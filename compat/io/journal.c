/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends entries to systemd's journal. */
#include "compat/io/journal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/util.h"

/* A control character would end a field, or make it one of another form. */
void dkl_journal_field(struct dkt_buf *buf, const char *name, const char *value, size_t len)
{
	dkt_buf_str(buf, name);
	dkt__buf_add(buf, "=", 1);
	dkt_buf_text(buf, value, len);
	dkt__buf_add(buf, "\n", 1);
}

int dkl_journal_open(struct dkt_ctx *ctx, int flags)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = JOURNAL_SOCKET };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | flags, 0), err = 0;

	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		err = dkt_fail(ctx, -errno, "open the journal, %s: %s", JOURNAL_SOCKET,
			       strerror(errno));
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Waits as long as the journal takes no more, unless a signal has asked for the end. */
static int send_message(int fd, const struct msghdr *message)
{
	for (;;) {
		if (sendmsg(fd, message, MSG_NOSIGNAL) >= 0)
			return 0;
		if (errno != EINTR || dkt__stopped())
			return errno == EINTR ? -ECANCELED : -errno;
	}
}

/* An entry that is too long for a datagram goes as a sealed file in memory. */
static int send_file(int fd, const char *entry, size_t len)
{
	int file __cleanup(close) = memfd_create("journal-entry", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct msghdr message = { .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int err = file < 0 ? -errno : dkt__write_all(file, entry, len);

	if (!err &&
	    fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE))
		err = -errno;
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &file, sizeof(file));
	return err ? err : send_message(fd, &message);
}

int dkl_journal_send(struct dkt_ctx *ctx, int fd, const struct dkt_buf *buf)
{
	size_t len;
	const char *entry = dkt_buf_data(buf, &len);
	struct iovec part = { (void *)entry, len };
	const struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int err = dkt_buf_error(buf);

	if (err)
		return dkt__with_words(ctx, err);
	err = send_message(fd, &message);
	if (err == -EMSGSIZE || err == -ENOBUFS)
		err = send_file(fd, entry, len);
	if (err == -ECANCELED)
		return dkt_fail(ctx, err, "interrupted; records not written are kept");
	return err ? dkt_fail(ctx, err, "write to the journal: %s", strerror(-err)) : 0;
}
