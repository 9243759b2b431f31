/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening, closing and clearing: who may read an instance's buffers, and where pages are kept. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "capture.h"
#include "event.h"
#include "ids.h"
#include "tracefs.h"

#include "base/banned.h"

/* Takes the spool directory for this process alone; a holder's number is in the file. */
static int lock_spool(struct dkt_ctx *ctx, const char *dir, int *dirfd, int *lock)
{
	char holder[32] = "";
	int tries;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return dkt_fail(ctx, -errno, "make %s: %s", dir, strerror(errno));
	*dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (*dirfd < 0)
		return dkt_fail(ctx, -errno, "open %s: %s", dir, strerror(errno));
	*lock = openat(*dirfd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*lock < 0)
		return dkt_fail(ctx, -errno, "open %s/lock: %s", dir, strerror(errno));
	for (tries = 0; flock(*lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK)
			return dkt_fail(ctx, -errno, "lock %s: %s", dir, strerror(errno));
		if (tries < 20) {
			usleep(100000);
			continue;
		}
		if (pread(*lock, holder, sizeof(holder) - 1, 0) < 0)
			holder[0] = '\0';
		holder[strcspn(holder, "\n")] = '\0';
		return dkt_fail(ctx, -EBUSY, "process %s is reading these buffers",
				*holder ? holder : "of another user");
	}
	snprintf(holder, sizeof(holder), "%d\n", (int)getpid());
	if (ftruncate(*lock, 0) || pwrite(*lock, holder, strlen(holder), 0) < 0)
		dkt_log(ctx, DKT_LOG_INFO, "note the reader in %s/lock: %s", dir, strerror(errno));
	return 0;
}

uint32_t dkt__page_size(struct dkt_instance *in)
{
	struct tep_handle *tep;
	uint64_t kb;

	if (dkt__tfs_exists(in->ctx, "%sbuffer_subbuf_size_kb", in->prefix) &&
	    !dkt__tfs_read_u64(in->ctx, &kb, "%sbuffer_subbuf_size_kb", in->prefix) && kb &&
	    kb <= 64)
		return (uint32_t)kb * 1024;
	tep = dkt__tep(in->ctx);
	return tep && tep_get_sub_buffer_size(tep) > 0 && tep_get_sub_buffer_size(tep) < 65536 ?
		       (uint32_t)tep_get_sub_buffer_size(tep) :
		       4096;
}

static int open_buffer(struct dkt__cpu *cpu, uint64_t *inode)
{
	struct stat st = { 0 };

	*inode = 0;
	if (!cpu->in)
		return 0;
	cpu->fd = dkt__tfs_open(cpu->in->ctx, O_RDONLY | O_NONBLOCK,
				"%sper_cpu/cpu%d/trace_pipe_raw", cpu->in->prefix, cpu->nr);
	/* An instance that was removed and made again has new inodes. */
	if (cpu->fd >= 0 && !fstat(cpu->fd, &st))
		*inode = st.st_ino;
	return cpu->fd < 0 ? cpu->fd : 0;
}

static int cpu_open(struct dkt_capture *cap, int nr, uint32_t size)
{
	struct dkt__cpu *cpu = &cap->cpus[nr];
	uint64_t inode;
	int err = open_buffer(cpu, &inode);

	if (!err)
		err = dkt__spool_open(cap->in->ctx, &cpu->spool, cap->dir, nr, size, inode);
	if (err)
		return err;
	cpu->page.size = size;
	cpu->page_nr = dkt__spool_start(&cpu->spool).page;
	cpu->first = dkt__spool_get_base(&cpu->spool).emptied;
	return 0;
}

/* Where to look first for the events of the records. */
static void hint_events(struct dkt_capture *cap)
{
	struct dkt_event **on;
	size_t n;

	if (cap->dir >= 0)
		dkt__ids_load(cap->in->ctx, cap->dir);
	if (!dkt_instance_get_events(cap->in, &on, &n))
		dkt__events_likely(cap->in->ctx, on, n);
}

/* What the top instance had recorded when it was given back is still in the spool. */
static bool has_left_over(const struct dkt_capture *cap)
{
	char name[24];
	int i;

	for (i = cap->in->cpus; i < 2 * cap->in->cpus; i++) {
		dkt__spool_name(i, name);
		if (!faccessat(cap->dir, name, F_OK, 0))
			return true;
	}
	return false;
}

static int open_buffers(struct dkt_capture *cap, const char *spool)
{
	struct dkt_instance *in = cap->in;
	uint32_t size = dkt__page_size(in);
	int i, n = in->cpus, err = 0;

	if (spool && dkt_top_is_borrowed(spool))
		err = dkt_instance_open(in->ctx, NULL, 0, &cap->top);
	if (cap->top || (cap->dir >= 0 && has_left_over(cap)))
		n *= 2;
	cap->cpus = calloc((size_t)n, sizeof(*cap->cpus));
	cap->heap = calloc((size_t)n, sizeof(*cap->heap));
	if (!cap->cpus || !cap->heap)
		return -ENOMEM;
	for (i = 0; !err && i < n; i++) {
		cap->cpus[i] = (struct dkt__cpu){
			.in = i < in->cpus ? in : cap->top,
			.nr = i % in->cpus,
			.fd = -1,
			.spool.fd = -1,
		};
		cap->n_cpus++;
		err = cpu_open(cap, i, size);
	}
	return err;
}

int dkt_capture_open(struct dkt_instance *in, const struct dkt_capture_opts *opts,
		     struct dkt_capture **out)
{
	struct dkt_capture *cap = calloc(1, sizeof(*cap));
	int err = 0;

	*out = NULL;
	if (!cap)
		return -ENOMEM;
	*cap = (struct dkt_capture){ .in = in, .lock = -1, .dir = -1, .current = -1 };
	if (opts) {
		cap->flags = opts->flags;
		cap->until = opts->until;
		cap->flush = opts->flush;
		cap->data = opts->data;
	}
	if (opts && opts->spool)
		err = lock_spool(in->ctx, opts->spool, &cap->dir, &cap->lock);
	if (!err)
		err = open_buffers(cap, opts ? opts->spool : NULL);
	if (err) {
		dkt_capture_close(cap);
		return err;
	}
	hint_events(cap);
	*out = cap;
	return 0;
}

/* A buffer that is gone leaves no empty spool behind. */
static void close_buffer(struct dkt_capture *cap, struct dkt__cpu *cpu)
{
	bool empty = cpu->spool.head && !dkt__spool_pages(&cpu->spool);
	char name[24];

	if (cpu->fd >= 0)
		close(cpu->fd);
	dkt__spool_close(&cpu->spool);
	dkt__spool_name((int)(cpu - cap->cpus), name);
	if (!cpu->in && empty && cap->dir >= 0)
		unlinkat(cap->dir, name, 0);
}

void dkt_capture_close(struct dkt_capture *cap)
{
	int i;

	if (!cap)
		return;
	for (i = 0; i < cap->n_cpus; i++)
		close_buffer(cap, &cap->cpus[i]);
	dkt_instance_close(cap->top);
	if (cap->comms)
		tep_free(cap->comms);
	if (cap->dir >= 0 && cap->primed)
		dkt__ids_save(cap->in->ctx, cap->dir);
	if (cap->lock >= 0)
		close(cap->lock);
	if (cap->dir >= 0)
		close(cap->dir);
	free(cap->cpus);
	free(cap->heap);
	free(cap);
}

int dkt_capture_clear(struct dkt_instance *in, const char *spool)
{
	DKT_OPTS(dkt_capture_opts, opts, .spool = spool);
	struct dkt_capture *cap;
	int i, err = dkt_capture_open(in, &opts, &cap);

	if (err)
		return err;
	err = dkt_instance_clear(in);
	if (!err && cap->top)
		err = dkt_instance_clear(cap->top);
	for (i = 0; !err && i < cap->n_cpus; i++)
		dkt__spool_reset(&cap->cpus[i].spool);
	dkt_capture_close(cap);
	return err;
}
