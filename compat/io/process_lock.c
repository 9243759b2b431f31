/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks that a process holds until it ends. */
#include "compat/io/process_lock.h"

#include <fcntl.h>
#include <signal.h>

#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

/* A killed process gets this long to end: it may have a file to finish. In s. */
#define WAIT_SECONDS 60

#define EACH_US 20000

/* Bytes of /proc/PID/status. */
#define STATUS_MAX (1 << 16)

pid_t dkl_process_lock_holder(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

bool dkl_process_is_killed(pid_t pid)
{
	static const char name[] = "\nShdPnd:\t";
	char *text __cleanup(free) = NULL;
	char path[32];
	const char *p;
	uint64_t pending = 0;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (dkt__read_file(path, STATUS_MAX, &text, &len))
		return false;
	p = strstr(text, name);
	if (p)
		p += sizeof(name) - 1;
	return p && !dkt__take_u64(&p, NULL, DKT__HEX, &pending) &&
	       pending & UINT64_C(1) << (SIGKILL - 1);
}

/* Sets *holder if another process has the lock; to 0: it has just ended. */
static int try_lock(int fd, pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_SETLK, &lock))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return -errno;
	*holder = dkl_process_lock_holder(fd);
	return -EBUSY;
}

int dkl_process_lock(int fd, pid_t *holder)
{
	int err = try_lock(fd, holder);

	for (int tries = 0; err == -EBUSY && (!*holder || dkl_process_is_killed(*holder)) &&
			    tries < WAIT_SECONDS * 1000000 / EACH_US;
	     tries++) {
		usleep(EACH_US);
		err = try_lock(fd, holder);
	}
	return err;
}
