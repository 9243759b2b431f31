/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of processes: the kernel's saved_cmdlines, then the process itself. */
#include <tracefs/tracefs.h>

#include "comms.h"
#include "source/live.h"
#include "tracefs.h"

#include "base/banned.h"

/* The kernel's table as it is now: it may have got the name since it was read. */
static bool read_again(struct dkt__live *live, int32_t pid, char comm[static 17])
{
	char *text __cleanup(free) = NULL;
	struct dkt__comms now = { 0 };
	const char *name = NULL;
	size_t len;

	if (!dkt__tfs_read(live->in->ctx, &text, &len, "saved_cmdlines") &&
	    !dkt__comms_parse(&now, text, len))
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
	if (!live->comms) {
		live->comms = tep_alloc();
		if (live->comms)
			tracefs_load_cmdlines(live->in->ctx->dir, live->comms);
	}
	if (!live->comms)
		return "<...>";
	name = tep_data_comm_from_pid(live->comms, pid);
	if (tep_is_pid_registered(live->comms, pid) || live->in->ctx->root)
		return name;
	/* The kernel's table is small; a process that still lives says its name itself. */
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if ((!f || !fgets(comm, sizeof(comm), f)) && !read_again(live, pid, comm))
		snprintf(comm, sizeof(comm), "<...>");
	comm[strcspn(comm, "\n")] = '\0';
	tep_register_comm(live->comms, comm, pid);
	return tep_data_comm_from_pid(live->comms, pid);
}
