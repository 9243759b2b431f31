/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The addresses of this machine's sockets, from /proc/net. */
#pragma once

#include "lib/base/keymap.h"

struct sockets {
	struct dkt__keymap map; /* by inode */
	char **names; /* by entry */
	size_t n;
};

enum socket_table { SOCKETS_TCP, SOCKETS_TCP6, SOCKETS_UDP, SOCKETS_UDP6, SOCKETS_UNIX };

/* Adds the socket in a line of the table; a line without one is ignored. Returns 0 or -ENOMEM. */
int sockets_add(struct sockets *sockets, enum socket_table table, const char *line);

/* Reads the tables that exist in the directory instead of those read before. Returns 0 or -ENOMEM. */
int sockets_read(struct sockets *sockets, const char *dir);

/* Returns the inode in a link of /proc/PID/fd, "socket:[INODE]"; 0: it leads to no socket. */
uint64_t sockets_inode(const char *link);

/*
 * Returns the name in the words of strace -yy: TCP:[10.0.0.1:988->10.0.0.2:1021],
 * UNIX-STREAM:[INODE,"PATH"]. NULL: unknown.
 */
const char *sockets_name(const struct sockets *sockets, uint64_t inode);
void sockets_clear(struct sockets *sockets);
