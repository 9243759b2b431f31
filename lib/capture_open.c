/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening, closing and clearing: who may read an instance's buffers, and where pages are kept. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "capture.h"
#include "event.h"
#include "ids.h"
#include "tracefs.h"

#include "banned.h"

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
		dkt__log(ctx, DKT_LOG_INFO, "note the reader in %s/lock: %s", dir, strerror(errno));
	return 0;
}

static uint32_t page_size(struct dkt_instance *in)
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

static int cpu_open(struct dkt_capture *cap, int nr, uint32_t size)
{
	struct dkt__cpu *cpu = &cap->cpus[nr];
	struct stat st = { 0 };
	int err;

	cpu->fd = dkt__tfs_open(cap->in->ctx, O_RDONLY | O_NONBLOCK,
				"%sper_cpu/cpu%d/trace_pipe_raw", cap->in->prefix, nr);
	if (cpu->fd < 0)
		return cpu->fd;
	/* An instance that was removed and made again has new inodes. */
	if (fstat(cpu->fd, &st))
		st.st_ino = 0;
	err = dkt__spool_open(cap->in->ctx, &cpu->spool, cap->dir, nr, size, st.st_ino);
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

int dkt_capture_open(struct dkt_instance *in, const struct dkt_capture_opts *opts,
		     struct dkt_capture **out)
{
	struct dkt_capture *cap = calloc(1, sizeof(*cap));
	uint32_t size = page_size(in);
	int err = 0, i;

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
	cap->cpus = calloc((size_t)in->cpus, sizeof(*cap->cpus));
	cap->heap = calloc((size_t)in->cpus, sizeof(*cap->heap));
	if (!cap->cpus || !cap->heap)
		err = -ENOMEM;
	for (i = 0; !err && i < in->cpus; i++) {
		cap->cpus[i].fd = cap->cpus[i].spool.fd = -1;
		cap->n_cpus++;
		err = cpu_open(cap, i, size);
	}
	if (err) {
		dkt_capture_close(cap);
		return err;
	}
	hint_events(cap);
	*out = cap;
	return 0;
}

void dkt_capture_close(struct dkt_capture *cap)
{
	int i;

	if (!cap)
		return;
	for (i = 0; i < cap->n_cpus; i++) {
		if (cap->cpus[i].fd >= 0)
			close(cap->cpus[i].fd);
		dkt__spool_close(&cap->cpus[i].spool);
	}
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
	for (i = 0; !err && i < cap->n_cpus; i++)
		dkt__spool_reset(&cap->cpus[i].spool);
	dkt_capture_close(cap);
	return err;
}
