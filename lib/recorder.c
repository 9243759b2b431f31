/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recorder: moves the pages of instances into a file while they are recorded (tracedat/journal.h
 * describes the file).
 *
 * One thread reads all CPUs. The pages go through a pipe and are not copied before the file system
 * takes them, and that takes one page at a time of a file whatever the number of readers.
 */
#include <fcntl.h>

#include "lib/base/io.h"
#include "lib/instance.h"
#include "lib/recorder.h"
#include "lib/source/live.h"
#include "lib/tracedat/journal.h"
#include "lib/tracefs.h"

/* ---- buffers ---- */

static void buffer_clear(struct dkt__recorder_buffer *b)
{
	for (int cpu = 0; cpu < b->n_cpus; cpu++) {
		if (b->cpus[cpu].fd >= 0)
			close(b->cpus[cpu].fd);
		free(b->cpus[cpu].counts);
	}
	dkt__percent_restore(b->in, b->percent);
	free(b->cpus);
	free(b->name);
}

static int open_cpus(struct dkt__recorder_buffer *b, bool fresh)
{
	struct dkt_ctx *ctx = b->in->ctx;

	b->cpus = calloc((size_t)b->in->cpus + 1, sizeof(*b->cpus));
	if (!b->cpus)
		return dkt__no_memory(ctx);
	for (int cpu = 0; cpu < b->in->cpus; cpu++) {
		int fd = dkt__tfs_open(ctx, O_RDONLY | O_NONBLOCK, "%sper_cpu/cpu%d/trace_pipe_raw",
				       b->in->prefix, cpu);

		if (fd < 0)
			return fd;
		b->cpus[cpu].fd = fd;
		b->cpus[cpu].fresh = fresh;
		b->n_cpus++;
	}
	return 0;
}

void dkt__recorder_size(struct dkt__recorder_buffer *b)
{
	uint64_t all;

	b->size = UINT64_MAX;
	if (b->n_cpus && !dkt__instance_get_size(b->in, &all))
		b->size = all / (uint64_t)b->n_cpus;
}

int dkt_recorder_add(struct dkt_recorder *r, struct dkt_instance *in, const char *name)
{
	dkt__needs(r ? r->ctx : NULL, r && in && name);

	struct dkt__recorder_buffer b = { .in = in, .page_size = dkt__page_size(in) };
	int err;

	if (r->fd >= 0)
		return dkt_fail(r->ctx, -EBUSY, "add an instance: the recording has begun");
	b.name = strdup(name);
	err = b.name ? open_cpus(&b, r->fresh) : dkt__no_memory(r->ctx);
	if (!err)
		err = dkt__percent_set(in, r->wake_percent, &b.percent);
	if (!err)
		err = dkt__with_words(r->ctx, dkt__append(r->buffers, r->n, b));
	if (err)
		buffer_clear(&b);
	return err;
}

/* ---- opening and closing ---- */

static int open_pipe(struct dkt_recorder *r)
{
	int size;

	if (pipe2(r->pipe, O_CLOEXEC))
		return dkt_fail(r->ctx, -errno, "create a pipe: %s", strerror(errno));
	/* An unprivileged process may have to be content with less. */
	size = fcntl(r->pipe[1], F_SETPIPE_SZ, DKT__RECORDER_CHUNK);
	if (size < 0)
		size = fcntl(r->pipe[1], F_GETPIPE_SZ);
	r->pipe_size = size > 0 ? (size_t)size : 0;
	return 0;
}

static int set_codec(struct dkt_recorder *r, const char *compression)
{
	r->codec = dkt__codec_find("zstd");
	if (!compression || !strcmp(compression, "none"))
		return 0;
	r->codec = dkt__codec_find(compression);
	if (!r->codec)
		return dkt_fail(r->ctx, -EINVAL,
				"compression '%s' is not supported; use zstd, zlib or none",
				compression);
	r->pack = true;
	r->packed = malloc(r->codec->bound(DKT__RECORDER_CHUNK));
	return r->packed ? 0 : dkt__no_memory(r->ctx);
}

static const struct dkt__disks *about_disks(const struct dkt_source *source, uint32_t nr)
{
	(void)nr;
	return &((const struct dkt_recorder *)source)->facts.disks;
}

static const struct dkt__source_ops about_ops = { .disks = about_disks };

int dkt_recorder_new(struct dkt_ctx *ctx, const struct dkt_recorder_opts *opts,
		     struct dkt_recorder **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx);

	struct dkt_recorder_opts mine;
	struct dkt_recorder *r;
	int err = dkt__opts_take(ctx, dkt_recorder_opts, &mine, opts);

	if (!err)
		err = dkt__flags_check(ctx, "dkt_recorder_opts", mine.flags,
				       DKT_RECORDER_FRESH | DKT_RECORDER_SKIP_SELF);
	if (!err && mine.wake_percent > 100)
		err = dkt_fail(ctx, -EINVAL, "wake_percent is %u, and 100 is the most",
			       mine.wake_percent);
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return dkt__no_memory(ctx);
	r->ctx = r->about.ctx = ctx;
	r->about.ops = &about_ops;
	r->fd = r->pipe[0] = r->pipe[1] = -1;
	r->watch = (struct dkt__watch)DKT__NO_WATCH;
	r->wake_percent = mine.wake_percent ? mine.wake_percent : 50;
	r->fresh = mine.flags & DKT_RECORDER_FRESH;
	r->skip_self = mine.flags & DKT_RECORDER_SKIP_SELF;
	r->pack_most = mine.compress_most ? mine.compress_most : UINT64_MAX;
	r->room = mine.room;
	r->data = mine.data;
	r->pages = dkt__read_buffer(DKT__RECORDER_CHUNK);
	err = r->pages ? dkt_buf_new(&r->out) : dkt__no_memory(ctx);
	if (!err)
		err = set_codec(r, mine.compression);
	if (!err)
		err = open_pipe(r);
	if (!err) {
		err = dkt__watch_open(&r->watch);
		if (err)
			err = dkt_fail(ctx, err, "watch the buffers: %s", strerror(-err));
	}
	if (err) {
		dkt_recorder_free(r);
		return err;
	}
	*out = r;
	return 0;
}

void dkt_recorder_free(struct dkt_recorder *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		buffer_clear(&r->buffers[i]);
	dkt__watch_close(&r->watch);
	if (r->pipe[0] >= 0)
		close(r->pipe[0]);
	if (r->pipe[1] >= 0)
		close(r->pipe[1]);
	dkt__comms_clear(&r->names);
	dkt__about_clear(&r->facts);
	dkt_buf_free(r->out);
	free(r->buffers);
	free(r->probes);
	free(r->pages);
	free(r->packed);
	if (r->codec)
		r->codec->release(r->codec_state);
	free(r);
}

/* ---- marks ---- */

uint64_t dkt__recorder_lost(const struct dkt_cpu_stats *stats)
{
	return stats->overrun + stats->commit_overrun + stats->dropped;
}

/* Reads how many records the kernel has lost. The counts restart when somebody empties the buffers. */
static int read_lost(struct dkt_recorder *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (int nr = 0; nr < r->buffers[i].n_cpus; nr++) {
			struct dkt__recorder_cpu *cpu = &r->buffers[i].cpus[nr];
			struct dkt_cpu_stats stats = { 0 };
			int err =
				dkt_instance_get_stats(r->buffers[i].in, nr, &stats, sizeof(stats));

			/* A saved tree may lack them. */
			if (err && err != -ENOENT)
				return err;
			if (dkt__recorder_lost(&stats) < cpu->lost) {
				cpu->told_before += cpu->lost - cpu->base;
				cpu->base = 0;
			}
			cpu->lost = dkt__recorder_lost(&stats);
		}
	return 0;
}

/* The records of the CPU that were lost since the file began. */
static uint64_t lost_of(const struct dkt__recorder_cpu *cpu)
{
	return cpu->told_before + cpu->lost - cpu->base;
}

/* The same up to now, or to the end of the last file. stats: of the CPU. */
static uint64_t lost_now(const struct dkt_recorder *r, const struct dkt__recorder_cpu *cpu,
			 const struct dkt_cpu_stats *stats)
{
	const uint64_t now = dkt__recorder_lost(stats);

	if (r->fd < 0)
		return lost_of(cpu);
	return lost_of(cpu) + now - (now < cpu->lost ? 0 : cpu->lost);
}

static void put_lost(struct dkt_recorder *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (int nr = 0; nr < r->buffers[i].n_cpus; nr++) {
			struct dkt__recorder_cpu *cpu = &r->buffers[i].cpus[nr];

			if (lost_of(cpu) == cpu->told)
				continue;
			dkt__recorder_number(r, i, 4);
			dkt__recorder_number(r, (uint64_t)nr, 4);
			dkt__recorder_number(r, lost_of(cpu), 8);
			cpu->told = lost_of(cpu);
		}
}

/* Writes a mark: all records before that time are in the file. */
static int put_mark(struct dkt_recorder *r, uint64_t now)
{
	uint64_t n = 0;
	int err = read_lost(r);

	if (!err)
		err = dkt__recorder_missed_put(r);
	if (err)
		return err;
	for (size_t i = 0; i < r->n; i++)
		for (int nr = 0; nr < r->buffers[i].n_cpus; nr++)
			n += lost_of(&r->buffers[i].cpus[nr]) != r->buffers[i].cpus[nr].told;
	dkt__recorder_section(r, DKT__JOURNAL_MARK, 0, 8 + 16 * n);
	dkt__recorder_number(r, now, 8);
	put_lost(r);
	return dkt__recorder_flush(r);
}

/* ---- recording ---- */

/* Adds the kernel's counts at the beginning of the file, for those who go on with it after a kill. */
static int put_bases(struct dkt_recorder *r, const struct dkt__recorder_buffer *b)
{
	dkt__recorder_number(r, (uint64_t)b->n_cpus, 4);
	for (int nr = 0; nr < b->n_cpus; nr++) {
		struct dkt_cpu_stats stats = { 0 };
		int err = dkt_instance_get_stats(b->in, nr, &stats, sizeof(stats));

		/* A saved tree may lack them. */
		if (err && err != -ENOENT)
			return err;
		dkt__recorder_number(r, stats.read, 8);
		dkt__recorder_number(r, b->cpus[nr].base, 8);
	}
	return 0;
}

static int put_names(struct dkt_recorder *r)
{
	const char *clock = r->facts.clock ? r->facts.clock : "";
	char boot[DKT__BOOT_SIZE];
	int err = 0;

	dkt__boot_id(boot);
	for (size_t i = 0; !err && i < r->n; i++) {
		const struct dkt__recorder_buffer *b = &r->buffers[i];
		const char *instance = b->in->name ? b->in->name : "";
		const char *words[] = { b->name, clock, instance, boot };
		size_t size = 8;

		for (size_t j = 0; j < ARRAY_SIZE(words); j++)
			size += strlen(words[j]) + 1;
		size += 4 + 16 * (size_t)b->n_cpus;
		dkt__recorder_section(r, DKT__JOURNAL_BUFFER, 0, size);
		dkt__recorder_number(r, i, 4);
		dkt__recorder_number(r, b->page_size, 4);
		for (size_t j = 0; j < ARRAY_SIZE(words); j++)
			dkt__buf_add(r->out, words[j], strlen(words[j]) + 1);
		err = put_bases(r, b);
		if (!err)
			err = dkt__recorder_flush(r);
	}
	return err;
}

/* Starts the counts of a new file where those of the last one ended. */
static int begin_counts(struct dkt_recorder *r, bool fresh)
{
	int err = fresh ? read_lost(r) : 0;

	for (size_t i = 0; i < r->n; i++)
		for (int nr = 0; nr < r->buffers[i].n_cpus; nr++) {
			struct dkt__recorder_cpu *cpu = &r->buffers[i].cpus[nr];

			cpu->base = cpu->lost;
			cpu->told = cpu->told_before = 0;
		}
	return err ? err : dkt__recorder_missed_begin(r, fresh);
}

int dkt_recorder_begin(struct dkt_recorder *r, int fd)
{
	dkt__needs(r ? r->ctx : NULL, r && fd >= 0);

	const bool first = !r->begun;
	int err;

	if (r->fd >= 0)
		return dkt_fail(r->ctx, -EBUSY, "begin a recording: the last one has not ended");
	if (!r->n)
		return dkt_fail(r->ctx, -EINVAL, "begin a recording: it has no instance");
	dkt__about_clear(&r->facts);
	dkt__about_fill(&r->facts, r->buffers[0].in, &r->about.info);
	r->about.info.id = dkt__recorder_identity(r);
	dkt__comms_clear(&r->names);
	r->names_due = 0;
	r->written = r->moved = 0;
	r->fd = fd;
	for (size_t i = 0; i < r->n; i++)
		dkt__recorder_size(&r->buffers[i]);
	err = begin_counts(r, first);
	r->begun = true;
	if (!err && r->skip_self)
		err = dkt__recorder_skip_self(r);
	if (!err)
		err = dkt__recorder_head(r);
	if (!err)
		err = put_names(r);
	if (!err)
		err = dkt__recorder_names(r, false);
	if (err) {
		/* There is nothing in the file yet that another one would lack. */
		dkt_buf_reset(r->out);
		r->sent = 0;
		r->fd = -1;
		return err;
	}
	/* The records overwritten until now are not lost to a flight recorder. */
	return first && r->fresh ? begin_counts(r, true) : 0;
}

int dkt_recorder_read(struct dkt_recorder *r)
{
	dkt__needs(NULL, r);

	uint64_t now = 0;
	int err;

	if (r->fd < 0)
		return dkt_fail(r->ctx, -EINVAL, "the recording has not begun");
	/* A clock that cannot be read gives no time: the reader then orders what it has. */
	if (dkt_instance_get_now(r->buffers[0].in, &now))
		now = 0;
	err = dkt__recorder_move(r, true);
	if (!err)
		err = dkt__recorder_names(r, false);
	return err ? err : put_mark(r, now);
}

/* Counts the records that stay in the buffers as lost. */
static int give_up(struct dkt_recorder *r)
{
	int err = dkt__recorder_names(r, false);

	for (size_t i = 0; !err && i < r->n; i++)
		for (int nr = 0; !err && nr < r->buffers[i].n_cpus; nr++) {
			struct dkt_cpu_stats stats;

			err = dkt_instance_get_stats(r->buffers[i].in, nr, &stats, sizeof(stats));
			r->buffers[i].cpus[nr].told_before += stats.entries;
		}
	return err ? err : put_mark(r, 0);
}

int dkt_recorder_end(struct dkt_recorder *r)
{
	dkt__needs(NULL, r);

	int err = dkt_recorder_read(r);

	if (err == -EDQUOT && r->room)
		err = give_up(r);
	if (!err)
		err = dkt__recorder_names(r, true);
	if (err)
		return err;
	dkt__recorder_section(r, DKT__JOURNAL_END, 0, 0);
	err = dkt__recorder_flush(r);
	if (!err)
		r->fd = -1;
	return err;
}

int dkt_recorder_get_counts(struct dkt_recorder *r, struct dkt_recorder_counts *counts, size_t sz)
{
	dkt__needs(r ? r->ctx : NULL, dkt__blank(counts, sz) && r);

	struct dkt_recorder_counts now = { .bytes = r->written,
					   .id = r->about.info.id,
					   .uncompressed = r->moved };

	for (size_t i = 0; i < r->n; i++)
		for (int nr = 0; nr < r->buffers[i].n_cpus; nr++) {
			struct dkt_cpu_stats stats = { 0 };
			int err =
				dkt_instance_get_stats(r->buffers[i].in, nr, &stats, sizeof(stats));

			if (err && err != -ENOENT)
				return err;
			now.records += stats.read;
			now.lost += lost_now(r, &r->buffers[i].cpus[nr], &stats);
		}
	return dkt__fill(counts, sz, &now);
}
