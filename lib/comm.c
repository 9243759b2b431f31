/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of processes: the kernel's saved_cmdlines, then the process itself. */
#include <tracefs/tracefs.h>

#include "capture.h"

#include "banned.h"

const char *dkt_capture_comm(struct dkt_capture *cap, int32_t pid)
{
	char path[32], comm[17];
	FILE *f __cleanup(fclose) = NULL;
	const char *name;

	if (!pid)
		return "<idle>";
	if (!cap->comms) {
		cap->comms = tep_alloc();
		if (cap->comms)
			tracefs_load_cmdlines(cap->in->ctx->dir, cap->comms);
	}
	if (!cap->comms)
		return "<...>";
	name = tep_data_comm_from_pid(cap->comms, pid);
	if (tep_is_pid_registered(cap->comms, pid) || cap->in->ctx->root)
		return name;
	/* The kernel's table is small; a process that still lives says its name itself. */
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f || !fgets(comm, sizeof(comm), f))
		snprintf(comm, sizeof(comm), "<...>");
	comm[strcspn(comm, "\n")] = '\0';
	tep_register_comm(cap->comms, comm, pid);
	return tep_data_comm_from_pid(cap->comms, pid);
}
