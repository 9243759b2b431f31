/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The features of the sampler's perf.data: facts about the machine, the command and the clock. */
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "lib/base/io.h"
#include "lib/sampler.h"

/* Texts are filled up to a multiple of so many bytes. */
#define TEXT_ALIGN 64u

/* The line of /proc/cpuinfo that names the CPU. */
#define CPU_NAME "model name"

static void put_u32(struct dkt_buf *buf, size_t value)
{
	const uint32_t v = (uint32_t)value;

	dkt__buf_add(buf, &v, sizeof(v));
}

static void put_u64(struct dkt_buf *buf, uint64_t value)
{
	dkt__buf_add(buf, &value, sizeof(value));
}

static void put_text(struct dkt_buf *buf, const char *text)
{
	static const char zeroes[TEXT_ALIGN];
	const size_t len = strlen(text), size = (len + TEXT_ALIGN) / TEXT_ALIGN * TEXT_ALIGN;

	put_u32(buf, size);
	dkt__buf_add(buf, text, len);
	dkt__buf_add(buf, zeroes, size - len);
}

static bool put_cpu(struct dkt_buf *buf)
{
	FILE *f __cleanup(fclose) = fopen("/proc/cpuinfo", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		const char *name = strchr(line, ':');

		if (strncmp(line, CPU_NAME, strlen(CPU_NAME)) != 0 || !name)
			continue;
		line[strcspn(line, "\n")] = '\0';
		put_text(buf, name + strspn(name, ": "));
		return true;
	}
	return false;
}

static bool put_memory(struct dkt_buf *buf)
{
	struct sysinfo info;

	if (sysinfo(&info))
		return false;
	put_u64(buf, (uint64_t)info.totalram * info.mem_unit >> 10);
	return true;
}

static bool put_words(const struct dkt__sampler_opts *opts, struct dkt_buf *buf)
{
	put_u32(buf, opts->n_words);
	for (size_t i = 0; i < opts->n_words; i++)
		put_text(buf, opts->words[i]);
	return opts->n_words;
}

static bool put_events(const struct dkt__sampler *sampler, struct dkt_buf *buf)
{
	put_u32(buf, sampler->n_events);
	put_u32(buf, PERF_ATTR_SIZE_VER5);
	for (size_t i = 0; i < sampler->n_events; i++) {
		const struct dkt__sampler_event *event = &sampler->events[i];

		dkt__buf_add(buf, &event->attr, PERF_ATTR_SIZE_VER5);
		put_u32(buf, event->n);
		put_text(buf, event->name);
		for (size_t fd = 0; fd < event->n; fd++)
			put_u64(buf, event->fds[fd].id);
	}
	return true;
}

static uint64_t in_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

static bool put_resolution(struct dkt_buf *buf)
{
	struct timespec resolution;

	if (clock_getres(CLOCK_MONOTONIC, &resolution))
		return false;
	put_u64(buf, in_ns(&resolution));
	return true;
}

/* The wall clock's time between two readings of the samples' clock. */
static bool put_clock(struct dkt_buf *buf)
{
	struct timespec before, wall, after;

	if (clock_gettime(CLOCK_MONOTONIC, &before) || clock_gettime(CLOCK_REALTIME, &wall) ||
	    clock_gettime(CLOCK_MONOTONIC, &after))
		return false;
	put_u32(buf, 1); /* the version */
	put_u32(buf, CLOCK_MONOTONIC);
	put_u64(buf, in_ns(&wall));
	put_u64(buf, in_ns(&before) + (in_ns(&after) - in_ns(&before)) / 2);
	return true;
}

static bool put_name(struct dkt_buf *buf, const char *name)
{
	put_text(buf, name);
	return true;
}

bool dkt__sampler_feature_put(const struct dkt__sampler *sampler, enum dkt__sampler_feature feature,
			      struct dkt_buf *buf)
{
	struct utsname names;

	if (uname(&names))
		return false;
	switch (feature) {
	case DKT__FEATURE_TRACING_DATA:
		dkt__buf_add(buf, sampler->formats.data, sampler->formats.len);
		return sampler->formats.len;
	case DKT__FEATURE_HOSTNAME:
		return put_name(buf, names.nodename);
	case DKT__FEATURE_OSRELEASE:
		return put_name(buf, names.release);
	case DKT__FEATURE_VERSION:
		return put_name(buf, "dktrace " DKT_VERSION);
	case DKT__FEATURE_ARCH:
		return put_name(buf, names.machine);
	case DKT__FEATURE_NRCPUS:
		put_u32(buf, (size_t)sysconf(_SC_NPROCESSORS_CONF));
		put_u32(buf, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
		return true;
	case DKT__FEATURE_CPUDESC:
		return put_cpu(buf);
	case DKT__FEATURE_TOTAL_MEM:
		return put_memory(buf);
	case DKT__FEATURE_CMDLINE:
		return put_words(&sampler->opts, buf);
	case DKT__FEATURE_EVENT_DESC:
		return put_events(sampler, buf);
	case DKT__FEATURE_BRANCH_STACK:
		return sampler->opts.callers == DKT__CALLERS_LBR;
	case DKT__FEATURE_CLOCKID:
		return put_resolution(buf);
	case DKT__FEATURE_CLOCK_DATA:
		return put_clock(buf);
	default:
		return false;
	}
}
