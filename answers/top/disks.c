/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disks: the kernel's statistics, and the latency of single requests from records. */
#include <inttypes.h>

#include "answers/top/state.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"

#define SECTOR_BYTES 512

/* The statistics of a disk are one line of less than 200 bytes. */
#define STATS_MAX (4 << 20)

/* As the records have a device's number. */
static uint64_t device_key(unsigned int major, unsigned int minor)
{
	return (uint64_t)major << 20 | minor;
}

/* ---- records ---- */

/* Returns the number of the request's sectors. */
static uint64_t request_key(const struct counted *counted, const struct dkt_record *record,
			    uint64_t key[DKT__REQUEST_WORDS])
{
	const uint64_t sectors = (uint64_t)dkt_record_int(record, counted->fields[3]);
	size_t len;
	const char *text = dkt_record_bytes(record, counted->fields[2], &len);

	dkt__request_key((uint64_t)dkt_record_int(record, counted->fields[0]),
			 (uint64_t)dkt_record_int(record, counted->fields[1]), sectors, text, len,
			 key);
	return sectors;
}

int request_issue(struct activity *activity, const struct counted *counted,
		  const struct dkt_record *record)
{
	uint64_t key[DKT__REQUEST_WORDS];
	const uint64_t sectors = request_key(counted, record, key);
	bool again;

	/* A flush has no sectors, and is no request for data. */
	return !sectors || dkt__open_begin(&activity->requests, key, record->ts, sectors, &again) ?
		       0 :
		       -ENOMEM;
}

int request_complete(struct activity *activity, const struct counted *counted,
		     const struct dkt_record *record)
{
	uint64_t key[DKT__REQUEST_WORDS], ns;
	const uint64_t sectors = request_key(counted, record, key);
	const struct dkt__begun *begun;
	struct activity_disk *disk;
	uint32_t nr;
	bool part;

	begun = dkt__open_end(&activity->requests, key, sectors, &part, NULL);
	nr = begun ? dkt__keymap_find(&activity->by_device, key) : DKT__KEYMAP_NONE;
	/* An unknown disk is found when its statistics are read. */
	if (nr == DKT__KEYMAP_NONE)
		return 0;
	disk = &activity->disks[nr].now;
	ns = record->ts - begun->ts;
	disk->timed++;
	disk->latency_sum += ns;
	disk->latency_max = DKT__MAX(disk->latency_max, ns);
	return 0;
}

/* ---- statistics ---- */

/* A line of /proc/diskstats. */
struct stats {
	unsigned int major, minor;
	char name[sizeof(((struct activity_disk *)NULL)->name)];
	uint64_t n[11];
};

static bool parse_stats(const char *line, struct stats *stats)
{
	uint64_t *n = stats->n;

	return sscanf(line,
		      "%u %u %31s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		      " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		      &stats->major, &stats->minor, stats->name, &n[0], &n[1], &n[2], &n[3], &n[4],
		      &n[5], &n[6], &n[7], &n[8], &n[9], &n[10]) == 14;
}

static struct disk *find_disk(struct activity *activity, const struct stats *stats)
{
	const uint64_t key = device_key(stats->major, stats->minor);
	char *path __cleanup(free) = NULL;
	struct disk *disk;
	uint32_t entry;
	bool added;

	entry = dkt__keymap_add(&activity->by_device, &key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	disk = dkt__reach(activity->disks, activity->n_disks, entry);
	if (!disk || !added)
		return disk;
	*disk = (struct disk){ 0 };
	memcpy(disk->now.name, stats->name, sizeof(disk->now.name));
	path = dkt__format("%s/block/%s", activity->sys, stats->name);
	for (char *p = path ? path + strlen(path) - strlen(stats->name) : NULL; p && *p; p++)
		*p = *p == '/' ? '!' : *p;
	disk->whole = path && !access(path, F_OK);
	return disk;
}

/* The counters only grow, unless the device has been removed and another one has its number. */
static uint64_t since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : 0;
}

static void read_stats(struct disk *disk, const struct stats *stats)
{
	const struct activity_disk before = disk->total;
	struct activity_disk *now = &disk->now, *total = &disk->total;
	const bool first = !disk->read;

	*total = (struct activity_disk){
		.reads = stats->n[0],
		.read_bytes = stats->n[2] * SECTOR_BYTES,
		.writes = stats->n[4],
		.written_bytes = stats->n[6] * SECTOR_BYTES,
		.ms = stats->n[3] + stats->n[7],
		.queue_ms = stats->n[10],
	};
	disk->read = true;
	now->in_flight = stats->n[8];
	if (first)
		return;
	now->reads = since(total->reads, before.reads);
	now->writes = since(total->writes, before.writes);
	now->read_bytes = since(total->read_bytes, before.read_bytes);
	now->written_bytes = since(total->written_bytes, before.written_bytes);
	now->ms = since(total->ms, before.ms);
	now->queue_ms = since(total->queue_ms, before.queue_ms);
}

/* A disk that was never used is of no interest, such as the loop devices that wait for a file. */
static bool is_used(const struct disk *disk)
{
	return disk->whole &&
	       (disk->total.reads || disk->total.writes || disk->now.in_flight || disk->now.timed);
}

static int take_disk(struct activity *activity, const struct stats *stats,
		     struct activity_frame *frame)
{
	struct disk *disk = find_disk(activity, stats);
	size_t n = frame->n_disks;
	int err;

	if (!disk)
		return -ENOMEM;
	read_stats(disk, stats);
	if (!is_used(disk))
		return 0;
	err = dkt__append(frame->disks, n, disk->now);
	frame->n_disks = n;
	disk->now.timed = disk->now.latency_sum = disk->now.latency_max = 0;
	return err;
}

int disks_take(struct activity *activity, struct activity_frame *frame)
{
	char *path __cleanup(free) = dkt__format("%s/diskstats", activity->proc);
	char *text __cleanup(free) = NULL, *save = NULL;
	struct stats stats;
	size_t len;
	int err = 0;

	if (!path)
		return -ENOMEM;
	/* Containers may lack the file: then no disks are known. */
	if (dkt__read_file(path, STATS_MAX, &text, &len))
		return 0;
	for (char *line = strtok_r(text, "\n", &save); !err && line;
	     line = strtok_r(NULL, "\n", &save))
		if (parse_stats(line, &stats))
			err = take_disk(activity, &stats, frame);
	return err;
}

int disks_start(struct activity *activity)
{
	struct activity_frame none = { 0 };
	int err = disks_take(activity, &none);

	activity_frame_clear(&none);
	return err;
}
