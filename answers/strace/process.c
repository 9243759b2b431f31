/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The open descriptors of a process. */
#include "answers/strace/process.h"

#include <limits.h>

#include "lib/base/parse.h"
#include "lib/base/util.h"

/* Processes with more open files lose the names of the others. */
#define FD_MAX 65536

struct process *process_new(void)
{
	struct process *process = calloc(1, sizeof(*process));

	if (process)
		process->threads = 1;
	return process;
}

void process_put(struct process *process)
{
	if (!process || --process->threads)
		return;
	for (size_t i = 0; i < process->n; i++)
		free(process->list[i].name);
	free(process->list);
	free(process);
}

int process_set(struct process *process, uint64_t fd, char *name, bool closes)
{
	struct descriptor *descriptor;

	if (fd >= FD_MAX || (fd >= process->n && !name)) {
		free(name);
		return 0;
	}
	descriptor = dkt__reach(process->list, process->n, fd);
	if (!descriptor) {
		free(name);
		return -ENOMEM;
	}
	free(descriptor->name);
	*descriptor = (struct descriptor){ .name = name, .closes = closes };
	return 0;
}

int process_set_socket(struct process *process, uint64_t fd, uint64_t inode)
{
	struct descriptor *descriptor = fd < FD_MAX ? dkt__reach(process->list, process->n, fd) :
						      NULL;

	if (descriptor)
		descriptor->socket = inode;
	return descriptor || fd >= FD_MAX ? 0 : -ENOMEM;
}

const char *process_get(const struct process *process, uint64_t fd)
{
	return fd < process->n ? process->list[fd].name : NULL;
}

int process_set_copy(struct process *process, uint64_t fd, const char *name, bool closes)
{
	char *copy = name ? strdup(name) : NULL;

	return name && !copy ? -ENOMEM : process_set(process, fd, copy, closes);
}

int process_copy(struct process *to, const struct process *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n; i++)
		if (from->list[i].name) {
			err = process_set_copy(to, i, from->list[i].name, from->list[i].closes);
			if (!err)
				to->list[i].socket = from->list[i].socket;
		}
	return err;
}

/* Reads /proc/.../fd; a process that ends meanwhile has none. */
int process_read(const char *dir, const struct sockets *sockets, struct process *process)
{
	DIR *fds __cleanup(closedir) = opendir(dir);
	struct dirent *entry;
	char path[PATH_MAX];
	uint64_t fd;
	int err = 0;

	while (fds && !err && (entry = readdir(fds))) {
		const char *address;
		ssize_t len;

		if (dkt__parse_u64(entry->d_name, 10, &fd))
			continue;
		len = readlinkat(dirfd(fds), entry->d_name, path, sizeof(path) - 1);
		if (len <= 0)
			continue;
		path[len] = '\0';
		address = sockets_name(sockets, sockets_inode(path));
		err = process_set_copy(process, fd, address ?: path, false);
	}
	return err;
}
