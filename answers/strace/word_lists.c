/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the words for arguments. */
#include "answers/strace/word_lists.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/base/util.h"

#define W(name)                                                                                    \
	{                                                                                          \
		(uint32_t)(name), #name                                                            \
	}

/* clang-format off */
static const struct call_word access_words[] = { W(F_OK), W(R_OK), W(W_OK), W(X_OK) };
static const struct call_word advice_words[] = {
	W(MADV_NORMAL), W(MADV_RANDOM), W(MADV_SEQUENTIAL), W(MADV_WILLNEED), W(MADV_DONTNEED), W(MADV_FREE),
	W(MADV_REMOVE), W(MADV_DONTFORK), W(MADV_DOFORK), W(MADV_MERGEABLE), W(MADV_UNMERGEABLE), W(MADV_HUGEPAGE),
	W(MADV_NOHUGEPAGE), W(MADV_DONTDUMP), W(MADV_DODUMP), W(MADV_WIPEONFORK), W(MADV_KEEPONFORK), { 20, "MADV_COLD" },
	{ 21, "MADV_PAGEOUT" }, { 22, "MADV_POPULATE_READ" }, { 23, "MADV_POPULATE_WRITE" }, { 24, "MADV_DONTNEED_LOCKED" },
	{ 25, "MADV_COLLAPSE" }, W(MADV_HWPOISON), { 102, "MADV_GUARD_INSTALL" }, { 103, "MADV_GUARD_REMOVE" },
};
static const struct call_word arch_prctl_words[] = {
	{ 0x1001, "ARCH_SET_GS" }, { 0x1002, "ARCH_SET_FS" }, { 0x1003, "ARCH_GET_FS" }, { 0x1004, "ARCH_GET_GS" },
	{ 0x1011, "ARCH_GET_CPUID" }, { 0x1012, "ARCH_SET_CPUID" }, { 0x5001, "ARCH_SHSTK_ENABLE" },
	{ 0x5005, "ARCH_SHSTK_STATUS" },
};
static const struct call_word at_words[] = {
	W(AT_SYMLINK_NOFOLLOW), W(AT_REMOVEDIR), W(AT_SYMLINK_FOLLOW), W(AT_NO_AUTOMOUNT), W(AT_EMPTY_PATH),
	{ 0x2000, "AT_STATX_FORCE_SYNC" }, { 0x4000, "AT_STATX_DONT_SYNC" }, { 0x8000, "AT_RECURSIVE" },
};
static const struct call_word bpf_words[] = {
	W(BPF_MAP_CREATE), W(BPF_MAP_LOOKUP_ELEM), W(BPF_MAP_UPDATE_ELEM), W(BPF_MAP_DELETE_ELEM),
	W(BPF_MAP_GET_NEXT_KEY), W(BPF_PROG_LOAD), W(BPF_OBJ_PIN), W(BPF_OBJ_GET), W(BPF_PROG_ATTACH),
	W(BPF_PROG_DETACH), W(BPF_PROG_TEST_RUN), W(BPF_PROG_GET_NEXT_ID), W(BPF_MAP_GET_NEXT_ID),
	W(BPF_PROG_GET_FD_BY_ID), W(BPF_MAP_GET_FD_BY_ID), W(BPF_OBJ_GET_INFO_BY_FD), W(BPF_PROG_QUERY),
	{ 17, "BPF_RAW_TRACEPOINT_OPEN" }, { 18, "BPF_BTF_LOAD" }, { 19, "BPF_BTF_GET_FD_BY_ID" }, { 20, "BPF_TASK_FD_QUERY" },
	{ 28, "BPF_LINK_CREATE" },
};
static const struct call_word clock_words[] = {
	W(CLOCK_REALTIME), W(CLOCK_MONOTONIC), W(CLOCK_PROCESS_CPUTIME_ID), W(CLOCK_THREAD_CPUTIME_ID),
	W(CLOCK_MONOTONIC_RAW), W(CLOCK_REALTIME_COARSE), W(CLOCK_MONOTONIC_COARSE), W(CLOCK_BOOTTIME),
	W(CLOCK_REALTIME_ALARM), W(CLOCK_BOOTTIME_ALARM), W(CLOCK_TAI),
};
/* The lowest byte of the flags of clone(2) is a signal. */
static const struct call_word clone_words[] = {
	W(CLONE_VM), W(CLONE_FS), W(CLONE_FILES), W(CLONE_SIGHAND), { 0x1000, "CLONE_PIDFD" }, W(CLONE_PTRACE), W(CLONE_VFORK),
	W(CLONE_PARENT), W(CLONE_THREAD), W(CLONE_NEWNS), W(CLONE_SYSVSEM), W(CLONE_SETTLS), W(CLONE_PARENT_SETTID),
	W(CLONE_CHILD_CLEARTID), W(CLONE_DETACHED), W(CLONE_UNTRACED), W(CLONE_CHILD_SETTID), W(CLONE_NEWCGROUP),
	W(CLONE_NEWUTS), W(CLONE_NEWIPC), W(CLONE_NEWUSER), W(CLONE_NEWPID), W(CLONE_NEWNET), W(CLONE_IO), W(SIGCHLD),
};
static const struct call_word close_range_words[] = { { 2, "CLOSE_RANGE_UNSHARE" }, { 4, "CLOSE_RANGE_CLOEXEC" } };
static const struct call_word epoll_words[] = { W(EPOLL_CTL_ADD), W(EPOLL_CTL_DEL), W(EPOLL_CTL_MOD) };
static const struct call_word epoll_flag_words[] = { W(EPOLL_CLOEXEC) };
static const struct call_word eventfd_words[] = { W(EFD_CLOEXEC), W(EFD_NONBLOCK), W(EFD_SEMAPHORE) };
static const struct call_word fadvise_words[] = {
	W(POSIX_FADV_NORMAL), W(POSIX_FADV_RANDOM), W(POSIX_FADV_SEQUENTIAL), W(POSIX_FADV_WILLNEED),
	W(POSIX_FADV_DONTNEED), W(POSIX_FADV_NOREUSE),
};
static const struct call_word falloc_words[] = {
	W(FALLOC_FL_KEEP_SIZE), W(FALLOC_FL_PUNCH_HOLE), { 8, "FALLOC_FL_COLLAPSE_RANGE" }, { 16, "FALLOC_FL_ZERO_RANGE" },
	{ 32, "FALLOC_FL_INSERT_RANGE" }, { 64, "FALLOC_FL_UNSHARE_RANGE" },
};
static const struct call_word family_words[] = {
	W(AF_UNSPEC), W(AF_UNIX), W(AF_INET), W(AF_INET6), W(AF_NETLINK), W(AF_PACKET), W(AF_ALG), W(AF_VSOCK),
	W(AF_KEY), W(AF_BLUETOOTH), W(AF_CAN), W(AF_TIPC), W(AF_IB), W(AF_RDS), { 44, "AF_XDP" },
};
static const struct call_word fcntl_words[] = {
	W(F_DUPFD), W(F_GETFD), W(F_SETFD), W(F_GETFL), W(F_SETFL), { 5, "F_GETLK" }, { 6, "F_SETLK" },
	{ 7, "F_SETLKW" }, W(F_SETOWN), W(F_GETOWN), W(F_SETSIG), W(F_GETSIG), W(F_SETOWN_EX), W(F_GETOWN_EX),
	{ 36, "F_OFD_GETLK" }, { 37, "F_OFD_SETLK" }, { 38, "F_OFD_SETLKW" }, W(F_SETLEASE), W(F_GETLEASE), W(F_NOTIFY),
	W(F_DUPFD_CLOEXEC), W(F_SETPIPE_SZ), W(F_GETPIPE_SZ), W(F_ADD_SEALS), W(F_GET_SEALS), W(F_GET_RW_HINT),
	W(F_SET_RW_HINT),
};
static const struct call_word flock_words[] = { W(LOCK_SH), W(LOCK_EX), W(LOCK_UN), W(LOCK_NB) };
static const struct call_word futex_words[] = {
	W(FUTEX_WAIT), W(FUTEX_WAKE), W(FUTEX_FD), W(FUTEX_REQUEUE), W(FUTEX_CMP_REQUEUE), W(FUTEX_WAKE_OP),
	W(FUTEX_LOCK_PI), W(FUTEX_UNLOCK_PI), W(FUTEX_TRYLOCK_PI), W(FUTEX_WAIT_BITSET), W(FUTEX_WAKE_BITSET),
	W(FUTEX_WAIT_REQUEUE_PI), W(FUTEX_CMP_REQUEUE_PI), { 13, "FUTEX_LOCK_PI2" },
	W(FUTEX_PRIVATE_FLAG), W(FUTEX_CLOCK_REALTIME),
};
static const struct call_word idtype_words[] = { W(P_ALL), W(P_PID), W(P_PGID), { 3, "P_PIDFD" } };
static const struct call_word inotify_words[] = {
	W(IN_ACCESS), W(IN_MODIFY), W(IN_ATTRIB), W(IN_CLOSE_WRITE), W(IN_CLOSE_NOWRITE), W(IN_OPEN), W(IN_MOVED_FROM),
	W(IN_MOVED_TO), W(IN_CREATE), W(IN_DELETE), W(IN_DELETE_SELF), W(IN_MOVE_SELF), W(IN_ONLYDIR),
	W(IN_DONT_FOLLOW), W(IN_EXCL_UNLINK), W(IN_MASK_ADD), W(IN_ONESHOT),
};
static const struct call_word inotify_flag_words[] = { W(IN_CLOEXEC), W(IN_NONBLOCK) };
static const struct call_word itimer_words[] = { W(ITIMER_REAL), W(ITIMER_VIRTUAL), W(ITIMER_PROF) };
static const struct call_word map_words[] = {
	W(MAP_SHARED), W(MAP_PRIVATE), { 3, "MAP_SHARED_VALIDATE" }, { 0x100000, "MAP_FIXED_NOREPLACE" }, W(MAP_FIXED),
	W(MAP_ANONYMOUS), W(MAP_GROWSDOWN), W(MAP_DENYWRITE), W(MAP_EXECUTABLE), W(MAP_LOCKED), W(MAP_NORESERVE),
	W(MAP_POPULATE), W(MAP_NONBLOCK), W(MAP_STACK), W(MAP_HUGETLB), { 0x80000, "MAP_SYNC" },
};
static const struct call_word membarrier_words[] = {
	W(MEMBARRIER_CMD_QUERY), { 1, "MEMBARRIER_CMD_GLOBAL" }, { 2, "MEMBARRIER_CMD_GLOBAL_EXPEDITED" },
	{ 4, "MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED" }, W(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
	W(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED), { 32, "MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE" },
	{ 64, "MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE" }, { 128, "MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ" },
	{ 256, "MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ" },
};
static const struct call_word memfd_words[] = { W(MFD_CLOEXEC), W(MFD_ALLOW_SEALING), W(MFD_HUGETLB) };
static const struct call_word mlockall_words[] = { W(MCL_CURRENT), W(MCL_FUTURE), W(MCL_ONFAULT) };
static const struct call_word mount_words[] = {
	W(MS_RDONLY), W(MS_NOSUID), W(MS_NODEV), W(MS_NOEXEC), W(MS_SYNCHRONOUS), W(MS_REMOUNT), W(MS_MANDLOCK),
	W(MS_DIRSYNC), W(MS_NOATIME), W(MS_NODIRATIME), W(MS_BIND), W(MS_MOVE), W(MS_REC), W(MS_SILENT), W(MS_POSIXACL),
	W(MS_UNBINDABLE), W(MS_PRIVATE), W(MS_SLAVE), W(MS_SHARED), W(MS_RELATIME), W(MS_STRICTATIME), W(MS_LAZYTIME),
};
static const struct call_word mremap_words[] = { W(MREMAP_MAYMOVE), W(MREMAP_FIXED), { 4, "MREMAP_DONTUNMAP" } };
static const struct call_word msg_words[] = {
	W(MSG_OOB), W(MSG_PEEK), W(MSG_DONTROUTE), W(MSG_CTRUNC), W(MSG_TRUNC), W(MSG_DONTWAIT), W(MSG_EOR),
	W(MSG_WAITALL), W(MSG_CONFIRM), W(MSG_ERRQUEUE), W(MSG_NOSIGNAL), W(MSG_MORE), W(MSG_WAITFORONE),
	W(MSG_ZEROCOPY), W(MSG_FASTOPEN), W(MSG_CMSG_CLOEXEC),
};
static const struct call_word msync_words[] = { W(MS_ASYNC), W(MS_INVALIDATE), W(MS_SYNC) };

/* Numbers, not the names of this machine: a trace may be of another one. */
#define OPEN_WORDS(directory, nofollow, direct, largefile)                                                            \
	{ 0, "O_RDONLY" }, { 1, "O_WRONLY" }, { 2, "O_RDWR" }, { 0100, "O_CREAT" }, { 0200, "O_EXCL" },                 \
	{ 0400, "O_NOCTTY" }, { 01000, "O_TRUNC" }, { 02000, "O_APPEND" }, { 04000, "O_NONBLOCK" },                     \
	{ 04010000, "O_SYNC" }, { 010000, "O_DSYNC" }, { 020000, "O_ASYNC" }, { direct, "O_DIRECT" },                   \
	{ largefile, "O_LARGEFILE" }, { 020000000 | (directory), "O_TMPFILE" }, { directory, "O_DIRECTORY" },           \
	{ nofollow, "O_NOFOLLOW" }, { 01000000, "O_NOATIME" }, { 02000000, "O_CLOEXEC" }, { 010000000, "O_PATH" }

static const struct call_word open_words[] = { OPEN_WORDS(0200000, 0400000, 040000, 0100000) };
static const struct call_word open_arm_words[] = { OPEN_WORDS(040000, 0100000, 0200000, 0400000) };

static const struct call_word prctl_words[] = {
	W(PR_SET_PDEATHSIG), W(PR_GET_PDEATHSIG), W(PR_GET_DUMPABLE), W(PR_SET_DUMPABLE), W(PR_GET_KEEPCAPS),
	W(PR_SET_KEEPCAPS), W(PR_SET_TIMING), W(PR_SET_NAME), W(PR_GET_NAME), W(PR_GET_SECCOMP), W(PR_SET_SECCOMP),
	W(PR_CAPBSET_READ), W(PR_CAPBSET_DROP), W(PR_GET_SECUREBITS), W(PR_SET_SECUREBITS), W(PR_SET_TIMERSLACK),
	W(PR_GET_TIMERSLACK), W(PR_SET_MM), W(PR_SET_CHILD_SUBREAPER), W(PR_GET_CHILD_SUBREAPER), W(PR_SET_NO_NEW_PRIVS),
	W(PR_GET_NO_NEW_PRIVS), W(PR_SET_THP_DISABLE), W(PR_GET_THP_DISABLE), W(PR_CAP_AMBIENT), W(PR_SET_PTRACER),
	{ 53, "PR_SET_SPECULATION_CTRL" }, { 52, "PR_GET_SPECULATION_CTRL" }, { 0x53564d41, "PR_SET_VMA" },
};
static const struct call_word priority_words[] = { W(PRIO_PROCESS), W(PRIO_PGRP), W(PRIO_USER) };
static const struct call_word prot_words[] = {
	W(PROT_NONE), W(PROT_READ), W(PROT_WRITE), W(PROT_EXEC), W(PROT_GROWSDOWN), W(PROT_GROWSUP),
};
static const struct call_word ptrace_words[] = {
	W(PTRACE_TRACEME), W(PTRACE_PEEKTEXT), W(PTRACE_PEEKDATA), W(PTRACE_PEEKUSER), W(PTRACE_POKETEXT),
	W(PTRACE_POKEDATA), W(PTRACE_POKEUSER), W(PTRACE_CONT), W(PTRACE_KILL), W(PTRACE_SINGLESTEP), W(PTRACE_ATTACH),
	W(PTRACE_DETACH), W(PTRACE_SYSCALL), W(PTRACE_SETOPTIONS), W(PTRACE_GETEVENTMSG), W(PTRACE_GETSIGINFO),
	W(PTRACE_SETSIGINFO), W(PTRACE_GETREGSET), W(PTRACE_SETREGSET), W(PTRACE_SEIZE), W(PTRACE_INTERRUPT),
	W(PTRACE_LISTEN), { 0x420e, "PTRACE_GET_SYSCALL_INFO" },
};
static const struct call_word random_words[] = { W(GRND_NONBLOCK), W(GRND_RANDOM), { 4, "GRND_INSECURE" } };
static const struct call_word rename_words[] = {
	{ 1, "RENAME_NOREPLACE" }, { 2, "RENAME_EXCHANGE" }, { 4, "RENAME_WHITEOUT" },
};
static const struct call_word rlimit_words[] = {
	W(RLIMIT_CPU), W(RLIMIT_FSIZE), W(RLIMIT_DATA), W(RLIMIT_STACK), W(RLIMIT_CORE), W(RLIMIT_RSS), W(RLIMIT_NPROC),
	W(RLIMIT_NOFILE), W(RLIMIT_MEMLOCK), W(RLIMIT_AS), W(RLIMIT_LOCKS), W(RLIMIT_SIGPENDING), W(RLIMIT_MSGQUEUE),
	W(RLIMIT_NICE), W(RLIMIT_RTPRIO), W(RLIMIT_RTTIME),
};
static const struct call_word rusage_words[] = { W(RUSAGE_SELF), W(RUSAGE_CHILDREN), W(RUSAGE_THREAD) };
static const struct call_word rwf_words[] = {
	{ 1, "RWF_HIPRI" }, { 2, "RWF_DSYNC" }, { 4, "RWF_SYNC" }, { 8, "RWF_NOWAIT" }, { 16, "RWF_APPEND" },
};
static const struct call_word sched_words[] = {
	W(SCHED_OTHER), W(SCHED_FIFO), W(SCHED_RR), W(SCHED_BATCH), W(SCHED_IDLE), { 6, "SCHED_DEADLINE" },
	{ 7, "SCHED_EXT" }, W(SCHED_RESET_ON_FORK),
};
static const struct call_word seccomp_words[] = {
	W(SECCOMP_SET_MODE_STRICT), W(SECCOMP_SET_MODE_FILTER), W(SECCOMP_GET_ACTION_AVAIL), { 3, "SECCOMP_GET_NOTIF_SIZES" },
};
static const struct call_word shut_words[] = { W(SHUT_RD), W(SHUT_WR), W(SHUT_RDWR) };
static const struct call_word sighow_words[] = { W(SIG_BLOCK), W(SIG_UNBLOCK), W(SIG_SETMASK) };
static const struct call_word signalfd_words[] = { W(SFD_CLOEXEC), W(SFD_NONBLOCK) };
static const struct call_word socktype_words[] = {
	W(SOCK_STREAM), W(SOCK_DGRAM), W(SOCK_RAW), W(SOCK_RDM), W(SOCK_SEQPACKET), W(SOCK_DCCP), W(SOCK_PACKET),
	W(SOCK_CLOEXEC), W(SOCK_NONBLOCK),
};
static const struct call_word sock_flag_words[] = { W(SOCK_CLOEXEC), W(SOCK_NONBLOCK) };
static const struct call_word sol_words[] = {
	{ 0, "SOL_IP" }, W(SOL_SOCKET), { 6, "SOL_TCP" }, { 17, "SOL_UDP" }, { 41, "SOL_IPV6" }, { 58, "SOL_ICMPV6" },
	W(SOL_RAW), W(SOL_PACKET), W(SOL_NETLINK), W(SOL_ALG), W(SOL_TLS),
};
static const struct call_word splice_words[] = {
	W(SPLICE_F_MOVE), W(SPLICE_F_NONBLOCK), W(SPLICE_F_MORE), W(SPLICE_F_GIFT),
};
static const struct call_word statx_words[] = {
	{ 0xfff, "STATX_ALL" }, { 0x7ff, "STATX_BASIC_STATS" }, { 0x1, "STATX_TYPE" }, { 0x2, "STATX_MODE" },
	{ 0x4, "STATX_NLINK" }, { 0x8, "STATX_UID" }, { 0x10, "STATX_GID" }, { 0x20, "STATX_ATIME" }, { 0x40, "STATX_MTIME" },
	{ 0x80, "STATX_CTIME" }, { 0x100, "STATX_INO" }, { 0x200, "STATX_SIZE" }, { 0x400, "STATX_BLOCKS" },
	{ 0x800, "STATX_BTIME" },
	{ 0x1000, "STATX_MNT_ID" }, { 0x2000, "STATX_DIOALIGN" }, { 0x4000, "STATX_MNT_ID_UNIQUE" },
};
static const struct call_word sync_range_words[] = {
	W(SYNC_FILE_RANGE_WAIT_BEFORE), W(SYNC_FILE_RANGE_WRITE), W(SYNC_FILE_RANGE_WAIT_AFTER),
};
static const struct call_word timer_words[] = { W(TIMER_ABSTIME), W(TFD_TIMER_CANCEL_ON_SET) };
static const struct call_word timerfd_words[] = { W(TFD_CLOEXEC), W(TFD_NONBLOCK) };
static const struct call_word umount_words[] = { W(MNT_FORCE), W(MNT_DETACH), W(MNT_EXPIRE), W(UMOUNT_NOFOLLOW) };
static const struct call_word wait_words[] = {
	W(WNOHANG), W(WUNTRACED), W(WEXITED), W(WCONTINUED), W(WNOWAIT), { 0x20000000, "__WNOTHREAD" },
	{ 0x40000000, "__WALL" }, { 0x80000000, "__WCLONE" },
};
static const struct call_word whence_words[] = { W(SEEK_SET), W(SEEK_CUR), W(SEEK_END), W(SEEK_DATA), W(SEEK_HOLE) };
static const struct call_word xattr_words[] = { W(XATTR_CREATE), W(XATTR_REPLACE) };

#define ONE_OF(name)        { .list = name, .n = ARRAY_SIZE(name) }
#define FLAGS(name, under)  { .list = name, .n = ARRAY_SIZE(name), .flags = true, .mask = (under) }

static const struct call_words lists[ARG_KINDS] = {
	[ARG_ACCESS] = FLAGS(access_words, 0),
	[ARG_ADVICE] = ONE_OF(advice_words),
	[ARG_ARCH_PRCTL] = ONE_OF(arch_prctl_words),
	[ARG_AT] = FLAGS(at_words, 0),
	[ARG_BPF] = ONE_OF(bpf_words),
	[ARG_CLOCK] = ONE_OF(clock_words),
	[ARG_CLONE] = FLAGS(clone_words, 0xff),
	[ARG_CLOSE_RANGE] = FLAGS(close_range_words, 0),
	[ARG_EPOLL] = ONE_OF(epoll_words),
	[ARG_EPOLL_FLAGS] = FLAGS(epoll_flag_words, 0),
	[ARG_EVENTFD] = FLAGS(eventfd_words, 0),
	[ARG_FADVISE] = ONE_OF(fadvise_words),
	[ARG_FALLOC] = FLAGS(falloc_words, 0),
	[ARG_FAMILY] = ONE_OF(family_words),
	[ARG_FCNTL] = ONE_OF(fcntl_words),
	[ARG_FLOCK] = FLAGS(flock_words, 0),
	[ARG_FUTEX] = FLAGS(futex_words, 0x7f),
	[ARG_IDTYPE] = ONE_OF(idtype_words),
	[ARG_INOTIFY] = FLAGS(inotify_words, 0),
	[ARG_INOTIFY_FLAGS] = FLAGS(inotify_flag_words, 0),
	[ARG_ITIMER] = ONE_OF(itimer_words),
	[ARG_MAP] = FLAGS(map_words, 0x0f),
	[ARG_MEMBARRIER] = ONE_OF(membarrier_words),
	[ARG_MEMFD] = FLAGS(memfd_words, 0),
	[ARG_MLOCKALL] = FLAGS(mlockall_words, 0),
	[ARG_MOUNT] = FLAGS(mount_words, 0),
	[ARG_MREMAP] = FLAGS(mremap_words, 0),
	[ARG_MSG] = FLAGS(msg_words, 0),
	[ARG_MSYNC] = FLAGS(msync_words, 0),
	[ARG_OPEN] = FLAGS(open_words, 3),
	[ARG_PRCTL] = ONE_OF(prctl_words),
	[ARG_PRIORITY] = ONE_OF(priority_words),
	[ARG_PROT] = FLAGS(prot_words, 0),
	[ARG_PTRACE] = ONE_OF(ptrace_words),
	[ARG_RANDOM] = FLAGS(random_words, 0),
	[ARG_RENAME] = FLAGS(rename_words, 0),
	[ARG_RLIMIT] = ONE_OF(rlimit_words),
	[ARG_RUSAGE] = ONE_OF(rusage_words),
	[ARG_RWF] = FLAGS(rwf_words, 0),
	[ARG_SCHED] = FLAGS(sched_words, 0xff),
	[ARG_SECCOMP] = ONE_OF(seccomp_words),
	[ARG_SHUT] = ONE_OF(shut_words),
	[ARG_SIGHOW] = ONE_OF(sighow_words),
	[ARG_SIGNALFD] = FLAGS(signalfd_words, 0),
	[ARG_SOCKTYPE] = FLAGS(socktype_words, 0x0f),
	[ARG_SOCK_FLAGS] = FLAGS(sock_flag_words, 0),
	[ARG_SOL] = ONE_OF(sol_words),
	[ARG_SPLICE] = FLAGS(splice_words, 0),
	[ARG_STATX] = FLAGS(statx_words, 0),
	[ARG_SYNC_RANGE] = FLAGS(sync_range_words, 0),
	[ARG_TIMER] = FLAGS(timer_words, 0),
	[ARG_TIMERFD] = FLAGS(timerfd_words, 0),
	[ARG_UMOUNT] = FLAGS(umount_words, 0),
	[ARG_WAIT] = FLAGS(wait_words, 0),
	[ARG_WHENCE] = ONE_OF(whence_words),
	[ARG_XATTR] = ONE_OF(xattr_words),
};
/* clang-format on */

const struct call_words *call_word_list(enum call_arg kind, bool arm)
{
	static const struct call_words open_arm = FLAGS(open_arm_words, 3);

	if (kind == ARG_OPEN && arm)
		return &open_arm;
	return (unsigned int)kind < ARG_KINDS && lists[kind].n ? &lists[kind] : NULL;
}

bool call_word_varies(enum call_arg kind)
{
	static const enum call_arg kinds[] = {
		ARG_OPEN,  ARG_SIGNAL,  ARG_MAP,         ARG_SOCKTYPE, ARG_SOCK_FLAGS,
		ARG_SOL,   ARG_EVENTFD, ARG_EPOLL_FLAGS, ARG_SIGNALFD, ARG_TIMERFD,
		ARG_CLONE, ARG_SIGHOW,  ARG_FCNTL,       ARG_RLIMIT,   ARG_INOTIFY_FLAGS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i] == kind)
			return true;
	return false;
}
