/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The addresses of this machine's sockets, from /proc/net. */
#include "answers/strace/sockets.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include "lib/base/buf.h"
#include "lib/base/util.h"

/* Takes over the name. */
static int add(struct sockets *sockets, uint64_t inode, char *name)
{
	uint32_t entry;
	bool added;

	if (!name)
		return -ENOMEM;
	sockets->map.n_words = 1;
	entry = dkt__keymap_add(&sockets->map, &inode, &added);
	if (entry == DKT__KEYMAP_NONE || !dkt__reach(sockets->names, sockets->n, entry)) {
		free(name);
		return -ENOMEM;
	}
	free(sockets->names[entry]);
	sockets->names[entry] = name;
	return 0;
}

/* ---- lines ---- */

#define ADDRESS_SIZE (INET6_ADDRSTRLEN + sizeof("[]:65535"))

/* The address is words of 32 bits in hex, whose bytes are in the order of the network. */
static bool put_address(const char *hex, unsigned int port, char text[ADDRESS_SIZE])
{
	uint32_t words[4];
	size_t n = strlen(hex) / 8;
	char ip[INET6_ADDRSTRLEN];

	if (strlen(hex) % 8 || (n != 1 && n != 4))
		return false;
	for (size_t i = 0; i < n; i++)
		if (sscanf(hex + 8 * i, "%8" SCNx32, &words[i]) != 1)
			return false;
	if (!inet_ntop(n == 1 ? AF_INET : AF_INET6, words, ip, sizeof(ip)))
		return false;
	snprintf(text, ADDRESS_SIZE, n == 1 ? "%s:%u" : "[%s]:%u", ip, port);
	return true;
}

static int add_internet(struct sockets *sockets, const char *line, const char *kind)
{
	char local[33], remote[33], from[ADDRESS_SIZE], to[ADDRESS_SIZE];
	unsigned int local_port, remote_port;
	uint64_t inode;

	if (sscanf(line,
		   " %*[0-9]: %32[0-9A-Fa-f]:%4x %32[0-9A-Fa-f]:%4x %*s %*s %*s %*s %*s %*s"
		   " %18" SCNu64,
		   local, &local_port, remote, &remote_port, &inode) != 5 ||
	    !inode || !put_address(local, local_port, from) ||
	    !put_address(remote, remote_port, to))
		return 0;
	return add(sockets, inode,
		   remote_port ? dkt__format("%s:[%s->%s]", kind, from, to) :
				 dkt__format("%s:[%s]", kind, from));
}

static int add_unix(struct sockets *sockets, const char *line)
{
	static const char *const kinds[] = { [1] = "-STREAM", [2] = "-DGRAM", [5] = "-SEQPACKET" };
	unsigned int type;
	const char *kind;
	uint64_t inode;
	int path = 0;

	if (sscanf(line, "%*[0-9A-Fa-f]: %*s %*s %*s %4x %*s %18" SCNu64 " %n", &type, &inode,
		   &path) != 2 ||
	    !inode)
		return 0;
	kind = (type < ARRAY_SIZE(kinds) ? kinds[type] : NULL) ?: "";
	return add(sockets, inode,
		   path && line[path] ?
			   dkt__format("UNIX%s:[%" PRIu64 ",\"%s\"]", kind, inode, line + path) :
			   dkt__format("UNIX%s:[%" PRIu64 "]", kind, inode));
}

static const struct {
	const char *file, *kind;
} tables[] = {
	[SOCKETS_TCP] = { "tcp", "TCP" },    [SOCKETS_TCP6] = { "tcp6", "TCPv6" },
	[SOCKETS_UDP] = { "udp", "UDP" },    [SOCKETS_UDP6] = { "udp6", "UDPv6" },
	[SOCKETS_UNIX] = { "unix", "UNIX" },
};

int sockets_add(struct sockets *sockets, enum socket_table table, const char *line)
{
	return table == SOCKETS_UNIX ? add_unix(sockets, line) :
				       add_internet(sockets, line, tables[table].kind);
}

/* ---- tables ---- */

static void forget(struct sockets *sockets)
{
	for (size_t i = 0; i < sockets->n; i++) {
		free(sockets->names[i]);
		sockets->names[i] = NULL;
	}
	dkt__keymap_empty(&sockets->map);
}

int sockets_read(struct sockets *sockets, const char *dir)
{
	int err = 0;

	forget(sockets);
	for (size_t i = 0; !err && i < ARRAY_SIZE(tables); i++) {
		char *path __cleanup(free) = dkt__format("%s/%s", dir, tables[i].file);
		FILE *f __cleanup(fclose) = path ? fopen(path, "re") : NULL;
		char *line __cleanup(free) = NULL;
		size_t room = 0;

		err = path ? 0 : -ENOMEM;
		while (f && !err && getline(&line, &room, f) > 0) {
			line[strcspn(line, "\n")] = '\0';
			err = sockets_add(sockets, (enum socket_table)i, line);
		}
	}
	return err;
}

uint64_t sockets_inode(const char *link)
{
	uint64_t inode;

	return sscanf(link, "socket:[%18" SCNu64 "]", &inode) == 1 ? inode : 0;
}

const char *sockets_name(const struct sockets *sockets, uint64_t inode)
{
	uint32_t entry = sockets->map.n ? dkt__keymap_find(&sockets->map, &inode) :
					  DKT__KEYMAP_NONE;

	return entry == DKT__KEYMAP_NONE ? NULL : sockets->names[entry];
}

void sockets_clear(struct sockets *sockets)
{
	forget(sockets);
	free(sockets->names);
	dkt__keymap_clear(&sockets->map);
}
