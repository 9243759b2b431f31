/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skips the prefixes of lines of a log; finds and numbers the hosts that they name. */
#include "compat/lustre/log_hosts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compat/lustre/log_text.h"
#include "lib/base/buf.h"

#define HOSTS_MAX UINT16_MAX

static void hash(struct log_host host, uint64_t key[2])
{
	key[0] = host.len;
	key[1] = ~(uint64_t)host.len;
	for (size_t i = 0; i < host.len; i++) {
		key[0] = dkt__mix(key[0], (unsigned char)host.name[i]);
		key[1] = dkt__mix(key[1] ^ (unsigned char)host.name[i], key[0]);
	}
}

int dkl_log_hosts_number(struct log_hosts *hosts, struct log_host host, uint16_t *number)
{
	uint64_t key[2];
	uint32_t entry;
	char *names;
	bool added;

	hosts->map.n_words = ARRAY_SIZE(key);
	hash(host, key);
	*number = 0;
	if (hosts->map.n == HOSTS_MAX)
		return 0;
	entry = dkt__keymap_add(&hosts->map, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return -ENOMEM;
	*number = (uint16_t)entry;
	if (!added)
		return 0;
	names = dkt__format("%s%s%.*s", entry ? hosts->names : "", entry ? " " : "", (int)host.len,
			    host.name);
	if (!names)
		return -ENOMEM;
	free(hosts->names);
	hosts->names = names;
	return 0;
}

void dkl_log_hosts_clear(struct log_hosts *hosts)
{
	dkt__keymap_clear(&hosts->map);
	free(hosts->names);
	*hosts = (struct log_hosts){ 0 };
}

/* Finds the host of the first line that begins a record and is of another host than name. */
static char *next_host(FILE *f, const char *name)
{
	char *line __cleanup(free) = NULL;
	struct record_head head;
	const char *host;
	size_t size = 0, len;

	while (getline(&line, &size, f) >= 0) {
		host = dkl_prefix_host(line, &len);
		if (!dkl_log_text_head(line, &head))
			continue;
		if (!host)
			return NULL;
		if (!name || strlen(name) != len || memcmp(name, host, len) != 0)
			return strndup(host, len);
	}
	return NULL;
}

int dkl_log_hosts_count(int fd, bool all)
{
	const off_t at = lseek(fd, 0, SEEK_CUR);
	/* A pipe has no position, and can be read only once. */
	int copy = at < 0 ? -1 : dup(fd);
	FILE *f __cleanup(fclose) = copy < 0 ? NULL : fdopen(copy, "r");
	char *first __cleanup(free) = f ? next_host(f, NULL) : NULL;
	char *second __cleanup(free) = first && all ? next_host(f, first) : NULL;

	if (f)
		lseek(fd, at, SEEK_SET);
	return (first != NULL) + (second != NULL);
}

/* Returns the text after "<3>" or "[...]"; NULL: it has no such end. */
static const char *skip_brackets(const char *line, const char *close)
{
	size_t n = strcspn(line, close);

	return n < 40 && line[n] ? line + n + 1 : NULL;
}

const char *dkl_prefix_skip(const char *line)
{
	size_t n;

	if (*line && strchr(" \t>|", *line))
		return line + strspn(line, " \t>|");
	if (*line == '<')
		return skip_brackets(line, ">");
	if (*line == '[')
		return skip_brackets(line, "]");
	n = strcspn(line, ": \t\n");
	if (!n || n > PREFIX_MAX)
		return NULL;
	/* The number of a line, or of the version of syslog's protocol. */
	if (n == strspn(line, "0123456789") && (line[n] == ' ' || line[n] == '\t'))
		return line + n;
	/* dmesg -x and docker fill their words with spaces. */
	n += strspn(line + n, " ");
	return line[n] == ':' || line[n] == '|' ? line + n + 1 : NULL;
}

const char *dkl_prefix_host(const char *line, size_t *len)
{
	line += strspn(line, " >");
	*len = strcspn(line, ": \n");
	/* The words of dmesg -x are followed by spaces, and those of grep by no space. */
	if (*len && *len <= PREFIX_MAX && *line != '<' && *line != '[' &&
	    !strncmp(line + *len, ": ", 2))
		return line;
	*len = 0;
	return NULL;
}
