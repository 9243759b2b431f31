/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completes the file of a recorder that was killed with what its instances still hold in the kernel.
 * They have recorded on, and may have overwritten records. Pages that the recorder had read but not
 * written went with it; the kernel counts the records that it has handed out, so that their number
 * is known too.
 */
#include <fcntl.h>
#include <sys/statvfs.h>

#include "lib/base/io.h"
#include "lib/base/own_name.h"
#include "lib/instance.h"
#include "lib/recorder.h"
#include "lib/tracedat.h"
#include "lib/tracedat/pack.h"

/* Bytes for names, marks and heads of sections. */
#define MORE (UINT64_C(1) << 20)

struct rescue {
	struct dkt_ctx *ctx;
	struct dkt__dat *dat;
	struct dkt_instance **in; /* by buffer */
	struct dkt_recorder *recorder;
	int fd;
};

/* ---- the instances ---- */

/* Returns 0 if all instances of the file are those of a killed process of this boot, otherwise 1. */
static int check_names(const struct rescue *r)
{
	char boot[DKT__BOOT_SIZE];

	dkt__boot_id(boot);
	for (size_t i = 0; i < r->dat->n_buffers; i++) {
		const struct dkt__dat_buffer *buffer = &r->dat->buffers[i];
		int exited = buffer->instance ? dkt__own_exited(buffer->instance) : -EINVAL;

		if (exited < 0 || strcmp(buffer->boot, boot) != 0)
			return 1;
		if (!exited)
			return dkt_fail(r->ctx, -EBUSY, "the process that records into %s lives",
					buffer->instance);
	}
	return !r->dat->n_buffers;
}

static int open_instances(struct rescue *r)
{
	int err = 0;

	r->in = calloc(r->dat->n_buffers, sizeof(*r->in));
	if (!r->in)
		return dkt__no_memory(r->ctx);
	for (size_t i = 0; !err && i < r->dat->n_buffers; i++)
		err = dkt_instance_open(r->ctx, r->dat->buffers[i].instance, NULL, &r->in[i]);
	for (size_t i = 0; !err && i < r->dat->n_buffers; i++)
		err = dkt_instance_set_on(r->in[i], false);
	return err;
}

static int remove_instances(struct rescue *r)
{
	int err = 0;

	for (size_t i = 0; i < r->dat->n_buffers; i++) {
		dkt_instance_close(r->in[i]);
		r->in[i] = NULL;
		err = dkt__own_remove(r->ctx, r->dat->buffers[i].instance) ?: err;
	}
	return err;
}

/* ---- the file ---- */

/* Checks that all records can be added to the file. Nothing has been read from the kernel yet. */
static int check_room(const struct rescue *r)
{
	struct dkt_cpu_stats stats;
	struct statvfs fs;
	uint64_t need = MORE, room;
	int err = 0;

	if ((fcntl(r->fd, F_GETFL) & O_ACCMODE) != O_RDWR)
		return dkt_fail(r->ctx, -EROFS,
				"the kernel holds more records, and the file cannot be written");
	for (size_t i = 0; !err && i < r->dat->n_buffers; i++)
		for (int cpu = 0; !err && cpu < r->in[i]->cpus; cpu++) {
			err = dkt_instance_get_stats(r->in[i], cpu, &stats, sizeof(stats));
			/* A page may be half empty. */
			need += 2 * stats.bytes + r->dat->buffers[i].page_size;
		}
	if (err || fstatvfs(r->fd, &fs) || !fs.f_blocks)
		return err;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (room >= need)
		return 0;
	return dkt_fail(r->ctx, -ENOSPC,
			"the kernel holds more records, which need %.1f MB; %.1f MB are free",
			(double)need / DKT__MB, (double)room / DKT__MB);
}

/* Removes what cannot be read at the end of the file, so that more sections can follow. */
static int mend_end(struct dkt_ctx *ctx, const struct dkt__dat *dat, int fd)
{
	const uint64_t head = 16;
	uint8_t size[8];
	int err = 0;

	if (!dat->end)
		return dkt_fail(ctx, -EBADMSG, "its end is damaged, so that nothing can be added");
	if (ftruncate(fd, (off_t)dat->end) || lseek(fd, (off_t)dat->end, SEEK_SET) < 0)
		err = -errno;
	dkt__put_bytes(size, dat->end - dat->cut_section - head, sizeof(size), ctx->big_endian);
	if (!err && dat->cut_section)
		err = dkt__pwrite_all(fd, size, sizeof(size), dat->cut_section + 8);
	return err ? dkt_fail(ctx, err, "write the recording: %s", strerror(-err)) : 0;
}

/* ---- counts ---- */

static uint64_t count_records(struct dkt__streams *streams, struct dkt__stream *s)
{
	struct dkt__page_record record;
	uint64_t n = 0;

	for (uint64_t nr = 0; nr < s->n_pages; nr++) {
		const uint8_t *bytes = s->from->page(streams, s, nr, &s->page.size);

		if (!bytes || dkt__page_load(&s->page, bytes, 0, &record))
			continue;
		do
			n++;
		while (!dkt__page_next(&s->page, &record));
	}
	return n;
}

/*
 * Continues the counts of a CPU. The kernel has handed out stats->read records, of which the file has
 * only so many.
 */
static void continue_cpu(struct dkt__recorder_cpu *cpu, const struct dkt_cpu_stats *stats,
			 const struct dkt__dat_base *base, uint64_t records, uint64_t told)
{
	uint64_t read = stats->read - base->read, lost = dkt__recorder_lost(stats);

	cpu->told = told;
	cpu->base = base->lost;
	cpu->told_before = read > records ? read - records : 0;
	/* Somebody has emptied the buffers, so that the kernel's counts restarted. */
	if (stats->read < base->read || lost < base->lost) {
		cpu->base = 0;
		cpu->told_before = told;
	} else if (cpu->told_before + lost - base->lost < told) {
		cpu->told_before = told;
	}
}

static int continue_counts(struct dkt_recorder *recorder, struct dkt__dat *dat)
{
	struct dkt__streams *streams = &dat->streams;

	for (size_t i = 0; i < recorder->n; i++) {
		struct dkt__recorder_buffer *b = &recorder->buffers[i];
		const struct dkt__dat_buffer *from = &dat->buffers[i];

		for (int cpu = 0; cpu < b->n_cpus; cpu++) {
			struct dkt__dat_base base = { 0 };
			struct dkt_cpu_stats stats;
			uint64_t records = 0, told = 0;
			int err = dkt_instance_get_stats(b->in, cpu, &stats, sizeof(stats));

			if (err)
				return err;
			for (size_t j = 0; j < streams->n; j++)
				if (streams->list[j].buffer == i && streams->list[j].cpu == cpu) {
					records = count_records(streams, &streams->list[j]);
					told = streams->list[j].lost;
				}
			if ((uint32_t)cpu < from->n_bases)
				base = from->bases[cpu];
			continue_cpu(&b->cpus[cpu], &stats, &base, records, told);
		}
	}
	return dkt__recorder_missed_continue(recorder, &streams->base);
}

/* ---- the call ---- */

static int open_recorder(struct rescue *r)
{
	int err = dkt_recorder_new(r->ctx, NULL, &r->recorder);

	for (size_t i = 0; !err && i < r->dat->n_buffers; i++) {
		struct dkt__recorder_buffer *b;

		err = dkt_recorder_add(r->recorder, r->in[i], r->dat->buffers[i].name);
		if (err)
			break;
		b = &r->recorder->buffers[i];
		dkt__recorder_size(b);
		if (b->page_size != r->dat->buffers[i].page_size)
			err = dkt_fail(r->ctx, -EINVAL,
				       "%s has pages of another size than the file",
				       r->dat->buffers[i].instance);
	}
	if (!err)
		r->recorder->codec = r->dat->codec;
	return err;
}

/* Checks that nothing is left, because the instances will be removed. */
static int check_empty(const struct rescue *r)
{
	struct dkt_cpu_stats stats;
	int err = 0;

	for (size_t i = 0; !err && i < r->dat->n_buffers; i++)
		for (int cpu = 0; !err && cpu < r->in[i]->cpus; cpu++) {
			err = dkt_instance_get_stats(r->in[i], cpu, &stats, sizeof(stats));
			if (!err && stats.entries)
				err = dkt_fail(r->ctx, -EIO,
					       "%s still holds %llu records of cpu %d",
					       r->dat->buffers[i].instance,
					       (unsigned long long)stats.entries, cpu);
		}
	return err;
}

/* Moves the records to the file, and sets *records to their number. */
static int move(struct rescue *r, uint64_t *records)
{
	struct dkt_recorder_counts before = { 0 }, after = { 0 };
	int err = continue_counts(r->recorder, r->dat);

	if (!err)
		err = dkt_recorder_get_counts(r->recorder, &before, sizeof(before));
	if (!err)
		err = mend_end(r->ctx, r->dat, r->fd);
	if (!err) {
		r->recorder->fd = r->fd;
		err = dkt_recorder_end(r->recorder);
	}
	if (!err)
		err = check_empty(r);
	if (!err)
		err = dkt_recorder_get_counts(r->recorder, &after, sizeof(after));
	*records = after.records - before.records;
	return err;
}

static int rescue(struct rescue *r, uint64_t *records)
{
	int err = r->dat->streams.base.info.growing ? check_names(r) : 1;

	if (!err)
		err = open_instances(r);
	if (!err)
		err = check_room(r);
	if (!err)
		err = open_recorder(r);
	if (!err)
		err = move(r, records);
	dkt_recorder_free(r->recorder);
	if (!err)
		err = remove_instances(r);
	for (size_t i = 0; r->in && i < r->dat->n_buffers; i++)
		dkt_instance_close(r->in[i]);
	free(r->in);
	return err;
}

int dkt__recorder_rescue(struct dkt_ctx *ctx, int fd, uint64_t *records)
{
	dkt__needs(ctx, dkt__clear(records) && ctx && fd >= 0);

	struct rescue r = { .ctx = ctx, .fd = fd };
	struct dkt_ctx *own;
	int err = dkt__with_words(ctx, dkt_ctx_new(NULL, &own));

	if (err)
		return err;
	err = dkt__dat_open_recording(own, fd, &r.dat);
	if (err < 0)
		dkt_fail(ctx, err, "%s", dkt_error(own));
	if (!err) {
		err = rescue(&r, records);
		dkt_source_close(&r.dat->streams.base);
	}
	dkt_ctx_free(own);
	return err;
}

/* ---- going on ---- */

/* Returns 0 if the file is an unfinished one of the recorder's instances and this boot, otherwise 1. */
static int check_instances(const struct dkt_recorder *r, const struct dkt__dat *dat)
{
	char boot[DKT__BOOT_SIZE];

	dkt__boot_id(boot);
	if (!dat->streams.base.info.growing || dat->n_buffers != r->n || !dat->end)
		return 1;
	for (size_t i = 0; i < r->n; i++) {
		const struct dkt__dat_buffer *from = &dat->buffers[i];
		const char *name = dkt_instance_name(r->buffers[i].in);

		if (!from->instance || strcmp(from->instance, name ? name : "") != 0 ||
		    strcmp(from->boot, boot) != 0 || strcmp(from->name, r->buffers[i].name) != 0 ||
		    from->page_size != r->buffers[i].page_size)
			return 1;
	}
	return 0;
}

static int go_on(struct dkt_recorder *r, struct dkt__dat *dat, int fd)
{
	int err = check_instances(r, dat);

	if (!err)
		err = continue_counts(r, dat);
	if (!err)
		err = mend_end(r->ctx, dat, fd);
	if (err)
		return err;
	for (size_t i = 0; i < r->n; i++)
		dkt__recorder_size(&r->buffers[i]);
	dkt__comms_clear(&r->names);
	memset(r->known, 0, sizeof(r->known));
	r->written = dat->end;
	r->about.info.id = dat->streams.base.info.id;
	r->begun = true;
	r->fd = fd;
	return 0;
}

int dkt__recorder_resume(struct dkt_recorder *r, int fd)
{
	dkt__needs(r ? r->ctx : NULL, r && fd >= 0);

	struct dkt__dat *dat;
	struct dkt_ctx *own;
	int err;

	if (r->fd >= 0)
		return dkt_fail(r->ctx, -EBUSY, "resume a recording: the last one has not ended");
	err = dkt__with_words(r->ctx, dkt_ctx_new(NULL, &own));
	if (err)
		return err;
	err = dkt__dat_open_recording(own, fd, &dat);
	if (err < 0)
		dkt_fail(r->ctx, err, "%s", dkt_error(own));
	if (!err) {
		err = go_on(r, dat, fd);
		dkt_source_close(&dat->streams.base);
	}
	dkt_ctx_free(own);
	return err ? err : dkt__recorder_formats(r);
}
