/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks a spool directory; the lock file names the process, and tells whether it follows. */
#include "lib/source/live.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/base/stop.h"

#define EACH_US 100000

/* A process that has done nothing for so many looks stands still. */
#define STILL 20

#define FOLLOWS " follows"

/* Bytes of /proc/PID/status, which also counts how often the process has been woken. */
#define STATUS_MAX (1 << 16)

struct reader {
	char pid[32]; /* "": unknown */
	bool follows;
	char *status; /* what the kernel said of it last */
	int still; /* looks in which it has done nothing */
};

static void read_holder(int lock, struct reader *reader)
{
	char text[sizeof(reader->pid)] = "";
	char *word;

	if (pread(lock, text, sizeof(text) - 1, 0) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	word = strstr(text, FOLLOWS);
	reader->follows = word;
	if (word)
		*word = '\0';
	if (strcmp(text, reader->pid) != 0)
		reader->still = 0;
	memcpy(reader->pid, text, sizeof(text));
}

/* True if the kernel waits for a disk on behalf of the process, or only for a CPU. */
static bool is_working(const char *status)
{
	static const char name[] = "\nState:\t";
	const char *state = strstr(status, name);

	return state && strchr("RD", state[sizeof(name) - 1]);
}

/* Looks whether the process has done anything since the last look. */
static void look(struct reader *reader)
{
	char *status = NULL, path[64];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%s/status", reader->pid);
	if (!*reader->pid || dkt__read_file(path, STATUS_MAX, &status, &len))
		status = NULL;
	if (status &&
	    (is_working(status) || !reader->status || strcmp(status, reader->status) != 0))
		reader->still = 0;
	else
		reader->still++;
	free(reader->status);
	reader->status = status;
}

static bool is_self(const struct reader *reader)
{
	uint64_t pid;

	return !dkt__parse_u64(reader->pid, DKT__DEC, &pid) && pid == (uint64_t)getpid();
}

static int report(struct dkt_ctx *ctx, const struct reader *reader)
{
	const char *more = "";

	if (reader->follows)
		more = ", and does so until it is ended";
	else if (reader->still >= STILL)
		more = " and stands still: perhaps nobody reads its output";
	return dkt_fail(ctx, -EBUSY, "process %s is reading these buffers%s",
			*reader->pid ? reader->pid : "of another user", more);
}

static int wait_for(struct dkt_ctx *ctx, const char *dir, int lock)
{
	struct reader reader = { 0 };
	int err = 0;

	for (int tries = 0; !err && flock(lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK) {
			err = dkt_fail(ctx, -errno, "lock %s: %s", dir, strerror(errno));
			break;
		}
		read_holder(lock, &reader);
		look(&reader);
		if (reader.still >= STILL || (reader.follows && tries >= STILL) ||
		    is_self(&reader) || dkt__stopped())
			err = report(ctx, &reader);
		else if (tries == STILL)
			dkt__log(ctx, DKT_LOG_WARN,
				 "process %s is reading these buffers: waiting for its end",
				 reader.pid);
		if (!err)
			usleep(EACH_US);
	}
	free(reader.status);
	return err;
}

int dkt__spool_lock(struct dkt_ctx *ctx, const char *dir, bool follows, int *dirfd, int *lock)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(dir);
	char holder[32];
	int err;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return dkt_fail(ctx, -errno, "create %s: %s", dir, strerror(errno));
	*dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (*dirfd < 0)
		return dkt_fail(ctx, -errno, "open %s: %s", dir, strerror(errno));
	*lock = openat(*dirfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*lock < 0)
		return dkt_fail(ctx, -errno, "open %s/lock: %s", dir, strerror(errno));
	err = wait_for(ctx, dir, *lock);
	if (err)
		return err;
	snprintf(holder, sizeof(holder), "%d%s\n", (int)getpid(), follows ? FOLLOWS : "");
	if (ftruncate(*lock, 0) || pwrite(*lock, holder, strlen(holder), 0) < 0)
		dkt__log(ctx, DKT_LOG_INFO, "write the reader's ID to %s/lock: %s", dir,
			 strerror(errno));
	return 0;
}
