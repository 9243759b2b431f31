/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instances that a process makes for itself alone, and what remains of killed ones. */
#include <fcntl.h>

#include "tracefs.h"

#include "banned.h"

/* When the process was started, in ticks since boot: field 22 of /proc/PID/stat; 0: it is no more. */
static unsigned long long start_time(int pid)
{
	char path[32], text[1024], *p;
	unsigned long long ticks = 0;
	int fd __cleanup(close) = -1;
	int field;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* The name, field 2, is in parentheses and may hold anything. */
	p = strrchr(text, ')');
	for (field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		ticks = strtoull(p, NULL, 10);
	return ticks;
}

/* Whether the rest of a name is "PID-TIME" of a process that is no more. */
static bool is_left(const char *rest)
{
	unsigned long long ticks;
	int pid, n = 0;

	if (sscanf(rest, "%d-%llu%n", &pid, &ticks, &n) != 2 || rest[n] || pid <= 0)
		return false;
	return start_time(pid) != ticks;
}

int dkt_instance_sweep(struct dkt_ctx *ctx, const char *prefix, size_t *n)
{
	size_t len = strlen(prefix), n_names, i, done = 0;
	char **names;
	int err = dkt_tracefs_open(ctx, 0);

	if (n)
		*n = 0;
	if (!err)
		err = dkt__tfs_list(ctx, &names, &n_names, "instances");
	if (err)
		return err == -ENOENT ? 0 : err;
	for (i = 0; i < n_names; i++) {
		if (strncmp(names[i], prefix, len) != 0 || names[i][len] != '-' ||
		    !is_left(names[i] + len + 1))
			continue;
		if (dkt_instance_remove(ctx, names[i]))
			err = -EBUSY;
		else
			done++;
	}
	dkt__names_free(names, n_names);
	if (n)
		*n = done;
	return err;
}

int dkt_instance_own(struct dkt_ctx *ctx, const char *prefix, struct dkt_instance **instance)
{
	char *name __cleanup(free) = NULL;
	int err;

	*instance = NULL;
	/* What cannot be removed now is for a later one, or for a person. */
	if (dkt_instance_sweep(ctx, prefix, NULL))
		dkt__log(ctx, DKT_LOG_INFO, "remove what is left of others: %s", dkt_error(ctx));
	if (asprintf(&name, "%s-%d-%llu", prefix, (int)getpid(), start_time(getpid())) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	err = dkt_instance_open(ctx, name, DKT_CREATE, instance);
	if (err || dkt_instance_is_new(*instance))
		return err;
	dkt_instance_close(*instance);
	*instance = NULL;
	return dkt_fail(ctx, -EEXIST, "this process has an instance '%s' already", name);
}
