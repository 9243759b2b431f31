/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made counts, one row each. */
#include "compat/set/counts.h"

#include "lib/base/util.h"

/* A result in this range is an error: the kernel's MAX_ERRNO. */
#define FAILED "ret < 0 && ret > -4096"

static const struct count counts[] = {
	/* clang-format off */
	{ "calls", "raw_syscalls:sys_enter", "id.syscall", NULL, NULL, "system calls" },
	{ "calls", "syscalls:sys_enter_*", "__syscall_nr.syscall", NULL, NULL, "system calls" },
	{ "callers", "raw_syscalls:sys_enter", "common_pid.execname,id.syscall", NULL, NULL, "system calls of each process" },
	{ "callers", "syscalls:sys_enter_*", "common_pid.execname,__syscall_nr.syscall", NULL, NULL, "system calls of each process" },
	{ "failed-calls", "raw_syscalls:sys_exit", "id.syscall,ret", NULL, FAILED, "system calls that fail, by error" },
	{ "failed-calls", "syscalls:sys_exit_*", "__syscall_nr.syscall,ret", NULL, FAILED, "system calls that fail, by error" },
	{ "fsyncs", "syscalls:sys_enter_*sync*", "common_pid.execname,event", NULL, NULL, "fsync and its relatives, by process" },
	{ "opens", "syscalls:sys_enter_open*", "common_pid.execname,event", NULL, NULL, "files opened, by process" },
	{ "execs", "sched:sched_process_exec", "filename", NULL, NULL, "programs started" },
	{ "forks", "sched:sched_process_fork", "parent_comm", NULL, NULL, "processes and threads created, by creator" },
	{ "switches", "sched:sched_switch", "prev_comm,prev_state", NULL, NULL, "processes that leave a CPU, by state" },
	{ "wakeups", "sched:sched_waking", "comm", NULL, NULL, "processes woken up" },
	{ "signals", "signal:signal_generate", "sig,comm", NULL, NULL, "signals sent, by number and receiver" },
	{ "interrupts", "irq:irq_handler_entry", "irq,name", NULL, NULL, "interrupts, by handler" },
	{ "faults", "exceptions:page_fault_user", "common_pid.execname", NULL, NULL, "page faults of each process" },
	{ "allocations", "kmem:mm_page_alloc", "common_pid.execname,order", NULL, NULL, "pages allocated, by process" },
	{ "cached-pages", "filemap:mm_filemap_add_to_page_cache", "s_dev,i_ino", NULL, NULL, "pages added to the page cache, by file" },
	{ "disk-requests", "block:block_rq_issue", "dev,comm,rwbs", "bytes", NULL, "requests to disks, by process and kind" },
	{ "disk-sizes", "block:block_rq_issue", "dev,bytes.log2", "bytes", NULL, "sizes of requests to disks" },
	{ "disk-errors", "block:block_rq_complete", "dev,rwbs,error", NULL, "error != 0", "requests to disks that failed" },
	{ "retransmits", "tcp:tcp_retransmit_skb", "sport,dport", NULL, NULL, "TCP segments sent again, by port" },
	{ "nfs-calls", "sunrpc:svc_process", "procedure", NULL, NULL, "requests to the NFS server" },
	{ "lustre-lines", "dktrace:cdebug", "msg_file,msg_line", NULL, NULL, "messages of Lustre, by line of its source" },
	{ "lustre-lines", "lustre_debug:lustre_debug_msg", "msg_file,msg_line", NULL, NULL, "messages of Lustre, by line of its source" },
	/* clang-format on */
};

const struct count *dkl_count_next(const struct count *count)
{
	const struct count *next = count ? count + 1 : counts;

	return next < counts + ARRAY_SIZE(counts) ? next : NULL;
}

const struct count *dkl_count_find(const char *name, const struct count *after)
{
	const struct count *count = after;

	while ((count = dkl_count_next(count)) && strcmp(count->name, name) != 0)
		;
	return count;
}
