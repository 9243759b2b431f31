/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analyses, one row each. */
#include "answers/analyze/kinds.h"

#include "lib/base/util.h"

static const struct analysis analyses[] = {
	/* clang-format off */
	{ "cputop",       &cputop_kind, VIEW_TABLES, "who uses the CPUs: each process and CPU with its share of the time" },
	{ "cpulog",       &run_kind,    VIEW_LOG,    "the timeline of the CPUs: which process ran where, and why it stopped" },
	{ "cpustats",     &run_kind,    VIEW_STATS,  "how long processes run until they stop" },
	{ "schedlog",     &sched_kind,  VIEW_LOG,    "each wait for a CPU, from the wakeup until the process runs" },
	{ "schedtop",     &sched_kind,  VIEW_TOP,    "the longest waits for a CPU" },
	{ "schedstats",   &sched_kind,  VIEW_STATS,  "how long each process waits for a CPU" },
	{ "schedfreq",    &sched_kind,  VIEW_FREQ,   "how many waits for a CPU are how long" },
	{ "offcpulog",    &offcpu_kind, VIEW_LOG,    "each time in which a process did not run, and why" },
	{ "offcputop",    &offcpu_kind, VIEW_TOP,    "the longest of these times" },
	{ "offcpustats",  &offcpu_kind, VIEW_STATS,  "what keeps each process from running: sleep, disk, other processes" },
	{ "offcpufreq",   &offcpu_kind, VIEW_FREQ,   "how many of these times are how long" },
	{ "irqlog",       &irq_kind,    VIEW_LOG,    "each run of an interrupt handler" },
	{ "irqtop",       &irq_kind,    VIEW_TOP,    "the longest runs of interrupt handlers" },
	{ "irqstats",     &irq_kind,    VIEW_STATS,  "how long interrupt handlers run, and how long raised softirqs wait" },
	{ "irqfreq",      &irq_kind,    VIEW_FREQ,   "how many runs of interrupt handlers are how long" },
	{ "blocklog",     &block_kind,  VIEW_LOG,    "each request to a block device" },
	{ "blocktop",     &block_kind,  VIEW_TOP,    "the slowest requests to block devices" },
	{ "blockstats",   &block_kind,  VIEW_STATS,  "how long each block device takes, with its queue" },
	{ "blockfreq",    &block_kind,  VIEW_FREQ,   "how many requests to block devices are how slow" },
	{ "syscallstats", &syscall_kind, VIEW_STATS, "how long the system calls of each process take" },
	{ "syscalltop",   &syscall_kind, VIEW_TOP,   "the longest system calls" },
	{ "iousagetop",   &iousage_kind, VIEW_TABLES, "who reads and writes, by system calls: files, network, elsewhere" },
	{ "iolog",        &io_kind,     VIEW_LOG,    "each system call that opens, reads, writes or syncs" },
	{ "iolatencytop", &io_kind,     VIEW_TOP,    "the longest of these system calls" },
	{ "iolatencystats", &io_kind,   VIEW_STATS,  "how long opening, reading, writing and syncing take" },
	{ "iolatencyfreq", &io_kind,    VIEW_FREQ,   "how many of these system calls are how long" },
	{ "periodlog",    &period_kind, VIEW_LOG,    "each period from a begin to an end that you define" },
	{ "periodtop",    &period_kind, VIEW_TOP,    "the longest of these periods" },
	{ "periodstats",  &period_kind, VIEW_STATS,  "how long these periods take, and how much of it the periods within them" },
	{ "periodfreq",   &period_kind, VIEW_FREQ,   "how many of these periods are how long" },
	{ "memtop",       &memtop_kind, VIEW_TABLES, "who allocates and frees pages of memory" },
	{ "pagecache",    &cache_kind,  VIEW_TABLES, "who fills and dirties the page cache, and where it is written to" },
	{ "tcpretrans",   &tcp_kind,    VIEW_TABLES, "to whom TCP sends segments again" },
	{ "nfsdlog",      &nfsd_kind,   VIEW_LOG,    "each request that an NFS server gets, and each operation in it" },
	{ "nfsdtop",      &nfsd_kind,   VIEW_TOP,    "the slowest requests and operations of an NFS server" },
	{ "nfsdstats",    &nfsd_kind,   VIEW_STATS,  "what an NFS server does, how long that takes, and for whom" },
	{ "nfsdfreq",     &nfsd_kind,   VIEW_FREQ,   "how many requests of an NFS server are how slow" },
	{ "rpclog",       &rpc_kind,    VIEW_LOG,    "each request of RPC that this host sends, as to an NFS server" },
	{ "rpctop",       &rpc_kind,    VIEW_TOP,    "the slowest of these requests" },
	{ "rpcstats",     &rpc_kind,    VIEW_STATS,  "how long requests of RPC wait, and how long servers take" },
	{ "rpcfreq",      &rpc_kind,    VIEW_FREQ,   "how many requests of RPC are how slow" },
	/* clang-format on */
};

const struct analysis *analysis_next(const struct analysis *analysis)
{
	const struct analysis *next = analysis ? analysis + 1 : analyses;

	return next < analyses + ARRAY_SIZE(analyses) ? next : NULL;
}

const struct analysis *analysis_find(const char *name)
{
	const struct analysis *analysis = NULL;

	while ((analysis = analysis_next(analysis)) && strcmp(analysis->name, name) != 0)
		;
	return analysis;
}
