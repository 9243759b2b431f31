/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Process names: from the kernel's saved_cmdlines, otherwise from the process itself. */
#include "lib/instance.h"
#include "lib/source/comms.h"
#include "lib/source/live.h"
#include "lib/tracefs.h"

/* A name is that of records up to this time after the one for which it was read. */
#define AGAIN_NS UINT64_C(50000000)

static void read_saved(struct dkt_ctx *ctx, struct dkt__comms *comms)
{
	char *text __cleanup(free) = NULL;
	size_t len;

	if (!dkt__tfs_read(ctx, &text, &len, "saved_cmdlines"))
		dkt__comms_parse(comms, text, len);
}

/* Reads the kernel's table again; it may have the name by now. */
static bool read_again(struct dkt__live *live, int32_t pid, char comm[static 17])
{
	struct dkt__comms now = { 0 };
	const char *name;

	read_saved(live->in->ctx, &now);
	name = dkt__comms_get(&now, pid);
	if (name)
		snprintf(comm, 17, "%s", name);
	dkt__comms_clear(&now);
	return name;
}

/* The kernel's table is small; a live process has its name in /proc. */
static bool read_proc(int32_t pid, char comm[static 17])
{
	char path[32];
	FILE *f __cleanup(fclose) = NULL;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	return f && fgets(comm, 17, f);
}

/*
 * While a reader follows, a thread may execute another program. When it has ended, its name stays, but
 * for one that was read before there were records: that may be of an earlier thread with this number.
 */
static void update(struct dkt__live *live, const struct dkt_record *record)
{
	uint64_t *read = dkt__comms_mark(&live->comms, record->pid);
	char comm[17];
	bool first;

	if (!read || record->ts < *read + AGAIN_NS)
		return;
	first = !*read;
	*read = record->ts;
	if (read_proc(record->pid, comm) || (first && read_again(live, record->pid, comm)))
		dkt__comms_set(&live->comms, record->pid, comm, strcspn(comm, "\n"));
}

/* Reads the name of a thread that has none yet. */
static void add(struct dkt__live *live, const struct dkt_record *record)
{
	char comm[17];
	uint64_t *read;

	if (!read_proc(record->pid, comm) && !read_again(live, record->pid, comm))
		snprintf(comm, sizeof(comm), "<...>");
	dkt__comms_set(&live->comms, record->pid, comm, strcspn(comm, "\n"));
	read = dkt__comms_mark(&live->comms, record->pid);
	if (read)
		*read = record->ts;
}

const char *dkt__live_comm(struct dkt_source *source, const struct dkt_record *record)
{
	struct dkt__live *live = (struct dkt__live *)source;

	/* The kernel knows the processes of this boot only; the records may have names. */
	if (!record->pid || live->flags & DKT_LIVE_LAST_BOOT)
		return dkt__comms_of(&live->comms, record);
	if (!live->comms_read)
		read_saved(live->in->ctx, &live->comms);
	live->comms_read = true;
	if (live->flags & DKT_LIVE_FOLLOW && !live->in->ctx->root)
		update(live, record);
	if (!live->in->ctx->root && !dkt__comms_get(&live->comms, record->pid))
		add(live, record);
	return dkt__comms_of(&live->comms, record);
}
