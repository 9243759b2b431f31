/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Confines this process before it parses bytes of others, with Landlock and seccomp(2). */
#include "lib/base/cage.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "lib/base/io.h"

/*
 * The kernel's interface is stable, and headers are older than kernels: those of Debian 12 lack half of it,
 * and those of RHEL 8 have none. So it is written down here.
 */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

#define RULESET_VERSION   1
#define RULE_PATH_BENEATH 1

struct ruleset {
	uint64_t files;
	uint64_t net;
	uint64_t scoped;
};

struct path_rule {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

enum {
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,
};

enum { NET_BIND = 1, NET_CONNECT = 2 };

/* Whom this process reaches outside. */
enum { SCOPE_ABSTRACT_SOCKET = 1, SCOPE_SIGNAL = 2 };

#define READ_RIGHTS  (FS_READ_FILE | FS_READ_DIR)
#define FILL_RIGHTS  (FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_REFER)
#define WRITE_RIGHTS (READ_RIGHTS | FILL_RIGHTS | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

/* The rights that a rule for something else than a directory may have. */
#define FILE_RIGHTS (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

/* The rights that each version of Landlock knows. */
static const struct {
	int version;
	struct ruleset knows;
} versions[] = {
	{ 1, { .files = (1 << 13) - 1 } },
	{ 2, { .files = FS_REFER } },
	{ 3, { .files = FS_TRUNCATE } },
	{ 4, { .net = NET_BIND | NET_CONNECT } },
	{ 5, { .files = FS_IOCTL_DEV } },
	{ 6, { .scoped = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL } },
};

/* ---- Landlock ---- */

int dkt__cage_landlock(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);

	return version > 0 ? (int)version : 0;
}

static struct ruleset known(int version)
{
	struct ruleset all = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(versions) && versions[i].version <= version; i++) {
		all.files |= versions[i].knows.files;
		all.net |= versions[i].knows.net;
		all.scoped |= versions[i].knows.scoped;
	}
	return all;
}

int dkt__cage_begin(struct dkt__cage *cage, unsigned int needs)
{
	const int version = dkt__cage_landlock();
	struct ruleset rules = known(version);

	*cage = (struct dkt__cage)DKT__CAGE_INIT;
	cage->needs = needs;
	if (!version || needs & DKT__CAGE_PROCESSES)
		return 0;
	if (needs & DKT__CAGE_NETWORK)
		rules.net &= ~(uint64_t)NET_CONNECT;
	cage->handled = rules.files;
	/* Old kernels take a longer struct if the members that they do not know are 0. */
	cage->ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	return cage->ruleset < 0 ? -errno : 0;
}

int dkt__cage_allow(struct dkt__cage *cage, const char *path, unsigned int rights)
{
	int fd __cleanup(close) = -1;
	struct path_rule rule = { .rights = rights & DKT__CAGE_READ ? READ_RIGHTS : 0 };
	struct stat st;

	if (cage->ruleset < 0)
		return 0;
	if (rights & DKT__CAGE_WRITE)
		rule.rights |= WRITE_RIGHTS;
	if (rights & DKT__CAGE_REMOVE_DIRS)
		rule.rights |= FS_REMOVE_DIR;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOMEM || errno == EMFILE || errno == ENFILE ? -errno : 0;
	if (fstat(fd, &st))
		return -errno;
	rule.fd = fd;
	rule.rights &= cage->handled;
	if (!S_ISDIR(st.st_mode))
		rule.rights &= FILE_RIGHTS;
	/* Pipes and sockets have no path, and Landlock leaves them alone. */
	if (syscall(SYS_landlock_add_rule, cage->ruleset, RULE_PATH_BENEATH, &rule, 0))
		return errno == EBADFD ? 0 : -errno;
	return 0;
}

/* Files of the system that are opened when they are needed. They are the same for everybody. */
static const char *const system_files[] = {
	/* libraries of dumps and databases, programs of recordings and their debug information */
	"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache",
	/* times */
	"/etc/localtime",
	/* how many CPUs and how much memory there are */
	"/sys/devices/system/cpu", "/proc/stat", "/proc/meminfo", "/proc/sys/kernel",
	/* this process */
	"/proc/self", "/dev/null", "/dev/urandom"
};

int dkt__cage_allow_system(struct dkt__cage *cage)
{
	int err = 0;

#ifdef __SANITIZE_ADDRESS__ /* the directory of what the search for leaks writes at the end */
	const char *checks = getenv("DKT_CHECKS");

	err = checks ? dkt__cage_allow(cage, checks, DKT__CAGE_WRITE) : 0;
#endif
	for (size_t i = 0; !err && i < ARRAY_SIZE(system_files); i++)
		err = dkt__cage_allow(cage, system_files[i], DKT__CAGE_READ);
	/* Reads the time zone, wherever TZ says that it is. */
	tzset();
	return err;
}

/* ---- seccomp ---- */

/* Calls by which a process reaches what Landlock does not guard. */
static const int refused[] = {
	/* clang-format off */
	/* programs */
	SCMP_SYS(execve), SCMP_SYS(execveat),
	/* other processes */
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_open),
	SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(kcmp), SCMP_SYS(tkill),
	SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(shmget), SCMP_SYS(shmat),
	SCMP_SYS(msgget), SCMP_SYS(semget), SCMP_SYS(mq_open), SCMP_SYS(listen),
#ifndef __SANITIZE_ADDRESS__ /* the search for leaks traces its own process */
	SCMP_SYS(ptrace),
#endif
	/* modes and attributes: a set-user-ID program is the way out */
	SCMP_SYS(chmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(lchown), SCMP_SYS(fchown),
	SCMP_SYS(fchownat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr),
	/* the first versions of Landlock know no right to truncate */
	SCMP_SYS(truncate), SCMP_SYS(openat2),
	/* namespaces and mounts */
	SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(chroot), SCMP_SYS(pivot_root),
	SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(open_tree), SCMP_SYS(move_mount),
	SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(open_by_handle_at),
	/* parts of the kernel that have had many faults, and that no parser needs */
	SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
	SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(add_key),
	SCMP_SYS(request_key), SCMP_SYS(keyctl),
	/* the machine */
	SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon),
	SCMP_SYS(swapoff), SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
	/* clang-format on */
};

/* Calls on names, for a process that only writes to files which are open. */
static const int naming[] = {
	SCMP_SYS(rename),  SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(link),
	SCMP_SYS(linkat),  SCMP_SYS(symlink),  SCMP_SYS(symlinkat), SCMP_SYS(mkdir),
	SCMP_SYS(mkdirat), SCMP_SYS(rmdir),    SCMP_SYS(mknod),     SCMP_SYS(mknodat),
	SCMP_SYS(fchmod),
};

static const int removing[] = { SCMP_SYS(unlink), SCMP_SYS(unlinkat) };

/* fchmodat2() and setxattrat(), which libseccomp of Debian 12 does not know. */
#define FCHMODAT2  452
#define SETXATTRAT 463

/* The bits of a type of socket beside flags. */
#define SOCKET_TYPE 0xf

static scmp_filter_ctx new_filter(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	/* A tree, because the filter runs at each call. The kernel's own error says more than libseccomp's. */
	if (filter && (seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) ||
		       seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1))) {
		seccomp_release(filter);
		filter = NULL;
	}
	return filter;
}

/* A condition; b: the second number of a masked comparison. */
static struct scmp_arg_cmp argument(unsigned int nr, enum scmp_compare op, uint64_t a, uint64_t b)
{
	return (struct scmp_arg_cmp){ .arg = nr, .op = op, .datum_a = a, .datum_b = b };
}

/* Refuses a call if all n conditions hold. */
static int refuse_if(scmp_filter_ctx filter, int call, unsigned int n,
		     const struct scmp_arg_cmp *conditions)
{
	int err = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, n, conditions);

	/* -EDOM: this architecture has no such call. */
	return err == -EDOM ? 0 : err;
}

static int refuse_list(scmp_filter_ctx filter, const int *calls, size_t n)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = refuse_if(filter, calls[i], 0, NULL);
	return err;
}

static int refuse_calls(scmp_filter_ctx filter, unsigned int needs)
{
	int err = refuse_list(filter, refused, ARRAY_SIZE(refused));

	if (!err && !(needs & DKT__CAGE_NAMES))
		err = refuse_list(filter, naming, ARRAY_SIZE(naming));
	if (!err && !(needs & (DKT__CAGE_NAMES | DKT__CAGE_REMOVE)))
		err = refuse_list(filter, removing, ARRAY_SIZE(removing));
	if (!err)
		err = refuse_if(filter, FCHMODAT2, 0, NULL);
	return err ? err : refuse_if(filter, SETXATTRAT, 0, NULL);
}

/* Refuses calls that are harmless with other arguments. */
static int refuse_arguments(scmp_filter_ctx filter)
{
	const uint64_t self = (uint64_t)getpid(), how = O_TRUNC | O_ACCMODE;
	const struct {
		int call;
		struct scmp_arg_cmp condition;
	} rules[] = {
		{ SCMP_SYS(kill), argument(0, SCMP_CMP_NE, self, 0) },
		{ SCMP_SYS(tgkill), argument(0, SCMP_CMP_NE, self, 0) },
		/* Keys that the terminal's next program reads. */
		{ SCMP_SYS(ioctl), argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI) },
		{ SCMP_SYS(ioctl), argument(1, SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCLINUX) },
		/* A file that can be read, such as a program. */
		{ SCMP_SYS(fchmod), argument(1, SCMP_CMP_MASKED_EQ, S_ISUID, S_ISUID) },
		{ SCMP_SYS(fchmod), argument(1, SCMP_CMP_MASKED_EQ, S_ISGID, S_ISGID) },
		{ SCMP_SYS(fchmod), argument(1, SCMP_CMP_MASKED_EQ, S_IWOTH, S_IWOTH) },
		{ SCMP_SYS(open), argument(1, SCMP_CMP_MASKED_EQ, how, O_TRUNC) },
		{ SCMP_SYS(openat), argument(2, SCMP_CMP_MASKED_EQ, how, O_TRUNC) },
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(rules); i++)
		err = refuse_if(filter, rules[i].call, 1, &rules[i].condition);
	return err;
}

static bool may_open(int domain, unsigned int needs)
{
	if (domain == AF_UNIX)
		return true;
	return needs & DKT__CAGE_NETWORK &&
	       (domain == AF_INET || domain == AF_INET6 || domain == AF_NETLINK);
}

/* On this machine only datagrams: managers of services and containers listen on streams. */
static int refuse_some_sockets(scmp_filter_ctx filter, unsigned int needs)
{
	const struct scmp_arg_cmp above = argument(0, SCMP_CMP_GT, AF_NETLINK, 0);
	int err = refuse_if(filter, SCMP_SYS(socket), 1, &above);

	for (int domain = 0; !err && domain <= AF_NETLINK; domain++) {
		const struct scmp_arg_cmp same = argument(0, SCMP_CMP_EQ, (uint64_t)domain, 0);

		if (!may_open(domain, needs))
			err = refuse_if(filter, SCMP_SYS(socket), 1, &same);
	}
	for (uint64_t type = 0; !err && type <= SOCKET_TYPE; type++) {
		const struct scmp_arg_cmp local[] = {
			argument(0, SCMP_CMP_EQ, AF_UNIX, 0),
			argument(1, SCMP_CMP_MASKED_EQ, SOCKET_TYPE, type),
		};

		if (type != SOCK_DGRAM)
			err = refuse_if(filter, SCMP_SYS(socket), ARRAY_SIZE(local), local);
	}
	return err;
}

static int refuse_sockets(scmp_filter_ctx filter, unsigned int needs)
{
	static const int accepting[] = { SCMP_SYS(accept), SCMP_SYS(accept4) };
	static const int calls[] = { SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind) };
	int err = 0;

	if (!(needs & DKT__CAGE_ACCEPT))
		err = refuse_list(filter, accepting, ARRAY_SIZE(accepting));
	if (err)
		return err;
	return needs & (DKT__CAGE_NETWORK | DKT__CAGE_DATAGRAMS) ?
		       refuse_some_sockets(filter, needs) :
		       refuse_list(filter, calls, ARRAY_SIZE(calls));
}

bool dkt__cage_has_filters(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

static int enter_filter(unsigned int needs)
{
	scmp_filter_ctx filter;
	int err;

	if (!dkt__cage_has_filters())
		return 0;
	filter = new_filter();
	if (!filter)
		return -ENOMEM;
	err = refuse_calls(filter, needs);
	if (!err)
		err = refuse_arguments(filter);
	if (!err)
		err = refuse_sockets(filter, needs);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}

/* ---- both ---- */

int dkt__cage_enter(const struct dkt__cage *cage)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (cage->ruleset >= 0 && syscall(SYS_landlock_restrict_self, cage->ruleset, 0))
		return -errno;
	return enter_filter(cage->needs);
}

void dkt__cage_endp(struct dkt__cage *cage)
{
	if (cage->ruleset >= 0)
		close(cage->ruleset);
	cage->ruleset = -1;
}
