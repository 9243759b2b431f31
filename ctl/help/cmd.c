/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* help: describes the program, a command, or how to do a task; the table of tasks. */
#include "ctl/help/tasks.h"

#include <ctype.h>

#include "ctl/app/commands.h"
#include "lib/base/guess.h"

/* The word that lists all tasks. */
#define ALL_TASKS "tasks"

/*
 * A question that users have, with the commands that answer it. A command that is NULL does not exist. All of
 * them can be typed as they are.
 */
struct task {
	const char *question;
	const char *words; /* further words that find it */
	const char *now; /* of this machine, until Ctrl-C or the end of its report */
	const char *record; /* writes the file for later */
	const char *file; /* of the file */
};

#define RECORD_CALLS "dktrace record -e 'raw_syscalls:*'"
#define RECORD_SCHED "dktrace record -e 'sched:sched_*'"
/* The kernel completes a request in whatever process the interrupt comes. */
#define RECORD_BLOCK "dktrace record --all -e 'block:block_rq_*'"
#define RECORD_ALL   "dktrace record --all -e 'raw_syscalls:*,sched:sched_*,block:block_rq_*'"

#define METADATA "*stat*,open*,unlink*,mkdir*,rename*"

/* The commands for an analysis of Lustre's log, which needs these classes. */
#define LUSTRE(classes, analysis)                                                                  \
	"lctl set_param debug=+" classes "; sleep 10; dktrace lustre " analysis " log",            \
		"lctl set_param debug=+" classes "; sleep 10; lctl dk dk.log",                     \
		"dktrace lustre " analysis " dk.log"

#define LUSTRE_PARAMS "lctl get_param 'obdfilter.*.*' 'osc.*.*' 'llite.*.*' 'ldlm.*.*.*' >params"

static const struct task tasks[] = {
	/* clang-format off */
	{ "How do I print the log?", "logs read see debug_kernel dk dmesg messages debug show lctl",
	  "dktrace show", NULL, NULL },
	{ "How do I choose what is recorded?", "turn on enable start full debug mask class classes vfstrace rpctrace dlmtrace net trace inode ha info all everything 1 set_param lctl begin debug_on",
	  "dktrace set_param debug=+iotrace", NULL, NULL },
	{ "How do I watch the log as it grows?", "tail follow live log new messages errors warnings debug",
	  "dktrace follow", NULL, NULL },
	{ "How do I record all the time?", "leave it on permanently permanent always every week weeks month months days day night overnight background continuously constantly service daemon keep recording long rotate 24/7 debug_daemon debug rotation logs",
	  "dktrace daemon start -e 'block:block_rq_*'", NULL, "dktrace report --since -1h /var/log/dktrace" },
	{ "What happened in the last hour?", "last night yesterday today morning ago since minutes minute earlier recently past hours week history time was",
	  "dktrace report --since -1h /var/log/dktrace", "dktrace daemon start -e 'block:block_rq_*'",
	  "dktrace info /var/log/dktrace" },
	{ "What does the machine do now?", "overloaded server happens happening live overview top busy load high processes activity going average slow everything sluggish",
	  "dktrace top", NULL, NULL },
	{ "What do the server threads of Lustre wait for?", "watchdog inactive service thread ost mdt oss mds ll_ost hung stuck waits blocked dumping stack trace",
	  "dktrace analyze offcpustats --comm 'll_ost*,mdt*'",
	  RECORD_SCHED, "dktrace analyze offcpustats --comm 'll_ost*,mdt*' trace.dat" },
	{ "Which system calls have not returned?", "d state hang hangs hung stuck blocked uninterruptible now syscall process client task tasks df mount hung_task 120 seconds than more timeout kernel waits",
	  "dktrace top --batch -n 1 --panel calls --rows 0", NULL, NULL },
	{ "What fills the debug log?", "classes events lost records messages flood full overflow buffer debug_mb debug mask drop drops dropped rate record overrun overflows missing",
	  "dktrace top --batch -n 3 --log --panel classes,events,buffers", NULL, NULL },
	{ "What does a program ask of the kernel?", "strace trace system calls syscall arguments process command attach running pid replace follow",
	  "dktrace strace -- ls", RECORD_CALLS, "dktrace strace trace.dat" },
	{ "How many events does a program need?", "count counts counter counters perf cycles instructions cache misses page faults context switches migrations pmu ipc hardware cost of a command program per second",
	  "dktrace stat -- ls", NULL, NULL },
	{ "How do I draw a picture?", "pictures html page browser graph heat map flame graph flamegraph chart timeline see view open pages",
	  NULL, RECORD_ALL, "dktrace view trace.dat -o page.html" },
	{ "Which system calls are slow?", "read write histogram distribution percentile latency hang hung syscall where does the time go",
	  "dktrace latency syscall", RECORD_CALLS, "dktrace latency syscall trace.dat" },
	{ "Which system calls fail, and why?", "too many open files emfile errors errno fails failing failed syscall disk full space enospc eio permission denied quota stale handle input output estale edquot exceeded",
	  "dktrace hist failed-calls", RECORD_CALLS, "dktrace hist failed-calls trace.dat" },
	{ "Where do slow system calls wait?", "what is slow in this process strace stack hang syscall program where does the time go",
	  "dktrace strace --stack --took '>10ms'",
	  "dktrace record -e 'raw_syscalls:*,sched_switch' --stack sched_switch",
	  "dktrace strace --stack --took '>10ms' trace.dat" },
	{ "Which calls of a program fail?", "which calls fail in this process strace errors errno failing syscall",
	  "dktrace strace --errors", RECORD_CALLS, "dktrace strace --errors trace.dat" },
	{ "Which functions of a program make its system calls?", "stack stacks callers where from localtime tzset code source line",
	  "dktrace strace --summary --stack -- ls", NULL, NULL },
	{ "Which process makes which system calls?", "who calls syscall syscalls busy",
	  "dktrace hist callers", RECORD_CALLS, "dktrace hist callers trace.dat" },
	{ "Who fsyncs?", "calls fsync fdatasync sync msync durable",
	  "dktrace hist fsyncs", "dktrace record -e 'syscalls:sys_*sync*'", "dktrace hist fsyncs trace.dat" },
	{ "How long does fsync take?", "slow fsync fdatasync latency commit",
	  "dktrace latency fsync", "dktrace record -e 'syscalls:sys_*sync*'", "dktrace latency fsync trace.dat" },
	{ "Who reads and writes files?", "read write file name names path io bytes written throughput bandwidth process network socket",
	  "dktrace analyze iousagetop", RECORD_CALLS, "dktrace analyze iousagetop trace.dat" },
	{ "Who opens files?", "open which files",
	  "dktrace hist opens", "dktrace record -e 'syscalls:sys_*_open*'", "dktrace hist opens trace.dat" },
	{ "Who deletes files?", "delete deletes deleted deleting remove removes removed unlink unlinks rm rmdir disappear disappears vanish vanished gone missing file directory slow",
	  "dktrace strace --calls 'unlink*,rmdir'", RECORD_CALLS,
	  "dktrace strace --calls 'unlink*,rmdir' trace.dat" },
	{ "How long do calls for metadata take?", "metadata stat fstat statx lstat getattr unlink mkdir create open rename ls lookup slow operations ops calls latency files small mdt mds find takes forever hang hangs rate changelog",
	  "dktrace strace --summary --calls '" METADATA "'", RECORD_CALLS,
	  "dktrace strace --summary --calls '" METADATA "' trace.dat" },
	{ "Which disk is slow?", "nvme ssd hdd raid scsi drive multipath await utilization saturated high iowait latency storage block device io ost mdt queue where does the time go",
	  "dktrace analyze blockstats", RECORD_BLOCK, "dktrace analyze blockstats trace.dat" },
	{ "Who uses the disks?", "iops hammer hammered hammers hammering hits thrashing load throughput bandwidth reads writes written io block device storage process busy ost nvme ssd drive",
	  "dktrace hist disk-requests", RECORD_BLOCK, "dktrace hist disk-requests trace.dat" },
	{ "How large are the requests to disks?", "size sizes small big random sequential pattern block io bytes writes reads write read rpcs brw_stats",
	  "dktrace hist disk-sizes", RECORD_BLOCK, "dktrace hist disk-sizes trace.dat" },
	{ "Which disks have errors?", "failed bad nvme ssd drive broken media block device io storage error eio read only readonly remount remounted ro ost mdt ldiskfs ext4 corruption corrupt medium",
	  "dktrace hist disk-errors", RECORD_BLOCK, "dktrace hist disk-errors trace.dat" },
	{ "How long does the journal's commit take?", "slow ldiskfs ext4 jbd2 latency",
	  "dktrace latency jbd2", "dktrace record -e 'jbd2:*'", "dktrace latency jbd2 trace.dat" },
	{ "Who waits for a CPU?", "wait waiting slow run queue scheduler scheduling latency delay wakeup where does the time go",
	  "dktrace analyze schedstats", RECORD_SCHED, "dktrace analyze schedstats trace.dat" },
	{ "Why do processes wait?", "high iowait off-cpu sleep sleeping blocked hang hung stuck idle where does the time go",
	  "dktrace analyze offcpustats", RECORD_SCHED, "dktrace analyze offcpustats trace.dat" },
	{ "Who uses the CPU?", "usage context switches switch busy running time process load high top cores 100 percent kworker spinning spins soft hard lockup lockups rcu stall stalls hog hogs perf",
	  "dktrace analyze cputop", RECORD_SCHED, "dktrace analyze cputop trace.dat" },
	{ "Which functions use the CPU?", "profile profiles profiler profiling perf flame flamegraph stacks hot hottest time take code cycles callers backtrace sample samples sampling speedscope pprof",
	  "dktrace profile", "dktrace profile --duration 10 -o cpu.data", "dktrace profile cpu.data" },
	{ "What does a program or thread wait for?", "wall clock wall-clock off-cpu offcpu offwaketime waker wakers woken wakes wakeup chain blocked lock locks futex mutex disk network memory sleeping hang hung stuck where does the time go",
	  "dktrace profile --off-cpu", "dktrace profile --off-cpu --duration 10 -o off.data", "dktrace profile --off-cpu off.data" },
	{ "Which lines of a function use the CPU?", "annotate annotated line lines instruction instructions source disassembly disassemble assembler asm hot code perf function",
	  NULL, "dktrace profile --duration 10 -o cpu.data", "dktrace annotate FUNCTION cpu.data" },
	{ "How can a profile be read on another host?", "archive pack bundle symbols symbol names debug debuginfo build id ids buildid perf elsewhere other machine copy send missing unknown functions",
	  NULL, "dktrace archive cpu.data", "dktrace profile cpu.data --symbols DIR" },
	{ "Which code is busy now?", "top perf-top live watch sampling cpus",
	  "dktrace top --batch -n 3 --panel functions", NULL, NULL },
	{ "Which programs are started?", "exec start who runs command",
	  "dktrace hist execs", "dktrace record -e 'sched:sched_process_exec'", "dktrace hist execs trace.dat" },
	{ "Who creates processes?", "fork forks clone thread threads children spawn",
	  "dktrace hist forks", "dktrace record -e 'sched:sched_process_fork'", "dktrace hist forks trace.dat" },
	{ "Who is killed?", "who kills process signal kill kills died",
	  "dktrace hist signals", "dktrace record -e 'signal:*'", "dktrace hist signals trace.dat" },
	{ "Who takes memory?", "allocates allocation pages leak leaks oom out of memory usage",
	  "dktrace hist allocations", "dktrace record -e 'kmem:mm_page_*'", "dktrace hist allocations trace.dat" },
	{ "Who takes page faults?", "fault swap mmap memory",
	  "dktrace hist faults", "dktrace record -e 'exceptions:page_fault_user'", "dktrace hist faults trace.dat" },
	{ "Who fills the page cache?", "pages cached dirty writeback memory file",
	  "dktrace analyze pagecache", "dktrace record -e 'filemap:*,writeback:*'", "dktrace analyze pagecache trace.dat" },
	{ "Which interrupts take long?", "irq softirq latency handler device",
	  "dktrace analyze irqstats", "dktrace record -e 'irq:*'", "dktrace analyze irqstats trace.dat" },
	{ "Does the network lose packets?", "loss tcp retransmits retransmission connection lost drop dropped slow lnet resend resends resending retries ko2iblnd socklnd tcpdump packet",
	  "dktrace hist retransmits", "dktrace record -e 'tcp:*'", "dktrace hist retransmits trace.dat" },
	{ "Which NFS requests are slow?", "nfsd server latency rpc",
	  "dktrace latency nfsd", "dktrace record -e 'sunrpc:svc_*'", "dktrace latency nfsd trace.dat" },
	{ "What does a recording contain?", "file trace.dat saved contents inside inspect info summary look read open what is in",
	  NULL, RECORD_ALL, "dktrace info trace.dat" },
	{ "How do I convert a recording for Perfetto?", "export convert format formats trace compass tracecompass kernelshark babeltrace ctf json pftrace chrome ui other program programs tool open wireshark ctf2",
	  NULL, RECORD_ALL, "dktrace convert trace.dat trace.pftrace" },
	{ "How do I write CSV?", "csv json export excel spreadsheet pandas python script scripts text columns table convert machine readable parse grep awk",
	  NULL, RECORD_ALL, "dktrace convert trace.dat trace.csv" },
	{ "How do I ask in SQL?", "database sqlite select query statement table tables join question of my own",
	  NULL, RECORD_ALL, "dktrace sql trace.dat 'SELECT * FROM syscallstats'" },
	{ "How long is it from one event to another?", "between time period interval a and b duration of my own",
	  "dktrace latency sys_enter_fsync sys_exit_fsync --match pid -t 10",
	  "dktrace record -e 'syscalls:*_fsync'",
	  "dktrace latency sys_enter_fsync sys_exit_fsync --match pid trace.dat" },
	{ "What happened before an incident?", "happens happen only condition dump flight recorder rare rarely sporadic sporadically sometimes occasionally intermittent once catch trigger incidents spike spikes alert alerts alarm email mail notify notification me threshold slow",
	  "dktrace flight start -e 'raw_syscalls:*' --when 'fsync > 100ms'", NULL, NULL },
	{ "What happened before the crash?", "panic panicked server reboot reboots rebooted crashed died last boot oops lbug assertion lassert bug kernel down",
	  "dktrace last-boot", "dktrace boot-config --persistent 64M", NULL },
	{ "What is in the dump of a crashed kernel?", "vmcore kdump crash core makedumpfile memory image analyze",
	  NULL, NULL, "dktrace report vmcore" },
	{ "Which functions of the kernel does a call run?", "function graph called path spend where does the time go ftrace callgraph functions",
	  "dktrace graph vfs_read", NULL, NULL },
	{ "Which arguments has a function?", "argument parameter parameters variable value values probe kprobe uprobe kernel program dynamic zfs txg kprobes bpftrace systemtap ebpf bpf function functions trace",
	  "dktrace probe add --enable vfs_read count", NULL, NULL },
	{ "How do I record some processes only?", "one only process pid program comm filter restrict limit select narrow less condition certain particular single command user users uid trace",
	  NULL, "dktrace record -e 'raw_syscalls:*' --comm 'll_ost*,mdt*'", "dktrace report trace.dat" },
	{ "How do I record on many servers at once?", "host hosts cluster node nodes all several machines parallel same time ssh pdsh clush collect fleet server remote clock clocks skew difference synchronized ntp",
	  NULL, "dktrace collect -w 'oss[01-40],mds1' -o slow record -c rpctrace --duration 30",
	  "dktrace report slow" },
	{ "How do I send the logs of all servers to support?", "collect gather send logs log servers ticket case support vendor upload bundle sosreport all dump dumps",
	  NULL, "dktrace collect -w 'oss[01-40],mds1' -o logs dk", "dktrace report logs" },
	{ "How do I compare two days?", "compare comparison yesterday today week before after regression upgrade update change baseline slower than days day recordings difference",
	  NULL, "dktrace daemon start -e 'raw_syscalls:*'",
	  "dktrace latency syscall --since 2026-11-23 --until 2026-11-24 /var/log/dktrace" },
	{ "How do I load recordings into a database?", "clickhouse database server many hosts days load sql import warehouse",
	  NULL, NULL, "dktrace load --clickhouse http://db:8123/traces trace.dat" },
	{ "How do I see metrics in Grafana?", "prometheus metrics metric node_exporter dashboard grafana monitoring monitor graph graphs counters alertmanager",
	  NULL, "dktrace daemon start --metrics /var/lib/node_exporter -e 'raw_syscalls:*'", "dktrace daemon status" },
	{ "How do I join recordings?", "merge join combine several two hosts recordings files one together",
	  NULL, RECORD_ALL, "dktrace merge trace.dat -o all.dat" },
	{ "How do I split a recording?", "split cut big large huge smaller part parts piece pieces extract window recording file",
	  NULL, RECORD_ALL, "dktrace split trace.dat part.dat --count 10000" },
	{ "How do I complete a recording that was killed?", "broken damaged truncated incomplete recover repair recording killed kill crashed power file corrupt",
	  NULL, RECORD_ALL, "dktrace recover trace.dat" },
	{ "How do I stop recording when something happens?", "stop stops error message trigger traceoff event stack trace stacktrace happens freeze when appears moment",
	  "dktrace trigger add message 'timed out' traceoff", NULL, NULL },
	{ "How do I record only one disk or file system?", "only one disk device mount point file system filesystem ost filter condition restrict narrow",
	  NULL, "dktrace record --all -e 'block:block_rq_*' --filter 'dev == 0x800000'",
	  "dktrace report trace.dat" },
	{ "How do I stop it, and restore the machine?", "turn off disable end remove undo clean cleanup uninstall reset switch tracing everything quit",
	  "dktrace reset", NULL, NULL },
	{ "How do I keep the settings?", "reboot persist persistent survive boot save setting configuration config restore load again",
	  "dktrace save", NULL, NULL },
	{ "What does this machine support?", "work works supported requirements requirement need needs privilege privileges root permission permissions denied capability capabilities kernel kernels version check feature features doctor missing nothing recorded tracefs mounted debugfs why empty not",
	  "dktrace doctor", NULL, NULL },
	{ "How much does tracing cost?", "overhead slow slowdown impact performance expensive production safe buffers buffer cpu",
	  "dktrace status", NULL, NULL },
	{ "Which events can be recorded?", "event tracepoint tracepoints list available classes class name names find search",
	  "dktrace list events", NULL, NULL },
	{ "Which RPCs of Lustre are slow?", "xid opcode request rpc latency timeout client server ost oss mds mdt where does the time go timed out timeouts bulk get put requests sent failed due network error replies reply",
	  LUSTRE("rpctrace", "rpc") },
	{ "Where does a slow call of Lustre spend its time?", "path way breakdown segments segment waterfall part parts spend spends share lustre",
	  LUSTRE("vfstrace+iotrace+rpctrace+dlmtrace", "path") },
	{ "Who talks to this server of Lustre?", "client clients ost oss mds nid nids rpc requests peer load loads overloads hammers talk talker talkers top hammer hammering hammered which",
	  LUSTRE("rpctrace", "rpc --keys nid") },
	{ "Which jobs load Lustre?", "job jobid jobids jobstats slurm pbs batch rpc requests slow hammer hammers hammered noisy neighbor neighbour find hammering",
	  LUSTRE("rpctrace", "rpc --keys job") },
	{ "Which users load Lustre?", "user users uid uids who load loads hammer hammers requests rpc person somebody quota",
	  LUSTRE("rpctrace", "rpc --keys user") },
	{ "Which targets of Lustre are slow?", "target targets ost osts slow mdt imbalance uneven hot slowest rpc requests",
	  LUSTRE("rpctrace", "rpc --keys target") },
	{ "What happened to an object of Lustre?", "file fid nid xid inode story history timeline messages about word follow client trace thread touched who changed recovery recovering failover target takes took long xids did one",
	  LUSTRE("vfstrace", "timeline 0x200000401:0x1:0x0") },
	{ "Who waits for which lock of Lustre?", "ldlm conflict contention blocked blocks blocking whom callback callbacks locks hang dlm who holds held waits granted enqueue ping pong pingpong takes flock lockahead",
	  LUSTRE("dlmtrace", "locks") },
	{ "What does each thread of Lustre wait for?", "hang hangs hung stuck blocked inactive watchdog call trace stack task d state ll_ost ll_mdt service server thread threads waiting waits busy sleeping uninterruptible dmesg",
	  LUSTRE("rpctrace+dlmtrace", "threads") },
	{ "Why was a client of Lustre evicted?", "eviction evictions evict timeout timed out reconnect lost connection disconnected lock callback timer expired heard clients evicts",
	  LUSTRE("dlmtrace+rpctrace+ha", "evictions") },
	{ "Does Lustre leak memory?", "malloc leaks leaking allocation kmalloc",
	  LUSTRE("malloc", "leaks") },
	{ "Which line of Lustre fills the log?", "messages flood source debug log full",
	  LUSTRE("rpctrace", "messages") },
	{ "Which masks show more of Lustre?", "debug subsystem_debug set mask class missing incomplete log more",
	  LUSTRE("rpctrace", "masks") },
	{ "What fills the grants and caches of Lustre?", "grant space dirty cached max_dirty_mb max_cached_mb lru_size synchronous sync writes ost full quota parameters get_param sosreport limit limits reached stuck",
	  LUSTRE_PARAMS "; dktrace lustre params params", LUSTRE_PARAMS, "dktrace lustre params params" },
	/* clang-format on */
};

/* ---- how words find a task ---- */

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
		"a",    "an",    "and",  "are",  "at",  "be",    "but",  "by",   "can",   "did",
		"do",   "does",  "for",  "from", "get", "has",   "have", "how",  "i",     "if",
		"in",   "is",    "it",   "its",  "me",  "my",    "of",   "on",   "or",    "our",
		"so",   "show",  "see",  "that", "the", "their", "them", "then", "there", "they",
		"this", "to",    "want", "was",  "we",  "were",  "what", "when", "where", "which",
		"who",  "whose", "why",  "with", "you",
	};

	for (size_t i = 0; i < ARRAY_SIZE(fillers); i++)
		if (strlen(fillers[i]) == len && !strncasecmp(fillers[i], word, len))
			return true;
	return false;
}

/* How well two words fit. */
enum fit {
	FIT_NONE,
	FIT_ALIKE,
	FIT_SAME,
};

/* "evict" and "eviction" are alike: one begins with the other. Shorter words say too little. */
#define STEM 4

/* A word and its plural are the same. */
static enum fit fit_word(const char *a, size_t a_len, const char *b, size_t b_len)
{
	const char *longer = a_len < b_len ? b : a;
	size_t n = DKT__MIN(a_len, b_len), most = DKT__MAX(a_len, b_len);

	if (strncasecmp(a, b, n) != 0)
		return FIT_NONE;
	if (most == n || (most == n + 1 && tolower((unsigned char)longer[n]) == 's'))
		return FIT_SAME;
	return n >= STEM ? FIT_ALIKE : FIT_NONE;
}

static enum fit fit(const char *text, const char *word, size_t len)
{
	enum fit best = FIT_NONE;
	size_t n;

	for (; (n = next_word(&text)); text += n)
		if (!is_filler(text, n))
			best = DKT__MAX(best, fit_word(text, n, word, len));
	return best;
}

/* A word of the question says more than a further one, the same word more than one that is alike. */
static unsigned int fit_task(const struct task *task, const char *word, size_t len)
{
	static const unsigned int in_question[] = { [FIT_ALIKE] = 2, [FIT_SAME] = 4 };
	static const unsigned int in_words[] = { [FIT_ALIKE] = 1, [FIT_SAME] = 3 };

	return DKT__MAX(in_question[fit(task->question, word, len)],
			in_words[fit(task->words, word, len)]);
}

struct task_score {
	size_t found; /* how many words, without those such as "who" and "the" */
	size_t fit; /* how well they fit; of tasks that have as many words, the best one comes first */
};

static struct task_score score_of(const struct task *task, char *const *words, size_t n)
{
	struct task_score score = { 0 };
	size_t len;

	for (size_t i = 0; i < n; i++)
		for (const char *p = words[i]; (len = next_word(&p)); p += len) {
			unsigned int fits = is_filler(p, len) ? 0 : fit_task(task, p, len);

			score.found += fits > 0;
			score.fit += fits;
		}
	return score;
}

void task_words(void (*fn)(void *data, const char *word), void *data)
{
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++) {
		const char *texts[] = { tasks[i].question, tasks[i].words };
		size_t len;

		for (size_t t = 0; t < ARRAY_SIZE(texts); t++)
			for (const char *p = texts[t]; (len = next_word(&p)); p += len) {
				char word[32];

				snprintf(word, sizeof(word), "%.*s", (int)len, p);
				if (!is_filler(p, len))
					fn(data, word);
			}
	}
}

/* ---- the command ---- */

static void print_command(const char *label, const char *command)
{
	if (command)
		printf("  %-8s %s\n", label, command);
}

static void print_task(const struct task *task)
{
	printf("%s\n", task->question);
	print_command("now:", task->now);
	print_command("record:", task->record);
	print_command("later:", task->file);
}

/* A task, and how well the words find it; between equal ones the table's order decides. */
struct hit {
	struct task_score score;
	const struct task *task;
};

/* For qsort(): the best first. */
static int by_score(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->score.found != y->score.found)
		return x->score.found < y->score.found ? 1 : -1;
	if (x->score.fit != y->score.fit)
		return x->score.fit < y->score.fit ? 1 : -1;
	return x->task < y->task ? -1 : 1;
}

/* Prints the tasks that most of the words find, the best first. Returns their number, or -ENOMEM. */
static int print_tasks(char *const *words, size_t n)
{
	struct hit *hits __cleanup(free) = calloc(ARRAY_SIZE(tasks), sizeof(*hits));
	size_t i;

	if (!hits)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		hits[i] = (struct hit){ score_of(&tasks[i], words, n), &tasks[i] };
	qsort(hits, ARRAY_SIZE(tasks), sizeof(*hits), by_score);
	for (i = 0; i < ARRAY_SIZE(tasks) && hits[i].score.found &&
		    hits[i].score.found == hits[0].score.found;
	     i++) {
		if (i)
			putchar('\n');
		print_task(hits[i].task);
	}
	return (int)i;
}

static void list_tasks(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		printf("%s\n", tasks[i].question);
	printf("\n'dktrace help WORDS' prints the commands: dktrace help slow disk\n");
}

static void try_word(void *data, const char *word)
{
	dkt__guess_try(data, word);
}

static int unknown(const struct app *app, int argc, char **argv)
{
	struct dkt__guess guess;

	if (argc > 2)
		return app_usage("no task has these words; 'dktrace help " ALL_TASKS
				 "' lists the tasks");
	dkt__guess_start(&guess, argv[1], strlen(argv[1]));
	for (const struct command *row = app->commands; row->name; row++)
		if (!(row->flags & CMD_HIDDEN))
			dkt__guess_try(&guess, row->name);
	task_words(try_word, &guess);
	return app_usage("unknown command or task '%s'; 'dktrace help' lists the commands,"
			 " 'dktrace help " ALL_TASKS "' the tasks%s",
			 argv[1], dkt__guess_words(&guess));
}

int cmd_help(struct app *app, int argc, char **argv)
{
	const struct command *command = argc == 2 ? command_find(app, argv[1]) : NULL;
	int n = 1;

	if (argc < 2 || command)
		app_help(app, command);
	else if (argc == 2 && !strcmp(argv[1], ALL_TASKS))
		list_tasks();
	else
		n = print_tasks(argv + 1, (size_t)argc - 1);
	if (n < 0) {
		app_say("%s", strerror(-n));
		return EXIT_FAILED;
	}
	return n ? 0 : unknown(app, argc, argv);
}
