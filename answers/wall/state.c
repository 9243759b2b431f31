/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states in which a thread spends its time, and how a wait's stack tells which one. */
#include "answers/wall/state.h"

/* The functions of a program that are looked at: those of its library around the system call. */
#define LIBRARY_DEPTH 5

static const char *const names[WALL_STATES] = {
	[WALL_RUNNING] = "running",   [WALL_RUNNABLE] = "runnable", [WALL_DISK] = "disk",
	[WALL_LOCK] = "lock",         [WALL_NETWORK] = "network",   [WALL_MEMORY] = "memory",
	[WALL_SLEEPING] = "sleeping", [WALL_OTHER] = "other",
};

struct function {
	const char *name; /* with an asterisk: the beginning of names */
	enum wall_state state;
};

/*
 * Functions of the kernel that wait, by the file that has them. The innermost one in a stack counts. Where a name
 * has changed, the old one is here, too.
 */
static const struct function kernel[] = {
	/* kernel/sched/core.c, mm/filemap.c, fs/buffer.c, mm/page-writeback.c: pages and buffers in transfer */
	{ "io_schedule*", WALL_DISK },
	{ "bit_wait_io*", WALL_DISK },
	{ "folio_wait_*", WALL_DISK },
	{ "wait_on_page_*", WALL_DISK },
	{ "__wait_on_buffer", WALL_DISK },
	{ "filemap_fdatawait*", WALL_DISK },
	{ "__filemap_fdatawait*", WALL_DISK },
	{ "balance_dirty_pages*", WALL_DISK },
	{ "wb_wait_for_completion", WALL_DISK },
	{ "sync_inodes_sb", WALL_DISK },
	/* block/, fs/iomap/, fs/direct-io.c, fs/aio.c: requests, and direct and asynchronous transfers */
	{ "blk_mq_get_tag", WALL_DISK },
	{ "blk_execute_rq", WALL_DISK },
	{ "blk_queue_enter", WALL_DISK },
	{ "__bio_queue_enter", WALL_DISK },
	{ "rq_qos_wait", WALL_DISK },
	{ "submit_bio_wait", WALL_DISK },
	{ "blkdev_issue_*", WALL_DISK },
	{ "blkdev_direct_IO*", WALL_DISK },
	{ "__blkdev_direct_IO*", WALL_DISK },
	{ "__iomap_dio_rw", WALL_DISK },
	{ "iomap_dio_rw", WALL_DISK },
	{ "__blockdev_direct_IO", WALL_DISK },
	{ "read_events", WALL_DISK },
	/* fs/jbd2/, fs/xfs/, fs/btrfs/, OpenZFS: journals and transactions */
	{ "jbd2_log_wait_commit", WALL_DISK },
	{ "jbd2_complete_transaction", WALL_DISK },
	{ "jbd2_journal_commit_transaction", WALL_DISK },
	{ "jbd2_log_do_checkpoint", WALL_DISK },
	{ "__jbd2_log_wait_for_space", WALL_DISK },
	{ "start_this_handle", WALL_DISK },
	{ "add_transaction_credits", WALL_DISK },
	{ "do_get_write_access", WALL_DISK },
	{ "xfs_buf_iowait", WALL_DISK },
	{ "xfs_log_force*", WALL_DISK },
	{ "xlog_wait_on_iclog", WALL_DISK },
	{ "xlog_grant_head_wait", WALL_DISK },
	{ "btrfs_commit_transaction", WALL_DISK },
	{ "btrfs_wait_*", WALL_DISK },
	{ "zio_wait", WALL_DISK },
	{ "txg_wait_synced*", WALL_DISK },
	{ "dmu_tx_wait", WALL_DISK },
	/* drivers/md/, drivers/nvme/, drivers/scsi/ */
	{ "md_super_wait", WALL_DISK },
	{ "md_write_start", WALL_DISK },
	{ "md_flush_request", WALL_DISK },
	{ "raid5_get_active_stripe", WALL_DISK },
	{ "raid5_make_request", WALL_DISK },
	{ "__nvme_submit_sync_cmd", WALL_DISK },
	{ "scsi_execute*", WALL_DISK },

	/* kernel/futex/, kernel/locking/, ipc/sem.c, fs/locks.c, fs/dcache.c, net/core/sock.c */
	{ "futex_wait*", WALL_LOCK },
	{ "__futex_wait", WALL_LOCK },
	{ "futex_do_wait", WALL_LOCK },
	{ "futex_lock_pi*", WALL_LOCK },
	{ "do_futex", WALL_LOCK },
	{ "mutex_lock*", WALL_LOCK },
	{ "__mutex_lock*", WALL_LOCK },
	{ "__ww_mutex_lock*", WALL_LOCK },
	{ "down", WALL_LOCK },
	{ "down_*", WALL_LOCK },
	{ "__down*", WALL_LOCK },
	{ "rwsem_down_*", WALL_LOCK },
	{ "percpu_rwsem_wait", WALL_LOCK },
	{ "percpu_down_*", WALL_LOCK },
	{ "__percpu_down_read*", WALL_LOCK },
	{ "rt_mutex_*", WALL_LOCK },
	{ "__rt_mutex_*", WALL_LOCK },
	{ "rtlock_*", WALL_LOCK },
	{ "__do_semtimedop", WALL_LOCK },
	{ "do_semtimedop", WALL_LOCK },
	{ "posix_lock_inode_wait", WALL_LOCK },
	{ "flock_lock_inode_wait", WALL_LOCK },
	{ "locks_lock_inode_wait", WALL_LOCK },
	{ "fcntl_setlk*", WALL_LOCK },
	{ "d_alloc_parallel", WALL_LOCK },
	{ "d_wait_lookup", WALL_LOCK },
	{ "xfs_buf_lock", WALL_LOCK },
	{ "__lock_sock", WALL_LOCK },
	{ "lock_sock_nested", WALL_LOCK },
	/* Lustre's ldlm/ldlm_request.c */
	{ "ldlm_completion_ast*", WALL_LOCK },
	{ "ldlm_completion_tail", WALL_LOCK },

	/* net/: sockets that are connected to other machines */
	{ "sk_wait_data", WALL_NETWORK },
	{ "sk_stream_wait_*", WALL_NETWORK },
	{ "tcp_recvmsg*", WALL_NETWORK },
	{ "tcp_sendmsg*", WALL_NETWORK },
	{ "inet_wait_for_connect", WALL_NETWORK },
	{ "__inet_stream_connect", WALL_NETWORK },
	{ "udp_recvmsg", WALL_NETWORK },
	{ "udpv6_recvmsg", WALL_NETWORK },
	{ "raw_recvmsg", WALL_NETWORK },
	{ "packet_recvmsg", WALL_NETWORK },
	{ "tls_sw_recvmsg", WALL_NETWORK },
	/* net/sunrpc/, fs/smb/client/ */
	{ "rpc_wait_bit_killable", WALL_NETWORK },
	{ "rpc_wait_for_completion_task", WALL_NETWORK },
	{ "wait_for_response", WALL_NETWORK },
	/* Lustre's ptlrpc/client.c, obdclass/cl_io.c */
	{ "ptlrpc_set_wait", WALL_NETWORK },
	{ "ptlrpc_queue_wait", WALL_NETWORK },
	{ "target_bulk_io", WALL_NETWORK },
	{ "cl_sync_io_wait", WALL_NETWORK },

	/* mm/: pages are freed, moved or read back for the thread */
	{ "try_to_free_*", WALL_MEMORY },
	{ "shrink_node*", WALL_MEMORY },
	{ "__alloc_pages_direct_*", WALL_MEMORY },
	{ "__alloc_pages_slowpath*", WALL_MEMORY },
	{ "throttle_direct_reclaim", WALL_MEMORY },
	{ "reclaim_throttle", WALL_MEMORY },
	{ "mem_cgroup_handle_over_high", WALL_MEMORY },
	{ "__mem_cgroup_handle_over_high", WALL_MEMORY },
	{ "compact_zone*", WALL_MEMORY },
	{ "do_swap_page", WALL_MEMORY },
	{ "migration_entry_wait*", WALL_MEMORY },
	{ "handle_userfault", WALL_MEMORY },

	/* kernel/time/: for a time */
	{ "do_nanosleep", WALL_SLEEPING },
	{ "hrtimer_nanosleep", WALL_SLEEPING },
	{ "msleep*", WALL_SLEEPING },
	{ "usleep_range*", WALL_SLEEPING },
	/* fs/: until there is something to do */
	{ "ep_poll", WALL_SLEEPING },
	{ "do_epoll_wait", WALL_SLEEPING },
	{ "do_poll*", WALL_SLEEPING },
	{ "do_sys_poll", WALL_SLEEPING },
	{ "do_select", WALL_SLEEPING },
	{ "poll_schedule_timeout*", WALL_SLEEPING },
	{ "pipe_*", WALL_SLEEPING },
	{ "anon_pipe_*", WALL_SLEEPING },
	{ "fifo_open", WALL_SLEEPING },
	{ "wait_for_partner", WALL_SLEEPING },
	{ "eventfd_read", WALL_SLEEPING },
	{ "signalfd_*", WALL_SLEEPING },
	{ "timerfd_read*", WALL_SLEEPING },
	{ "inotify_read", WALL_SLEEPING },
	{ "fanotify_read", WALL_SLEEPING },
	{ "n_tty_read", WALL_SLEEPING },
	{ "io_cqring_wait", WALL_SLEEPING },
	{ "io_wq_worker", WALL_SLEEPING },
	{ "io_sq_thread", WALL_SLEEPING },
	/* net/: for a connection, or for another process of this machine */
	{ "inet_csk_accept", WALL_SLEEPING },
	{ "unix_*", WALL_SLEEPING },
	{ "netlink_recvmsg", WALL_SLEEPING },
	/* kernel/, ipc/: for another process, or a signal */
	{ "do_wait*", WALL_SLEEPING },
	{ "kernel_wait*", WALL_SLEEPING },
	{ "do_sigtimedwait", WALL_SLEEPING },
	{ "sigsuspend", WALL_SLEEPING },
	{ "__do_sys_pause", WALL_SLEEPING },
	{ "ptrace_stop", WALL_SLEEPING },
	{ "do_signal_stop", WALL_SLEEPING },
	{ "wait_for_vfork_done", WALL_SLEEPING },
	{ "do_msgrcv", WALL_SLEEPING },
	{ "wq_sleep", WALL_SLEEPING },
	{ "kvm_vcpu_block", WALL_SLEEPING },
	{ "kvm_vcpu_halt", WALL_SLEEPING },
	/* The loops of kernel threads that have no work. */
	{ "worker_thread", WALL_SLEEPING },
	{ "rescuer_thread", WALL_SLEEPING },
	{ "kthread_worker_fn", WALL_SLEEPING },
	{ "smpboot_thread_fn", WALL_SLEEPING },
	{ "kthreadd", WALL_SLEEPING },
	{ "kswapd*", WALL_SLEEPING },
	{ "kcompactd", WALL_SLEEPING },
	{ "khugepaged*", WALL_SLEEPING },
	{ "rcu_gp_*", WALL_SLEEPING },
	{ "kjournald2", WALL_SLEEPING },
	{ "xfsaild", WALL_SLEEPING },
	{ "svc_recv", WALL_SLEEPING },
	{ "svc_get_next_xprt", WALL_SLEEPING },
	/* Lustre's ptlrpc/service.c and ptlrpcd.c, ldlm/ldlm_lockd.c, lnet/klnds/ */
	{ "ptlrpc_wait_event", WALL_SLEEPING },
	{ "ptlrpc_main", WALL_SLEEPING },
	{ "ptlrpcd", WALL_SLEEPING },
	{ "ldlm_bl_thread_main", WALL_SLEEPING },
	{ "ksocknal_*", WALL_SLEEPING },
	{ "kiblnd_*", WALL_SLEEPING },
};

/*
 * Functions of file systems whose disks are those of servers: fs/nfs/, fs/smb/client/, fs/ceph/, and Lustre's osc/ and
 * llite/. A wait that looks like one for a disk is one for a server.
 */
static const char *const remote[] = { "nfs_*",  "nfs3_*", "nfs4_*",    "cifs_*",  "smb2_*",
				      "ceph_*", "osc_*",  "ll_file_*", "ll_fsync" };

/*
 * Functions of glibc's nptl/ around the system call futex(), which waits for a lock or, on a condition, for
 * work. The outermost of them counts: they share the inner ones.
 */
static const struct function library[] = {
	{ "__futex_abstimed_wait*", WALL_SLEEPING },
	{ "do_futex_wait*", WALL_SLEEPING },
	{ "pthread_cond_*", WALL_SLEEPING },
	{ "__pthread_cond_*", WALL_SLEEPING },
	{ "___pthread_cond_*", WALL_SLEEPING },
	{ "sem_*wait*", WALL_SLEEPING },
	{ "__new_sem_*", WALL_SLEEPING },
	{ "pthread_join*", WALL_SLEEPING },
	{ "__pthread_clockjoin*", WALL_SLEEPING },
	{ "pthread_mutex_*", WALL_LOCK },
	{ "__pthread_mutex_*", WALL_LOCK },
	{ "___pthread_mutex_*", WALL_LOCK },
	{ "pthread_rwlock_*", WALL_LOCK },
	{ "__pthread_rwlock_*", WALL_LOCK },
	{ "___pthread_rwlock_*", WALL_LOCK },
	{ "__lll_lock_wait*", WALL_LOCK },
};

const char *wall_state_name(enum wall_state state)
{
	return names[state];
}

enum wall_state wall_state_named(const char *name)
{
	enum wall_state i = 0;

	while (i < WALL_STATES && strcmp(names[i], name) != 0)
		i++;
	return i;
}

static bool matches(const char *pattern, const char *name)
{
	const size_t len = strlen(pattern) - 1;

	return pattern[len] == '*' ? !strncmp(pattern, name, len) : !strcmp(pattern, name);
}

/* A function of which the compiler has split a part off is "NAME.isra.0". */
static const struct function *row_of(const struct function *rows, size_t n, const char *name)
{
	const char *dot = strchr(name, '.');
	char text[64];

	if (dot && dot > name && (size_t)(dot - name) < sizeof(text)) {
		snprintf(text, sizeof(text), "%.*s", (int)(dot - name), name);
		name = text;
	}
	for (size_t i = 0; i < n; i++)
		if (matches(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* A function further out in the stack changes the state only if it is the cause of the wait. */
static enum wall_state with_kernel(enum wall_state state, const char *name)
{
	const struct function *row = row_of(kernel, ARRAY_SIZE(kernel), name);

	if (row && (state == WALL_STATES || row->state == WALL_MEMORY))
		return row->state;
	for (size_t i = 0; i < ARRAY_SIZE(remote); i++)
		if ((state == WALL_STATES || state == WALL_DISK) && matches(remote[i], name))
			return WALL_NETWORK;
	return state;
}

static enum wall_state with_library(enum wall_state state, const char *name)
{
	const struct function *row = row_of(library, ARRAY_SIZE(library), name);

	return row ? row->state : state;
}

/* Returns WALL_STATES if no function tells it. */
static enum wall_state find(const struct profile *profile, uint32_t node)
{
	const struct profile_tree *tree = &profile->tree;
	enum wall_state state = WALL_STATES;
	bool futex = false;
	int depth = 0;

	for (; node && depth < LIBRARY_DEPTH; node = tree->nodes[node].parent) {
		const uint32_t name = tree->nodes[node].name;
		const char *text = profile_names_text(&profile->names, name);

		switch (profile->names.list[name].kind) {
		case PROFILE_KERNEL:
			state = with_kernel(state, text);
			futex |= state == WALL_LOCK && strstr(text, "futex");
			break;
		case PROFILE_USER:
			if (!futex)
				return state;
			depth++;
			state = with_library(state, text);
			break;
		default:
			break;
		}
	}
	return state;
}

int wall_state_find(struct wall_states *states, const struct profile *profile, uint32_t node,
		    uint64_t sched, enum wall_state *state)
{
	uint8_t *known;

	sched &= WALL_SCHED_MASK;
	*state = sched == WALL_SCHED_RUNS ? WALL_RUNNABLE : WALL_SLEEPING;
	if (sched != WALL_SCHED_SLEEPS && sched != WALL_SCHED_BLOCKS)
		return 0;
	known = dkt__reach(states->list, states->n, node);
	if (!known)
		return -ENOMEM;
	if (!*known)
		*known = (uint8_t)(1 + find(profile, node));
	if (*known != 1 + WALL_STATES)
		*state = *known - 1;
	else if (sched == WALL_SCHED_BLOCKS)
		*state = WALL_OTHER;
	return 0;
}

void wall_states_clear(struct wall_states *states)
{
	free(states->list);
	*states = (struct wall_states){ 0 };
}
