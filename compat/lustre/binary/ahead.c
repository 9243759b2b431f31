/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that find the runs of a log's later parts while its first part is read. */
#include "compat/lustre/binary/ahead.h"

static bool is_over(const struct ahead *ahead)
{
	return __atomic_load_n(&ahead->stop, __ATOMIC_RELAXED);
}

static void read_part(struct ahead_part *part, struct record_scan *scan, uint64_t to)
{
	const struct ahead *ahead = part->ahead;
	const uint8_t *rec;
	uint32_t len;

	while (part->end < to && !is_over(ahead) && !dkl_record_scan_next(scan, &rec, &len)) {
		uint64_t offset = record_scan_offset(scan, len);

		if (!record_shown(rec, &ahead->show)) {
			part->index.dropped++;
			runs_skip(&part->index.runs, offset, len);
		} else if (dkl_record_index_add(&part->index, offset, rec, len)) {
			return;
		}
		part->end = offset + len;
		if (runs_are_short(&part->index.runs, part->index.kept))
			return;
	}
}

static void *run(void *data)
{
	struct ahead_part *part = data;
	const struct ahead *ahead = part->ahead;
	struct record_scan scan;

	if (!dkl_record_scan_open(&scan, ahead->fd, true)) {
		scan.plain = true;
		dkl_record_scan_seek(&scan, part->start);
		if (!dkl_record_scan_find(&scan)) {
			part->first = part->end = record_scan_offset(&scan, 0);
			read_part(part, &scan, part->start + ahead->part_size);
		}
		part->index.longest = scan.longest;
	}
	dkl_record_scan_close(&scan);
	return NULL;
}

void dkl_ahead_open(struct ahead *ahead, int fd, uint64_t size, uint64_t least,
		    const struct record_masks *show)
{
	unsigned int n = dkl_crew_size();

	while (n > 1 && size / n < least)
		n--;
	*ahead = (struct ahead){ .fd = fd, .show = *show, .part_size = size / n };
	for (unsigned int i = 0; i + 1 < n; i++) {
		struct ahead_part *part = &ahead->parts[i];

		*part = (struct ahead_part){ .ahead = ahead, .start = (i + 1) * ahead->part_size };
		if (pthread_create(&part->thread, NULL, run, part))
			break;
		ahead->n++;
	}
}

static struct ahead_part *take_next(struct ahead *ahead)
{
	struct ahead_part *part = &ahead->parts[ahead->next++];

	pthread_join(part->thread, NULL);
	return part;
}

const struct ahead_part *dkl_ahead_take(struct ahead *ahead, uint64_t offset)
{
	while (offset >= ahead_start(ahead)) {
		struct ahead_part *part = take_next(ahead);

		if (part->first == offset && part->end > offset)
			return part;
	}
	return NULL;
}

void dkl_ahead_close(struct ahead *ahead)
{
	__atomic_store_n(&ahead->stop, true, __ATOMIC_RELAXED);
	while (ahead->next < ahead->n)
		take_next(ahead);
	for (unsigned int i = 0; i < ahead->n; i++)
		dkl_runs_clear(&ahead->parts[i].index.runs);
}
