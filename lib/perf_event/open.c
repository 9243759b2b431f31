/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens events of perf_event_open(2), and explains each refusal. */
#include <limits.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/perf_event.h"

#define PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"
#define RATE_FILE     "/proc/sys/kernel/perf_event_max_sample_rate"
#define MLOCK_FILE    "/proc/sys/kernel/perf_event_mlock_kb"

/* The header of libcap may be older than the kernel. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define OR_PRIVILEGED "run as root, or with cap_perfmon (before kernel 5.8: cap_sys_admin)"

static int64_t read_setting(const char *path, int64_t otherwise)
{
	char *text __cleanup(free) = NULL;
	int64_t value;
	size_t len;

	if (dkt__read_file(path, 64, &text, &len))
		return otherwise;
	text[strcspn(text, "\n")] = '\0';
	return dkt__parse_s64(text, DKT__DEC, &value) ? otherwise : value;
}

int dkt__perf_paranoid(void)
{
	return (int)read_setting(PARANOID_FILE, INT_MIN);
}

int64_t dkt__perf_max_rate(void)
{
	return read_setting(RATE_FILE, INT64_MAX);
}

static bool is_able(cap_value_t cap)
{
	const cap_flag_t flag = dkt__is_gained() ? CAP_PERMITTED : CAP_EFFECTIVE;
	cap_flag_value_t value = CAP_CLEAR;
	cap_t set = cap_get_proc();
	bool able = set && !cap_get_flag(set, cap, flag, &value) && value == CAP_SET;

	cap_free(set);
	return able;
}

/* The strictest setting that allows the attempt, and its purpose in words. */
static int allowed_by(const struct dkt__perf_try *try, const char **purpose)
{
	if (try->attr->type == PERF_TYPE_TRACEPOINT && try->attr->sample_type & PERF_SAMPLE_RAW) {
		*purpose = "data of tracepoints";
		return DKT__PARANOID_TRACEPOINT;
	}
	if (try->pid == -1) {
		*purpose = "all processes";
		return DKT__PARANOID_CPU;
	}
	if (!try->attr->exclude_kernel) {
		*purpose = "the kernel";
		return DKT__PARANOID_KERNEL;
	}
	*purpose = "your own programs";
	return DKT__PARANOID_USER;
}

static int forbidden(struct dkt_ctx *ctx, int err, const struct dkt__perf_try *try)
{
	const char *purpose;
	const int need = allowed_by(try, &purpose);

	/* A patch of Debian and Ubuntu, which upstream has not taken. */
	if (try->able && !try->admin && try->paranoid > DKT__PARANOID_USER)
		return dkt_fail(
			ctx, err,
			"open %s: %s: kernel.perf_event_paranoid is %d, with which this kernel asks "
			"for cap_sys_admin, not cap_perfmon; set it: sysctl "
			"kernel.perf_event_paranoid=%d",
			try->name, strerror(-err), try->paranoid, DKT__PARANOID_USER);
	if (try->able)
		return dkt_fail(
			ctx, err,
			"open %s: %s, although this process has the capabilities; a container's "
			"seccomp filter or a security module refuses perf_event_open(2)",
			try->name, strerror(-err));
	if (try->paranoid > need)
		return dkt_fail(
			ctx, err,
			"open %s: %s: kernel.perf_event_paranoid is %d, and %s can be measured "
			"without privileges up to %d; " OR_PRIVILEGED
			", or set it: sysctl kernel.perf_event_paranoid=%d",
			try->name, strerror(-err), try->paranoid, purpose, need, need);
	if (try->pid > 0)
		return dkt_fail(ctx, err,
				"open %s: %s: process %d belongs to another user, or changed its "
				"privileges; " OR_PRIVILEGED,
				try->name, strerror(-err), (int)try->pid);
	return dkt_fail(ctx, err,
			"open %s: %s, although kernel.perf_event_paranoid allows it; a container's "
			"seccomp filter or a security module refuses perf_event_open(2)",
			try->name, strerror(-err));
}

static int unsupported(struct dkt_ctx *ctx, int err, const struct dkt__perf_try *try)
{
	switch (try->attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return dkt_fail(
			ctx, err,
			"open %s: this machine has no hardware counter for it, as most virtual "
			"machines; use cpu-clock",
			try->name);
	default:
		return dkt_fail(ctx, err, "open %s: this kernel does not have it", try->name);
	}
}

static int invalid(struct dkt_ctx *ctx, int err, const struct dkt__perf_try *try)
{
	const int64_t most = dkt__perf_max_rate();

	if (try->attr->freq && try->attr->sample_freq > (uint64_t)most)
		return dkt_fail(
			ctx, err,
			"open %s: %llu samples a second are more than the kernel's limit of "
			"%lld; set kernel.perf_event_max_sample_rate",
			try->name, (unsigned long long)try->attr->sample_freq, (long long)most);
	return dkt_fail(ctx, err, "open %s: %s: this kernel does not support an attribute of it",
			try->name, strerror(-err));
}

int dkt__perf_event_refused(struct dkt_ctx *ctx, int err, const struct dkt__perf_try *try)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return forbidden(ctx, err, try);
	case ENOENT:
	case EOPNOTSUPP:
		return unsupported(ctx, err, try);
	case ENOSYS:
		return dkt_fail(ctx, err,
				"open %s: this kernel was built without perf_event_open(2), or a "
				"container's seccomp filter hides it",
				try->name);
	case ENODEV:
		if (try->cpu < 0)
			return unsupported(ctx, err, try);
		return dkt_fail(ctx, err, "open %s: CPU %d is offline, or cannot count it",
				try->name, try->cpu);
	case ESRCH:
		return dkt_fail(ctx, err, "open %s: process %d has exited", try->name,
				(int)try->pid);
	case EINVAL:
		return invalid(ctx, err, try);
	case EMFILE:
		return dkt_fail(ctx, err,
				"open %s: too many open files; raise the limit with ulimit -n, or "
				"choose fewer threads",
				try->name);
	case EBUSY:
		return dkt_fail(ctx, err, "open %s: another process uses the counter exclusively",
				try->name);
	case ENOSPC:
		return dkt_fail(
			ctx, err,
			"open %s: all hardware breakpoints are in use, or the kernel's limit of "
			"callers in a stack is reached",
			try->name);
	default:
		return dkt_fail(ctx, err, "open %s: %s", try->name, strerror(-err));
	}
}

int dkt__perf_event_open(struct dkt_ctx *ctx, const char *name, struct perf_event_attr *attr,
			 pid_t pid, int cpu, int group, unsigned long flags)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);
	struct dkt__perf_try try = { .name = name, .attr = attr, .pid = pid, .cpu = cpu };
	long fd;
	int err;

	if (!attr->size)
		attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return (int)fd;
	err = -errno;
	try.paranoid = dkt__perf_paranoid();
	try.admin = is_able(CAP_SYS_ADMIN);
	try.able = try.admin || is_able(CAP_PERFMON);
	return dkt__perf_event_refused(ctx, err, &try);
}

int dkt__perf_event_map(struct dkt_ctx *ctx, int fd, size_t size, int cpu,
			struct perf_event_mmap_page **ring)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained(true);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int err;

	*ring = p == MAP_FAILED ? NULL : p;
	if (*ring)
		return 0;
	err = -errno;
	if (err == -EPERM)
		return dkt_fail(
			ctx, err,
			"map a ring of %zu kB of CPU %d: the memory that users may lock for it "
			"is used up; choose a smaller ring, " OR_PRIVILEGED
			", or raise kernel.perf_event_mlock_kb from %lld",
			size >> 10, cpu, (long long)read_setting(MLOCK_FILE, 0));
	return dkt_fail(ctx, err, "map a ring of %zu kB of CPU %d: %s", size >> 10, cpu,
			strerror(-err));
}
