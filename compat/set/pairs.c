/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made pairs, one row each. */
#include "compat/set/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/glob.h"
#include "lib/base/memory.h"

static const struct latency_pair pairs[] = {
	/* clang-format off */
	{ "syscall", "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "common_pid", "id.syscall", true, true,
	  "system calls", NULL },
	{ "syscall", "syscalls:sys_enter_*", "syscalls:sys_exit_*", "common_pid", "__syscall_nr.syscall", true, false,
	  "system calls", NULL },
	{ "block", "block:block_rq_issue", "block:block_rq_complete", "block_request", "dev", false, false,
	  "requests to block devices, from issue to completion", NULL },
	{ "block-queue", "block:block_rq_insert", "block:block_rq_issue", "block_request", "dev", false, false,
	  "requests to block devices, in the scheduler's queue", NULL },
	{ "softirq", "irq:softirq_entry", "irq:softirq_exit", "common_cpu,vec", "vec", false, true,
	  "softirq handlers", NULL },
	{ "irq", "irq:irq_handler_entry", "irq:irq_handler_exit", "common_cpu,irq", "name", false, true,
	  "interrupt handlers", NULL },
	/* sched_waking is when the other process wakes it; sched_wakeup may come late, on the CPU where it will run. */
	{ "wakeup", "sched:sched_waking,sched:sched_wakeup_new", "sched:sched_switch", "pid=next_pid", NULL, false, true,
	  "from wakeup until a process runs", NULL },
	{ "wakeup", "sched:sched_wakeup,sched:sched_wakeup_new", "sched:sched_switch", "pid=next_pid", NULL, false, true,
	  "from wakeup until a process runs", NULL },
	{ "run", "sched:sched_switch", "sched:sched_switch", "next_pid=prev_pid", NULL, false, true,
	  "how long a process stays on a CPU", NULL },
	{ "rpc", "sunrpc:rpc_task_begin", "sunrpc:rpc_task_end", "task_id,client_id", NULL, false, false,
	  "sunrpc tasks of a client", NULL },
	{ "rpc", "sunrpc:rpc_task_begin", "sunrpc:rpc_task_complete", "task_id,client_id", NULL, false, false,
	  "sunrpc tasks of a client", NULL },
	{ "nfsd", "sunrpc:svc_process", "sunrpc:svc_send", "xid", "procedure", false, false,
	  "requests to the NFS server", NULL },
	{ "jbd2", "jbd2:jbd2_start_commit", "jbd2:jbd2_end_commit", "dev,transaction", "dev", false, false,
	  "commits of ext4's or ldiskfs's journal", NULL },
	{ "fsync", "syscalls:sys_enter_fsync,syscalls:sys_enter_fdatasync",
	  "syscalls:sys_exit_fsync,syscalls:sys_exit_fdatasync", "common_pid", "__syscall_nr.syscall", true, true,
	  "fsync and fdatasync of any file system", NULL },
	{ "fsync", "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "common_pid", "id.syscall", true, true,
	  "fsync and fdatasync of any file system", "fsync,fdatasync" },
	{ "ext4-fsync", "ext4:ext4_sync_file_enter", "ext4:ext4_sync_file_exit", "common_pid,ino", "dev", true, false,
	  "fsync of ext4", NULL },
	/* clang-format on */
};

const struct latency_pair *dkl_latency_pair_next(const struct latency_pair *pair)
{
	const struct latency_pair *next = pair ? pair + 1 : pairs;

	return next < pairs + ARRAY_SIZE(pairs) ? next : NULL;
}

const struct latency_pair *dkl_latency_pair_find(const char *name, const struct latency_pair *after)
{
	const struct latency_pair *pair = after;

	while ((pair = dkl_latency_pair_next(pair)) && strcmp(pair->name, name) != 0)
		;
	return pair;
}

bool dkl_latency_pair_has(const char *globs, const struct dkt_event *event)
{
	char *copy __cleanup(free) = strdup(globs), *rest = copy, *one;

	while ((one = strsep(&rest, ","))) {
		char *name = strchr(one, ':');

		if (!name)
			continue;
		*name++ = '\0';
		if (!strcmp(one, dkt_event_system(event)) && dkt__glob(name, dkt_event_name(event)))
			return true;
	}
	return false;
}
