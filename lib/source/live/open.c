/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens, closes and clears a live source, and finds the spools. */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/base/gained.h"
#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/source/live.h"
#include "lib/tracefs.h"

/*
 * ---- IDs of events from capture to capture ----
 *
 * Asking the kernel opens a file for each event, and the log that is read may record these opens.
 */

#define IDS_FILE "ids"

/* Reads the IDs that an earlier capture stored in the directory, if any. */
static void load_ids(struct dkt_ctx *ctx, int dirfd)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	int fd = openat(dirfd, IDS_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f __cleanup(fclose) = fd < 0 ? NULL : fdopen(fd, "r");
	char *line __cleanup(free) = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		const char *name = line;
		struct dkt_event *event;
		uint64_t id;
		char *colon;

		line[strcspn(line, "\n")] = '\0';
		colon = strchr(line, ':');
		if (dkt__take_u64(&name, NULL, DKT__DEC, &id) || *name++ != ' ' || !colon || !id ||
		    id >= MAX_ID)
			return;
		*colon = '\0';
		event = dkt_event_find(ctx, name, colon + 1);
		if (event)
			dkt__event_guess(event, (int)id);
	}
}

/* Writes the known IDs. If that fails, they are looked up again next time. */
static void save_ids(struct dkt_ctx *ctx, int dirfd)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	int fd = openat(dirfd, IDS_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0600);
	FILE *f __cleanup(fclose) = fd < 0 ? NULL : fdopen(fd, "w");

	for (int id = 1; f && id < MAX_ID; id++) {
		struct dkt_event *event = dkt__event_known(ctx, id);

		if (event)
			fprintf(f, "%d %s:%s\n", id, event->system, event->name);
	}
}

/* ---- the source ---- */

static int make_spool(const struct dkt_instance *in)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(in->spool);

	if (mkdir(in->spool, 0700) && errno != EEXIST)
		return dkt_fail(in->ctx, -errno, "create %s: %s", in->spool, strerror(errno));
	return 0;
}

const char *dkt__live_sub(unsigned int flags)
{
	return flags & DKT_LIVE_SNAPSHOT  ? DKT__SPOOL_SNAPSHOT :
	       flags & DKT_LIVE_LAST_BOOT ? DKT__SPOOL_LAST_BOOT :
					    "";
}

static int open_spool(struct dkt__live *live)
{
	const struct dkt_instance *in = live->in;
	const char *sub = dkt__live_sub(live->flags);
	char *path __cleanup(free) = dkt__format("%s%s", in->spool, sub);
	int err;

	if (!path)
		return dkt__no_memory(in->ctx);
	err = *sub ? make_spool(in) : 0;
	return err ? err :
		     dkt__spool_lock(in->ctx, path, live->flags & DKT_LIVE_FOLLOW, &live->dir,
				     &live->lock);
}

/* The file header_page has it. */
static int sub_buffer_size(struct tep_handle *tep)
{
#if LIBTRACEEVENT_VERSION >= 10500
	return tep_get_sub_buffer_size(tep);
#else
	(void)tep;
	return 0;
#endif
}

uint32_t dkt__page_size(struct dkt_instance *in)
{
	struct tep_handle *tep;
	int size;
	uint64_t kb;

	if (dkt__tfs_exists(in->ctx, "%sbuffer_subbuf_size_kb", in->prefix) &&
	    !dkt__tfs_read_u64(in->ctx, &kb, "%sbuffer_subbuf_size_kb", in->prefix) && kb &&
	    kb <= 64)
		return (uint32_t)kb * 1024;
	tep = dkt__tep(in->ctx);
	size = tep ? sub_buffer_size(tep) : 0;
	return size > 0 && size < 65536 ? (uint32_t)size : 4096;
}

static int open_buffer(struct dkt__live_cpu *cpu, int nr, const char *file, uint64_t *inode)
{
	struct stat st = { 0 };

	*inode = 0;
	if (!cpu->in)
		return 0;
	cpu->fd = dkt__tfs_open(cpu->in->ctx, O_RDONLY | O_NONBLOCK, "%sper_cpu/cpu%d/%s",
				cpu->in->prefix, nr, file);
	/* An instance that was removed and created again has new inodes. */
	if (cpu->fd >= 0 && !fstat(cpu->fd, &st))
		*inode = st.st_ino;
	return cpu->fd < 0 ? cpu->fd : 0;
}

static int cpu_open(struct dkt__live *live, size_t i, uint32_t size)
{
	struct dkt__live_cpu *cpu = &live->cpus[i];
	struct dkt__stream *s = &live->streams.list[i];
	struct dkt__spool_pos start;
	uint64_t inode;
	int err = open_buffer(cpu, s->cpu,
			      live->flags & DKT_LIVE_SNAPSHOT ? "snapshot_raw" : "trace_pipe_raw",
			      &inode);

	if (!err)
		err = dkt__spool_open(live->in->ctx, &cpu->spool, live->dir, (int)i, size, inode);
	if (err)
		return err;
	start = dkt__spool_start(&cpu->spool);
	s->from = &dkt__pages_spool;
	s->page_size = size;
	s->page_nr = start.page;
	s->offset = start.offset;
	s->n_pages = s->last = dkt__spool_pages(&cpu->spool);
	cpu->first = dkt__spool_get_base(&cpu->spool).emptied;
	return 0;
}

/* Tells which events the records probably have, so that their IDs are read first. */
static void hint_events(struct dkt__live *live)
{
	struct dkt_event **on;
	size_t n;

	if (live->dir >= 0) {
		live->retired = dkt__retired_load(live->in->ctx, live->dir);
		load_ids(live->in->ctx, live->dir);
	}
	if (!dkt_instance_get_events(live->in, &on, &n))
		dkt__events_likely(live->in->ctx, on, n);
}

/* True if the spool holds records of the top instance from before it was returned. */
static bool has_left_over(const struct dkt__live *live)
{
	char name[24];

	for (int i = live->in->cpus; i < 2 * live->in->cpus; i++) {
		dkt__spool_name(i, name);
		if (!faccessat(live->dir, name, F_OK, 0))
			return true;
	}
	return false;
}

static int open_buffers(struct dkt__live *live)
{
	struct dkt_instance *in = live->in;
	uint32_t size = dkt__page_size(in);
	size_t own = (size_t)in->cpus, n = own;
	int err = 0;

	if (!(live->flags & DKT__LIVE_APART) && dkt__instance_borrows_top(in))
		err = dkt_instance_open(in->ctx, NULL, NULL, &live->top);
	if (live->top ||
	    (!(live->flags & DKT__LIVE_APART) && live->dir >= 0 && has_left_over(live)))
		n *= 2;
	live->cpus = calloc(n, sizeof(*live->cpus));
	live->streams.list = calloc(n, sizeof(*live->streams.list));
	if (!live->cpus || !live->streams.list)
		return dkt__no_memory(live->streams.base.ctx);
	for (size_t i = 0; !err && i < n; i++) {
		live->cpus[i] = (struct dkt__live_cpu){
			.in = i < own ? in : live->top,
			.fd = -1,
			.spool.fd = -1,
		};
		live->streams.list[i].cpu = (int)(i % own);
		live->streams.n++;
		err = cpu_open(live, i, size);
	}
	return err;
}

static int open_watch(struct dkt__live *live, unsigned int percent)
{
	uint64_t size = 0;
	int err;

	if (!(live->flags & DKT_LIVE_FOLLOW))
		return 0;
	err = dkt__watch_open(&live->watch);
	if (err)
		return dkt_fail(live->in->ctx, err, "watch the buffers: %s", strerror(-err));
	live->patient = percent;
	/* If it is not known, the buffers are taken for small ones. */
	if (percent && dkt__instance_get_size(live->in, &size))
		size = 0;
	live->early_ms = dkt__watch_early_ms(size / (uint64_t)DKT__MAX(live->in->cpus, 1));
	err = dkt__percent_set(live->in, percent, &live->percent[0]);
	return err ? err : dkt__percent_set(live->top, percent, &live->percent[1]);
}

static void live_close(struct dkt_source *source)
{
	dkt__live_free((struct dkt__live *)source);
}

static const struct dkt__disks *live_disks(const struct dkt_source *source, uint32_t nr)
{
	(void)nr;
	return &((const struct dkt__live *)source)->about.disks;
}

static const struct dkt__source_ops live_ops = {
	.disks = live_disks,
	.next = dkt__live_next,
	.comm = dkt__live_comm,
	.loss = dkt__streams_loss,
	.select = dkt__streams_select,
	.filter = dkt__streams_filter,
	.wait = dkt__live_wait,
	.fd = dkt__live_fd,
	.wake = dkt__live_wake,
	.done = dkt__live_done,
	.close = live_close,
};

/* A buffer that the kernel does not fill any more is a source of its own, and does not grow. */
static int check_whole(struct dkt_instance *in, unsigned int flags)
{
	const unsigned int of = flags & (DKT__LIVE_APART | DKT_LIVE_FOLLOW);

	if (!(flags & DKT__LIVE_APART) || !(of & (of - 1)))
		return 0;
	return dkt_fail(in->ctx, -EINVAL,
			"only one of DKT_LIVE_SNAPSHOT, DKT_LIVE_LAST_BOOT and DKT_LIVE_FOLLOW");
}

int dkt__live_open(struct dkt_instance *in, const struct dkt_live_opts *opts,
		   struct dkt__live **out)
{
	struct dkt_live_opts mine;
	struct dkt__live *live;
	int err = dkt__opts_take(in->ctx, dkt_live_opts, &mine, opts);

	*out = NULL;
	if (!err)
		err = dkt__flags_check(in->ctx, "dkt_live_opts", mine.flags,
				       DKT_LIVE_KEEP | DKT_LIVE_FOLLOW | DKT_LIVE_WHOLE |
					       DKT_LIVE_SNAPSHOT | DKT_LIVE_LAST_BOOT);
	if (!err)
		err = check_whole(in, mine.flags);
	if (!err && mine.wake_percent > 100)
		err = dkt_fail(in->ctx, -EINVAL, "wake_percent is %u, and 100 is the most",
			       mine.wake_percent);
	/* Without a spool the records would be lost with the source; a saved tree keeps its own. */
	if (!err && mine.flags & DKT_LIVE_KEEP && !in->spool && !in->ctx->root)
		err = dkt_fail(in->ctx, -EINVAL, "DKT_LIVE_KEEP needs a spool that keeps them");
	if (err)
		return err;
	live = calloc(1, sizeof(*live));
	if (!live)
		return dkt__no_memory(in->ctx);
	*live = (struct dkt__live){
		.streams.base = { .ops = &live_ops, .ctx = in->ctx },
		.streams.until = UINT64_MAX,
		.in = in,
		.watch = DKT__NO_WATCH,
		.lock = -1,
		.dir = -1,
		.flags = mine.flags,
		.until = mine.until ? mine.until : UINT64_MAX,
		.flush = mine.flush,
		.data = mine.data,
	};
	if (in->spool)
		err = open_spool(live);
	if (!err)
		err = open_buffers(live);
	if (!err)
		err = open_watch(live, mine.wake_percent);
	if (err) {
		dkt__live_free(live);
		return err;
	}
	hint_events(live);
	*out = live;
	return 0;
}

int dkt_source_live(struct dkt_instance *in, const struct dkt_live_opts *opts,
		    struct dkt_source **source)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(source) && in);

	struct dkt__live *live;
	int err = dkt__live_open(in, opts, &live);

	if (!err && live->flags & DKT_LIVE_SNAPSHOT)
		err = dkt__snapshot_fetch(live);
	if (!err && live->flags & DKT_LIVE_LAST_BOOT)
		err = dkt__last_boot_fetch(live);
	if (err) {
		dkt__live_free(live);
		return err;
	}
	/* The clock, and the kernel that runs, are those of this boot. */
	if (live->flags & DKT_LIVE_LAST_BOOT) {
		live->streams.base.info.sz = sizeof(struct dkt_source_info);
		live->streams.base.info.kind = "ring buffers";
		live->streams.base.info.cpus = in->cpus;
	} else {
		dkt__about_fill(&live->about, live->in, &live->streams.base.info);
	}
	*source = &live->streams.base;
	return 0;
}

/* Closes a buffer and its spool; removes the empty spool of a removed buffer. */
static void close_buffer(struct dkt__live *live, size_t i)
{
	struct dkt__live_cpu *cpu = &live->cpus[i];
	bool empty = cpu->spool.head && !dkt__spool_pages(&cpu->spool);
	char name[24];

	if (cpu->fd >= 0)
		close(cpu->fd);
	dkt__spool_close(&cpu->spool);
	dkt__spool_name((int)i, name);
	if (!cpu->in && empty && live->dir >= 0) {
		struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(live->dir);

		unlinkat(live->dir, name, 0);
	}
}

static bool is_empty(const struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++)
		if (live->cpus[i].spool.head && dkt__spool_pages(&live->cpus[i].spool))
			return false;
	return true;
}

void dkt__live_free(struct dkt__live *live)
{
	if (!live)
		return;
	if (live->retired && is_empty(live))
		dkt__retired_forget(live->dir);
	for (size_t i = 0; i < live->streams.n; i++)
		close_buffer(live, i);
	dkt__watch_close(&live->watch);
	dkt__percent_restore(live->in, live->percent[0]);
	dkt__percent_restore(live->top, live->percent[1]);
	dkt_instance_close(live->top);
	dkt__comms_clear(&live->comms);
	if (live->dir >= 0 && live->read)
		save_ids(live->in->ctx, live->dir);
	if (live->lock >= 0)
		close(live->lock);
	if (live->dir >= 0)
		close(live->dir);
	dkt__streams_clear(&live->streams);
	free(live->cpus);
	dkt__about_clear(&live->about);
	free(live);
}

int dkt_instance_clear(struct dkt_instance *in)
{
	dkt__needs(NULL, in);

	struct dkt__live *live;
	int err;

	if (!in->spool)
		return dkt__buffers_clear(in);
	err = dkt__live_open(in, NULL, &live);
	if (err)
		return err;
	err = dkt__buffers_clear(in);
	if (!err && live->top)
		err = dkt__buffers_clear(live->top);
	for (size_t i = 0; !err && i < live->streams.n; i++)
		dkt__spool_reset(&live->cpus[i].spool);
	dkt__live_free(live);
	return err;
}
