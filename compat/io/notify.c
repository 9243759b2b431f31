/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages to the service manager: datagrams to the socket that $NOTIFY_SOCKET names. */
#include "compat/io/notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "lib/base/memory.h"

void dkl_notify(const char *lines)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd __cleanup(close) = -1;
	size_t len = name ? strlen(name) : 0;

	/* The @ of an abstract name stands for a NUL. */
	if (!len || len >= sizeof(address.sun_path) || (*name != '/' && *name != '@'))
		return;
	memcpy(address.sun_path, name, len);
	if (*name == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		sendto(fd, lines, strlen(lines), MSG_NOSIGNAL, (struct sockaddr *)&address,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}
