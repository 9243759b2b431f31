/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of tasks, and how words find a row. */
#include "help/tasks.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/guess.h"
#include "base/util.h"

#define RECORD_CALLS "dktrace record -e 'raw_syscalls:*'"
#define RECORD_SCHED "dktrace record -e 'sched:sched_*'"
/* The kernel completes a request in whatever process the interrupt comes. */
#define RECORD_BLOCK "dktrace record --all -e 'block:block_rq_*'"
#define RECORD_ALL   "dktrace record --all -e 'raw_syscalls:*,sched:sched_*,block:block_rq_*'"

/* The commands for an analysis of Lustre's log, which needs these classes. */
#define LUSTRE(classes, analysis)                                                                  \
	"lctl set_param debug=+" classes "; sleep 10; dktrace lustre " analysis " log",            \
		"lctl set_param debug=+" classes "; sleep 10; lctl dk dk.log",                     \
		"dktrace lustre " analysis " dk.log"

const struct task tasks[] = {
	/* clang-format off */
	{ "What does the machine do now?", "overloaded server happens happening live overview top busy load processes activity going",
	  "dktrace top", NULL, NULL },
	{ "Which system calls have not returned?", "hang hangs hung stuck blocked uninterruptible now syscall process",
	  "dktrace top --batch -n 1 --panel calls --rows 0", NULL, NULL },
	{ "What fills the debug log?", "classes events lost records messages flood full overflow buffer debug_mb debug mask",
	  "dktrace top --batch -n 3 --log --panel classes,events,buffers", NULL, NULL },
	{ "What does a program ask of the kernel?", "strace trace system calls syscall arguments process command",
	  "dktrace strace -- ls", RECORD_CALLS, "dktrace strace -i trace.dat" },
	{ "How do I draw a picture?", "pictures html page browser graph heat map flame graph flamegraph chart timeline see view",
	  NULL, RECORD_ALL, "dktrace view trace.dat -o page.html" },
	{ "Which system calls are slow?", "read write histogram distribution percentile latency hang hung syscall where does the time go",
	  "dktrace latency syscall", RECORD_CALLS, "dktrace latency syscall -i trace.dat" },
	{ "Which system calls fail, and why?", "too many open files emfile errors errno fails failing failed syscall disk full space enospc eio permission denied quota",
	  "dktrace hist failed-calls", RECORD_CALLS, "dktrace hist failed-calls -i trace.dat" },
	{ "Where do slow system calls wait?", "what is slow in this process strace stack hang syscall program where does the time go",
	  "dktrace strace --stack --duration '>10ms'",
	  "dktrace record -e 'raw_syscalls:*,sched_switch' --stack sched_switch",
	  "dktrace strace --stack --duration '>10ms' trace.dat" },
	{ "Which calls of a program fail?", "which calls fail in this process strace errors errno failing syscall",
	  "dktrace strace --errors", RECORD_CALLS, "dktrace strace --errors trace.dat" },
	{ "Who calls what?", "which process makes system calls syscall busy",
	  "dktrace hist callers", RECORD_CALLS, "dktrace hist callers -i trace.dat" },
	{ "Who fsyncs?", "calls fsync fdatasync sync msync durable",
	  "dktrace hist fsyncs", "dktrace record -e 'syscalls:sys_*sync*'", "dktrace hist fsyncs -i trace.dat" },
	{ "How long does fsync take?", "slow fsync fdatasync latency commit",
	  "dktrace latency fsync", "dktrace record -e 'syscalls:sys_*sync*'", "dktrace latency fsync -i trace.dat" },
	{ "Who opens files?", "open which files",
	  "dktrace hist opens", "dktrace record -e 'syscalls:sys_*_open*'", "dktrace hist opens -i trace.dat" },
	{ "Who reads and writes files?", "read write files io bytes throughput bandwidth process network socket",
	  "dktrace analyze iousagetop", RECORD_CALLS, "dktrace analyze iousagetop trace.dat" },
	{ "Which disk is slow?", "high iowait latency storage block device io ost mdt queue where does the time go",
	  "dktrace analyze blockstats", RECORD_BLOCK, "dktrace analyze blockstats trace.dat" },
	{ "Who uses the disks?", "iops throughput bandwidth reads writes io block device storage process busy ost",
	  "dktrace hist disk-requests", RECORD_BLOCK, "dktrace hist disk-requests -i trace.dat" },
	{ "Which disks have errors?", "failed bad broken media block device io storage error eio",
	  "dktrace hist disk-errors", RECORD_BLOCK, "dktrace hist disk-errors -i trace.dat" },
	{ "How long does the journal's commit take?", "slow ldiskfs ext4 jbd2 latency",
	  "dktrace latency jbd2", "dktrace record -e 'jbd2:*'", "dktrace latency jbd2 -i trace.dat" },
	{ "Who waits for a CPU?", "slow run queue scheduler scheduling latency delay wakeup where does the time go",
	  "dktrace analyze schedstats", RECORD_SCHED, "dktrace analyze schedstats trace.dat" },
	{ "Why do processes wait?", "high iowait off-cpu sleep sleeping blocked hang hung stuck idle where does the time go",
	  "dktrace analyze offcpustats", RECORD_SCHED, "dktrace analyze offcpustats trace.dat" },
	{ "Who uses the CPU?", "usage context switches switch busy running time process load high top cores",
	  "dktrace analyze cputop", RECORD_SCHED, "dktrace analyze cputop trace.dat" },
	{ "Which programs are started?", "exec start who runs command",
	  "dktrace hist execs", "dktrace record -e 'sched:sched_process_exec'", "dktrace hist execs -i trace.dat" },
	{ "Who is killed?", "who kills process signal kill kills died",
	  "dktrace hist signals", "dktrace record -e 'signal:*'", "dktrace hist signals -i trace.dat" },
	{ "Who takes memory?", "allocates allocation pages leak leaks oom out of memory usage",
	  "dktrace hist allocations", "dktrace record -e 'kmem:mm_page_*'", "dktrace hist allocations -i trace.dat" },
	{ "Who fills the page cache?", "pages cached dirty writeback memory file",
	  "dktrace analyze pagecache", "dktrace record -e 'filemap:*,writeback:*'", "dktrace analyze pagecache trace.dat" },
	{ "Which interrupts take long?", "irq softirq latency handler device",
	  "dktrace analyze irqstats", "dktrace record -e 'irq:*'", "dktrace analyze irqstats trace.dat" },
	{ "Does the network lose packets?", "loss tcp retransmits retransmission connection lost drop dropped slow",
	  "dktrace hist retransmits", "dktrace record -e 'tcp:*'", "dktrace hist retransmits -i trace.dat" },
	{ "Which NFS requests are slow?", "nfsd server latency rpc",
	  "dktrace latency nfsd", "dktrace record -e 'sunrpc:svc_*'", "dktrace latency nfsd -i trace.dat" },
	{ "How do I ask in SQL?", "database sqlite select query statement table tables join question of my own",
	  NULL, RECORD_ALL, "dktrace sql trace.dat 'SELECT * FROM syscallstats'" },
	{ "How long is it from one event to another?", "between time period interval a and b duration of my own",
	  "dktrace latency syscalls:sys_enter_fsync syscalls:sys_exit_fsync -k common_pid -t 10",
	  "dktrace record -e 'syscalls:*_fsync'",
	  "dktrace latency syscalls:sys_enter_fsync syscalls:sys_exit_fsync -k common_pid -i trace.dat" },
	{ "What happened before an incident?", "eviction evicted condition dump flight recorder rare sporadic sometimes",
	  "dktrace flight start -e 'raw_syscalls:*' --when 'fsync > 100ms'", NULL, NULL },
	{ "What happened before the crash?", "panic reboot rebooted crashed died last boot oops",
	  "dktrace last-boot", NULL, NULL },
	{ "Where does the kernel spend time in a call?", "function graph where does the time go",
	  "dktrace graph vfs_read", NULL, NULL },
	{ "Which RPCs of Lustre are slow?", "xid opcode request rpc latency hang hung timeout client server ost oss mds mdt where does the time go",
	  LUSTRE("rpctrace", "rpc") },
	{ "Who talks to this server of Lustre?", "client clients ost oss mds nid rpc requests peer jobid job load",
	  LUSTRE("rpctrace", "rpc --group-by nid") },
	{ "Who waits for which lock of Lustre?", "ldlm conflict contention blocked callback locks hang dlm who holds",
	  LUSTRE("dlmtrace", "locks") },
	{ "Why was a client of Lustre evicted?", "evictions evict timeout timed out reconnect lost connection disconnected",
	  LUSTRE("dlmtrace+rpctrace+ha", "evictions") },
	{ "Does Lustre leak memory?", "malloc leaks leaking allocation kmalloc",
	  LUSTRE("malloc", "leaks") },
	{ "Which line of Lustre fills the log?", "messages flood source debug log full",
	  LUSTRE("rpctrace", "messages") },
	{ "Which masks show more of Lustre?", "debug subsystem_debug set mask class missing incomplete log more",
	  LUSTRE("rpctrace", "masks") },
	/* clang-format on */
};

const size_t n_tasks = ARRAY_SIZE(tasks);

/* Between words: all that is not a letter or a digit. */
static size_t next_word(const char **p)
{
	size_t len = 0;

	while (**p && !isalnum((unsigned char)**p))
		++*p;
	while (isalnum((unsigned char)(*p)[len]))
		len++;
	return len;
}

/* Words that every question has. */
static bool is_filler(const char *word, size_t len)
{
	static const char *const fillers[] = {
		"a",    "an",  "and",  "are", "by",  "can",  "do",   "does", "for",   "has", "have",
		"how",  "i",   "in",   "is",  "it",  "me",   "my",   "of",   "on",    "so",  "show",
		"that", "the", "this", "to",  "was", "with", "what", "when", "which", "who", "why",
	};

	for (size_t i = 0; i < ARRAY_SIZE(fillers); i++)
		if (strlen(fillers[i]) == len && !strncasecmp(fillers[i], word, len))
			return true;
	return false;
}

/* "fsync" and "fsyncs" are alike, and "evict" and "eviction": one begins with the other. */
#define STEM 4

static bool is_alike(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = a_len < b_len ? a_len : b_len;

	return (a_len == b_len || n >= STEM) && !strncasecmp(a, b, n);
}

static bool has_word(const char *text, const char *word, size_t len)
{
	size_t n;

	for (; (n = next_word(&text)); text += n)
		if (!is_filler(text, n) && is_alike(text, n, word, len))
			return true;
	return false;
}

size_t task_matches(const struct task *task, char *const *words, size_t n, size_t *asked)
{
	size_t found = 0, len;

	*asked = 0;
	for (size_t i = 0; i < n; i++)
		for (const char *p = words[i]; (len = next_word(&p)); p += len) {
			if (is_filler(p, len))
				continue;
			++*asked;
			found += has_word(task->question, p, len) || has_word(task->words, p, len);
		}
	return found;
}

void task_guess(struct dkt__guess *guess)
{
	for (size_t i = 0; i < n_tasks; i++) {
		const char *texts[] = { tasks[i].question, tasks[i].words };
		size_t len;

		for (size_t t = 0; t < ARRAY_SIZE(texts); t++)
			for (const char *p = texts[t]; (len = next_word(&p)); p += len) {
				char word[32];

				snprintf(word, sizeof(word), "%.*s", (int)len, p);
				if (!is_filler(p, len))
					dkt__guess_try(guess, word);
			}
	}
}
