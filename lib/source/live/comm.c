/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Process names: from the kernel's saved_cmdlines, otherwise from the process itself. */
#include "instance.h"
#include "source/comms.h"
#include "source/live.h"
#include "tracefs.h"

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

const char *dkt__live_comm(struct dkt_source *source, const struct dkt_record *record)
{
	struct dkt__live *live = (struct dkt__live *)source;
	const int32_t pid = record->pid;
	char path[32], comm[17];
	FILE *f __cleanup(fclose) = NULL;
	const char *name;

	if (!pid)
		return "<idle>";
	/* The kernel knows the processes of this boot only; the records may have names. */
	if (live->flags & DKT_LIVE_LAST_BOOT) {
		name = dkt__comms_get(&live->comms, pid);
		return name ? name : "<...>";
	}
	if (!live->comms_read)
		read_saved(live->in->ctx, &live->comms);
	live->comms_read = true;
	name = dkt__comms_get(&live->comms, pid);
	if (name || live->in->ctx->root)
		return name ? name : "<...>";
	/* The kernel's table is small; a live process has its name in /proc. */
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if ((!f || !fgets(comm, sizeof(comm), f)) && !read_again(live, pid, comm))
		snprintf(comm, sizeof(comm), "<...>");
	dkt__comms_set(&live->comms, pid, comm, strcspn(comm, "\n"));
	name = dkt__comms_get(&live->comms, pid);
	return name ? name : "<...>";
}
