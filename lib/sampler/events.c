/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sampler's events: their attributes, as good as the machine has them, and their descriptors. */
#include <sys/ioctl.h>
#include <time.h>

#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/sampler.h"

#define FREQUENCY   99
#define ONLINE_FILE "/sys/devices/system/cpu/online"
#define CPUS_MAX    8192
#define CALLS_EVENT "raw_syscalls:sys_enter"

/* Old headers lack it. Kernels before 6.0 do not know it, and the attempt is repeated without it. */
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* The attributes' size that perf 5.1 and later know. No later member is used. */
#define ATTR_SIZE PERF_ATTR_SIZE_VER5

/* The registers from which callers are found: all but those of segments, which x86 kernels refuse. */
#if defined(__x86_64__)
#define USER_REGISTERS UINT64_C(0xff0fff)
#elif defined(__aarch64__)
#define USER_REGISTERS ((UINT64_C(1) << 33) - 1)
#else
#define USER_REGISTERS 0
#endif

/* ---- attributes ---- */

/* True if the machine counts cycles, or if it cannot be known because nothing is allowed. */
static bool has_cycles(struct dkt_ctx *ctx)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = ATTR_SIZE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.sample_period = UINT32_MAX,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	const int fd = dkt__perf_event_open(ctx, "cycles", &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -EACCES || fd == -EPERM || fd == -EMFILE;
}

/* The members that all events of the sampler share, so that their records end alike. */
static struct perf_event_attr common_attr(void)
{
	return (struct perf_event_attr){ .size = ATTR_SIZE,
					 .sample_type = DKT__SAMPLER_FIELDS,
					 .read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
					 .disabled = 1,
					 .sample_id_all = 1,
					 .use_clockid = 1,
					 .clockid = CLOCK_MONOTONIC };
}

static void follow_tasks(const struct dkt__sampler *sampler, struct perf_event_attr *attr)
{
	attr->mmap = attr->mmap2 = 1;
	attr->mmap_data = dkt__sampler_wants_data(sampler);
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = attr->bpf_event = 1;
}

static int set_callers(struct dkt__sampler *sampler, struct perf_event_attr *attr)
{
	const struct dkt__sampler_opts *opts = &sampler->opts;

	if (opts->callers != DKT__CALLERS_NONE)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (opts->callers == DKT__CALLERS_DWARF && !USER_REGISTERS)
		return dkt_fail(
			sampler->ctx, -EOPNOTSUPP,
			"callers by dwarf are supported on x86-64 and arm64 only; use frame "
			"pointers");
	if (opts->callers == DKT__CALLERS_DWARF && !opts->only_kernel) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = USER_REGISTERS;
		attr->sample_stack_user = opts->stack_size ?: DKT__SAMPLER_STACK;
		attr->exclude_callchain_user = 1;
	}
	if (opts->callers == DKT__CALLERS_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_FLAGS |
					   PERF_SAMPLE_BRANCH_NO_CYCLES;
		attr->exclude_callchain_user = 1;
	}
	if (opts->only_user)
		attr->exclude_callchain_kernel = 1;
	if (opts->only_kernel)
		attr->exclude_callchain_user = 1;
	return 0;
}

static void add_event(struct dkt__sampler *sampler, const char *name,
		      const struct perf_event_attr *attr, bool early, bool machine)
{
	sampler->events[sampler->n_events++] = (struct dkt__sampler_event){
		.name = name, .attr = *attr, .early = early, .machine = machine
	};
}

/* Each one is recorded, with its callers unless those of all threads would cost the others too much. */
static int add_tracepoint(struct dkt__sampler *sampler, const char *name, bool machine)
{
	const bool threads = sampler->opts.n_threads && !machine;
	const bool others = sampler->opts.n_threads && machine;
	struct perf_event_attr attr = common_attr(), found;
	int err = dkt__perf_event_named(sampler->ctx, name, &found);

	if (!err && !others)
		err = set_callers(sampler, &attr);
	if (err)
		return err;
	attr.type = found.type;
	attr.config = found.config;
	attr.sample_type |= PERF_SAMPLE_RAW;
	attr.sample_period = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = (uint32_t)(sampler->ring_size / 2);
	/* Those who wake others get names, too. */
	attr.comm = attr.comm_exec = others;
	attr.inherit = threads;
	attr.enable_on_exec = threads && sampler->opts.waits;
	add_event(sampler, name, &attr, sampler->opts.n_threads, machine);
	return 0;
}

/*
 * The kernel records a switch for the thread that leaves the CPU. When a chosen thread gets one again, its records
 * of the tasks say so. Whoever wakes it can be any thread, and is recorded with callers if it is a chosen one.
 */
static int add_off_cpu(struct dkt__sampler *sampler)
{
	const bool threads = sampler->opts.n_threads;
	int err = 0;

	if (!sampler->opts.off_cpu)
		return 0;
	if (threads)
		sampler->events[DKT__SAMPLER_SAMPLES].attr.context_switch = 1;
	err = add_tracepoint(sampler, "sched:sched_switch", !threads);
	if (!err)
		err = add_tracepoint(sampler, "sched:sched_waking", !threads);
	if (!err && threads)
		err = add_tracepoint(sampler, "sched:sched_waking", true);
	return err;
}

static int choose_time(struct dkt__sampler *sampler, struct perf_event_attr *attr)
{
	const struct dkt__sampler_opts *opts = &sampler->opts;
	const bool cycles = has_cycles(sampler->ctx);

	sampler->result.event = cycles ? "cycles" : "cpu-clock";
	if (opts->callers == DKT__CALLERS_LBR && !cycles)
		return dkt_fail(
			sampler->ctx, -EOPNOTSUPP,
			"this machine has no hardware counters, and so no record of the last "
			"branches (LBR); find callers by frame pointers or dwarf");
	attr->type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config = cycles ? (uint64_t)PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	/* The CPU's records of exact places do not reach into virtual machines. */
	attr->precise_ip = cycles ? 3 : 0;
	attr->exclude_guest = cycles;
	attr->exclude_kernel = attr->exclude_hv = opts->only_user;
	attr->exclude_user = opts->only_kernel;
	return 0;
}

static int choose_calls(struct dkt__sampler *sampler, struct perf_event_attr *attr)
{
	struct perf_event_attr found;
	int err = dkt__perf_event_named(sampler->ctx, CALLS_EVENT, &found);

	if (err)
		return err;
	sampler->result.event = CALLS_EVENT;
	attr->type = found.type;
	attr->config = found.config;
	attr->sample_type |= PERF_SAMPLE_RAW;
	attr->exclude_callchain_kernel = 1;
	return 0;
}

/*
 * Samples of threads are taken by one event, which follows them. On a machine another one follows all
 * processes, also while the first does not count yet.
 */
static int choose_events(struct dkt__sampler *sampler)
{
	const struct dkt__sampler_opts *opts = &sampler->opts;
	const uint64_t most = (uint64_t)dkt__perf_max_rate();
	struct perf_event_attr attr = common_attr();
	struct dkt__sampler_result *result = &sampler->result;
	int err = opts->calls ? choose_calls(sampler, &attr) : choose_time(sampler, &attr);

	if (err)
		return err;
	result->frequency = DKT__MIN(opts->frequency ?: FREQUENCY, most);
	attr.freq = 1;
	attr.sample_freq = result->frequency;
	attr.watermark = 1;
	attr.wakeup_watermark = (uint32_t)(sampler->ring_size / 2);
	err = set_callers(sampler, &attr);
	if (err)
		return err;
	if (opts->n_threads) {
		attr.inherit = 1;
		attr.enable_on_exec = opts->waits;
		follow_tasks(sampler, &attr);
	}
	add_event(sampler, result->event, &attr, opts->n_threads, false);
	if (opts->n_threads)
		return add_off_cpu(sampler);
	attr = common_attr();
	attr.sample_type = sampler->events[DKT__SAMPLER_SAMPLES].attr.sample_type &
			   (DKT__SAMPLER_FIELDS | PERF_SAMPLE_CALLCHAIN);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.exclude_kernel = attr.exclude_hv = 1;
	follow_tasks(sampler, &attr);
	add_event(sampler, "dummy", &attr, true, false);
	return add_off_cpu(sampler);
}

/* Gives up a member that not every kernel or counter has. False: there is none left. */
static bool simplify(struct perf_event_attr *attr)
{
	if (attr->precise_ip)
		attr->precise_ip--;
	else if (attr->read_format & PERF_FORMAT_LOST)
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else if (attr->bpf_event)
		attr->ksymbol = attr->bpf_event = 0;
	else
		return false;
	return true;
}

/* Without privileges a user may still sample the programs' side. */
static bool leave_kernel(struct dkt__sampler *sampler, struct perf_event_attr *attr)
{
	if (!sampler->opts.n_threads || attr->exclude_kernel || sampler->opts.only_kernel ||
	    attr->type == PERF_TYPE_TRACEPOINT)
		return false;
	attr->exclude_kernel = attr->exclude_hv = attr->exclude_callchain_kernel = 1;
	sampler->result.no_kernel = true;
	return true;
}

/* ---- descriptors ---- */

static int open_first(struct dkt__sampler *sampler, struct dkt__sampler_event *event, pid_t pid,
		      int cpu)
{
	for (;;) {
		const int fd = dkt__perf_event_open(sampler->ctx, event->name, &event->attr, pid,
						    cpu, -1, 0);

		if (fd == -EACCES && leave_kernel(sampler, &event->attr))
			continue;
		if ((fd == -EINVAL || fd == -EOPNOTSUPP || fd == -ENOENT) && simplify(&event->attr))
			continue;
		return fd;
	}
}

/* Opens an event that all others share the ring of, if it is the first of the CPU. */
static int open_one(struct dkt__sampler *sampler, struct dkt__sampler_event *event, pid_t pid,
		    uint32_t nr)
{
	struct dkt__sampler_ring *ring = &sampler->rings[nr];
	const int fd = event->n ? dkt__perf_event_open(sampler->ctx, event->name, &event->attr, pid,
						       ring->cpu, -1, 0) :
				  open_first(sampler, event, pid, ring->cpu);

	/* A thread has ended, or a CPU went offline, since they were listed. */
	if (fd == -ESRCH || (fd == -ENODEV && event->n))
		return 0;
	if (fd < 0)
		return fd;
	if (dkt__append(event->fds, event->n,
			(struct dkt__sampler_fd){ .fd = fd, .ring = nr, .lasts = event->machine })) {
		close(fd);
		return dkt__no_memory(sampler->ctx);
	}
	if (ring->fd < 0)
		ring->fd = fd;
	return 0;
}

static int list_cpus(struct dkt__sampler *sampler)
{
	char *text __cleanup(free) = NULL;
	int *cpus __cleanup(free) = NULL;
	size_t len, n = 0;
	int err = dkt__read_file(ONLINE_FILE, 1 << 16, &text, &len);

	if (!err) {
		text[strcspn(text, "\n")] = '\0';
		err = dkt__parse_list(text, CPUS_MAX, &cpus, &n);
	}
	if (err)
		return dkt_fail(sampler->ctx, err, "read %s: %s", ONLINE_FILE, strerror(-err));
	sampler->rings = calloc(n, sizeof(*sampler->rings));
	if (!sampler->rings)
		return dkt__no_memory(sampler->ctx);
	sampler->n_rings = n;
	for (size_t i = 0; i < n; i++)
		sampler->rings[i] = (struct dkt__sampler_ring){ .cpu = cpus[i], .fd = -1 };
	return 0;
}

static int open_event(struct dkt__sampler *sampler, struct dkt__sampler_event *event)
{
	static const pid_t all = -1;
	const bool machine = event->machine || !sampler->opts.n_threads;
	const pid_t *threads = machine ? &all : sampler->opts.threads;
	const size_t n = machine ? 1 : sampler->opts.n_threads;
	int err = 0;

	for (uint32_t ring = 0; !err && ring < sampler->n_rings; ring++)
		for (size_t i = 0; !err && i < n; i++)
			err = open_one(sampler, event, threads[i], ring);
	return err;
}

int dkt__sampler_events_open(struct dkt__sampler *sampler)
{
	int err = choose_events(sampler);

	if (!err)
		err = list_cpus(sampler);
	for (size_t i = 0; !err && i < sampler->n_events; i++)
		err = open_event(sampler, &sampler->events[i]);
	if (!err && !sampler->events[0].n)
		err = -ESRCH;
	return err;
}

static int enable_one(struct dkt__sampler *sampler, int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ?
		       dkt_fail(sampler->ctx, -errno, "enable the sampling: %s", strerror(errno)) :
		       0;
}

int dkt__sampler_events_enable(struct dkt__sampler *sampler, bool early)
{
	int err = 0;

	for (size_t i = 0; i < sampler->n_events; i++) {
		const struct dkt__sampler_event *event = &sampler->events[i];

		if (event->early != early || event->attr.enable_on_exec)
			continue;
		for (size_t fd = 0; !err && fd < event->n; fd++)
			err = enable_one(sampler, event->fds[fd].fd);
	}
	return err;
}

void dkt__sampler_events_disable(struct dkt__sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_events; i++)
		for (size_t fd = 0; fd < sampler->events[i].n; fd++)
			ioctl(sampler->events[i].fds[fd].fd, PERF_EVENT_IOC_DISABLE, 0);
}

static uint64_t lost_of(const struct dkt__sampler_event *event)
{
	struct {
		uint64_t value, id, lost;
	} counts;
	uint64_t lost = 0;

	if (!(event->attr.read_format & PERF_FORMAT_LOST))
		return 0;
	for (size_t fd = 0; fd < event->n; fd++)
		if (read(event->fds[fd].fd, &counts, sizeof(counts)) == sizeof(counts))
			lost += counts.lost;
	return lost;
}

uint64_t dkt__sampler_events_lost(const struct dkt__sampler *sampler)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < sampler->n_events; i++)
		lost += lost_of(&sampler->events[i]);
	return DKT__MAX(lost, sampler->lost);
}

void dkt__sampler_events_close(struct dkt__sampler *sampler)
{
	for (size_t i = 0; i < sampler->n_events; i++) {
		for (size_t fd = 0; fd < sampler->events[i].n; fd++)
			close(sampler->events[i].fds[fd].fd);
		free(sampler->events[i].fds);
	}
	sampler->n_events = 0;
	free(sampler->rings);
	sampler->rings = NULL;
	sampler->n_rings = 0;
}
