/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names that only one process has: PREFIX-PID-TIME. */
#include "lib/base/own_name.h"

#include <inttypes.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"

/*
 * Gets the start time of a process in ticks since boot, field 22 of /proc/PID/stat. -ENOENT: the
 * process has exited, even if its parent has not asked for its status yet.
 */
static int start_time(int pid, uint64_t *ticks)
{
	char *text __cleanup(free) = NULL;
	char path[32];
	const char *p;
	size_t len;
	int err;

	*ticks = 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	err = dkt__read_file(path, 4096, &text, &len);
	if (err)
		return err == -ESRCH ? -ENOENT : err;
	/* The name, field 2, is in parentheses and may hold anything. */
	p = strrchr(text, ')');
	if (p && (!strncmp(p, ") Z", 3) || !strncmp(p, ") X", 3)))
		return -ENOENT;
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p++)
		dkt__take_u64(&p, NULL, DKT__DEC, ticks);
	return 0;
}

/*
 * Returns 1 if the text is PID-TIME, with mark for "-", of a process that has exited, and 0 if the
 * process lives; sets *process to it. -EINVAL: it is another text.
 */
static int has_exited(const char *text, char mark, pid_t *process)
{
	uint64_t ticks, now;
	int pid, n = 0, err;
	char between;

	if (sscanf(text, "%d%c%" SCNu64 "%n", &pid, &between, &ticks, &n) != 3 || text[n] ||
	    pid <= 0 || between != mark)
		return -EINVAL;
	*process = pid;
	/* If the start time is unknown, the process may still run. */
	err = start_time(pid, &now);
	return err ? err == -ENOENT : now != ticks;
}

bool dkt__own_is_stale(const char *name, const char *prefix, char mark)
{
	size_t len = strlen(prefix);
	pid_t process;

	return !strncmp(name, prefix, len) && name[len] == mark &&
	       has_exited(name + len + 1, mark, &process) > 0;
}

static int own_exited(const char *name, pid_t *process)
{
	const char *p = strrchr(name, '-');

	while (p && p > name && *--p != '-')
		;
	return p && p > name ? has_exited(p + 1, '-', process) : -EINVAL;
}

int dkt__own_exited(const char *name)
{
	pid_t process;

	return own_exited(name, &process);
}

pid_t dkt__own_process(const char *name)
{
	pid_t process;

	return own_exited(name, &process) ? 0 : process;
}

int dkt__own_name(const char *prefix, char mark, char **name)
{
	uint64_t ticks;
	int err = start_time(getpid(), &ticks);

	*name = err ? NULL :
		      dkt__format("%s%c%d%c%" PRIu64, prefix, mark, (int)getpid(), mark, ticks);
	return err || *name ? err : -ENOMEM;
}
