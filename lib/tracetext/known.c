/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The texts of common events, as the kernels of all ages and trace-cmd's plugins print them. A text
 * has no formats, and the running kernel need not be the one that printed it.
 */
#include "lib/base/parse.h"
#include "lib/source/own_format.h"
#include "lib/tracetext/format.h"

/* ---- the texts ---- */

#define DEV(field)                                                                                 \
	"((unsigned int) ((REC->" field ") >> 20)), ((unsigned int) ((REC->" field ") & 1048575))"

/* The letters of a state: from Linux 4.14 on, before it, before 4.2, and those of trace-cmd. */
#define STATES_NEW                                                                                 \
	"{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"X\" }, { 32, \"Z\" },"    \
	" { 64, \"P\" }, { 128, \"I\" }"
#define STATES_OLD                                                                                 \
	"{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" },"    \
	" { 64, \"x\" }"
#define STATES_4 STATES_OLD ", { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, { 1024, \"N\" }"
#define STATES_3 STATES_OLD ", { 128, \"W\" }"
#define STATE(bits, states)                                                                        \
	"REC->prev_state & " bits " ? __print_flags(REC->prev_state & " bits ", \"|\", " states    \
	") : \"R\""

#define SWITCH_FIELDS                                                                              \
	"char prev_comm[16]; int prev_pid; int prev_prio; long prev_state; char next_comm[16];"    \
	" int next_pid; int next_prio"
#define SWITCH(bits, states, plus)                                                                       \
	{                                                                                                \
		"sched", "sched_switch", SWITCH_FIELDS,                                                  \
			"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==>"                    \
			" next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid,"       \
			" REC->prev_prio, " STATE(                                                       \
				bits,                                                                    \
				states) ", REC->prev_state & " plus                                      \
					" ? \"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio" \
	}
#define SWITCH_PLUGIN(states)                                                                      \
	{                                                                                          \
		"sched", "sched_switch", SWITCH_FIELDS,                                            \
			"\"%s:%d [%d] %s ==> %s:%d [%d]\", REC->prev_comm, REC->prev_pid,"         \
			" REC->prev_prio, " STATE("255", states) ", REC->next_comm,"               \
								 " REC->next_pid, REC->next_prio"  \
	}

#define WAKEUP_FIELDS "char comm[16]; int pid; int prio; int target_cpu"
#define WAKEUP(name)                                                                               \
	{ "sched", name, WAKEUP_FIELDS,                                                            \
	  "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio,"            \
	  " REC->target_cpu" },                                                                    \
		{ "sched", name, WAKEUP_FIELDS "; int success",                                    \
		  "\"comm=%s pid=%d prio=%d success=%d target_cpu=%03d\", REC->comm, REC->pid,"    \
		  " REC->prio, REC->success, REC->target_cpu" },                                   \
		{ "sched", name, WAKEUP_FIELDS,                                                    \
		  "\"%s:%d [%d] CPU:%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu" },    \
	{                                                                                          \
		"sched", name, WAKEUP_FIELDS "; int success",                                      \
			"\"%s:%d [%d] success=%d CPU:%03d\", REC->comm, REC->pid, REC->prio,"      \
			" REC->success, REC->target_cpu"                                           \
	}
#define DELAY(name)                                                                                \
	{                                                                                          \
		"sched", name, "text comm; int pid; u64 delay",                                    \
			"\"comm=%s pid=%d delay=%Lu [ns]\", __get_str(comm), REC->pid, REC->delay" \
	}

#define SOFTIRQ_OF(name, fifth)                                                                    \
	{                                                                                          \
		"irq", name, "unsigned int vec",                                                   \
			"\"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec,"             \
			" { 0, \"HI\" }, { 1, \"TIMER\" }, { 2, \"NET_TX\" }, { 3, \"NET_RX\" },"  \
			" { 4, \"BLOCK\" }, { 5, \"" fifth "\" }, { 6, \"TASKLET\" },"             \
			" { 7, \"SCHED\" }, { 8, \"HRTIMER\" }, { 9, \"RCU\" })"                   \
	}
#define SOFTIRQ(name) SOFTIRQ_OF(name, "IRQ_POLL"), SOFTIRQ_OF(name, "BLOCK_IOPOLL")

#define PRIO_LOW "(((REC->ioprio) >> 3) & 1023), ((REC->ioprio) & 7)"
#define PRIO_NAMED                                                                                 \
	"__print_symbolic((((REC->ioprio) >> 13) & 7), { 0, \"none\" }, { 1, \"rt\" },"            \
	" { 2, \"be\" }, { 3, \"idle\" }, { 7, \"invalid\" }), " PRIO_LOW
/* The format does not have the numbers of these names: programs that use it print the number. */
#define PRIO_NUMBER "(((REC->ioprio) >> 13) & 7), " PRIO_LOW

/*
 * The texts of requests and of completions look alike, but they are two classes of events in the kernel. A
 * program makes a request: the text has its bytes, and the program. A completion interrupts any program: the
 * text has the error in the same brackets. The bytes of completions are in their sectors.
 */
#define REQUEST_FIELDS(ioprio)                                                                     \
	"u32 dev; u64 sector; unsigned int nr_sector; unsigned int bytes; " ioprio                 \
	"char rwbs[10]; char comm[16]; text cmd"
#define REQUEST_PRIO(name, format, prio)                                                           \
	{                                                                                          \
		"block", name, REQUEST_FIELDS("unsigned short ioprio; "),                          \
			"\"%d,%d %s %u (%s) %llu + %u " format ",%u,%u [%s]\", " DEV(              \
				"dev") ", REC->rwbs, REC->bytes,"                                  \
				       " __get_str(cmd), REC->sector, REC->nr_sector, " prio       \
				       ", REC->comm"                                               \
	}
#define REQUEST(name)                                                                              \
	REQUEST_PRIO(name, "%s", PRIO_NAMED), REQUEST_PRIO(name, "0x%x", PRIO_NUMBER),             \
	{                                                                                          \
		"block", name, REQUEST_FIELDS(""),                                                 \
			"\"%d,%d %s %u (%s) %llu + %u [%s]\", " DEV(                               \
				"dev") ", REC->rwbs, REC->bytes,"                                  \
				       " __get_str(cmd), REC->sector, REC->nr_sector, REC->comm"   \
	}

#define DONE_FIELDS(ioprio)                                                                        \
	"u32 dev; u64 sector; unsigned int nr_sector; int error; " ioprio "char rwbs[10]; text cmd"
#define DONE_PRIO(name, format, prio)                                                              \
	{                                                                                          \
		"block", name, DONE_FIELDS("unsigned short ioprio; "),                             \
			"\"%d,%d %s (%s) %llu + %u " format                                        \
			",%u,%u [%d]\", " DEV("dev") ", REC->rwbs, __get_str(cmd),"                \
						     " REC->sector, REC->nr_sector, " prio         \
						     ", REC->error"                                \
	}
#define DONE(name)                                                                                 \
	DONE_PRIO(name, "%s", PRIO_NAMED), DONE_PRIO(name, "0x%x", PRIO_NUMBER),                   \
	{                                                                                          \
		"block", name, DONE_FIELDS(""),                                                    \
			"\"%d,%d %s (%s) %llu + %u [%d]\", " DEV(                                  \
				"dev") ", REC->rwbs,"                                              \
				       " __get_str(cmd), REC->sector, REC->nr_sector, REC->error"  \
	}
#define BIO(name)                                                                                    \
	{                                                                                            \
		"block", name,                                                                       \
			"u32 dev; u64 sector; unsigned int nr_sector; char rwbs[10]; char comm[16]", \
			"\"%d,%d %s %llu + %u [%s]\", " DEV("dev") ", REC->rwbs, REC->sector,"       \
								   " REC->nr_sector, REC->comm"      \
	}

#define PAGE_CACHE_FIELDS "unsigned long i_ino; unsigned long pfn; unsigned long index; u32 s_dev"
#define PAGE_CACHE_VALUES DEV("s_dev") ", REC->i_ino, REC->pfn, REC->index << 12"
#define PAGE_CACHE(name)                                                                           \
	{ "filemap", name, PAGE_CACHE_FIELDS "; unsigned char order",                              \
	  "\"dev %d:%d ino %lx pfn=0x%lx ofs=%lu order=%u\", " PAGE_CACHE_VALUES ", REC->order" }, \
	{                                                                                          \
		"filemap", name, PAGE_CACHE_FIELDS "; unsigned long page",                         \
			"\"dev %d:%d ino %lx page=%p pfn=0x%lx ofs=%lu\", " DEV(                   \
				"s_dev") ", REC->i_ino, REC->page, REC->pfn, REC->index << 12"     \
	}

#define SKB_FIELDS "unsigned long skbaddr; unsigned int len; text name"
#define SKB(name)                                                                                  \
	{                                                                                          \
		"net", name, SKB_FIELDS,                                                           \
			"\"dev=%s skbaddr=%p len=%u\", __get_str(name), REC->skbaddr, REC->len"    \
	}
#define WORK(name)                                                                                 \
	{                                                                                          \
		"workqueue", name, "unsigned long work; unsigned long function",                   \
			"\"work struct %p: function %ps\", REC->work, REC->function"               \
	}
#define TIMER(name, field)                                                                         \
	{                                                                                          \
		"timer", name, "unsigned long " field, "\"" field "=%p\", REC->" field             \
	}
#define POWER(name)                                                                                \
	{                                                                                          \
		"power", name, "u32 state; u32 cpu_id",                                            \
			"\"state=%lu cpu_id=%lu\", (unsigned long)REC->state,"                     \
			" (unsigned long)REC->cpu_id"                                              \
	}

static const struct dkt__text_known table[] = {
	SWITCH("255", STATES_NEW, "256"),
	SWITCH("1023", STATES_4, "2048"),
	SWITCH("255", STATES_3, "512"),
	/* trace-cmd has long had letters of its own, whatever the kernel's were. */
	SWITCH_PLUGIN(STATES_3),
	SWITCH_PLUGIN(STATES_NEW),
	WAKEUP("sched_wakeup"),
	WAKEUP("sched_wakeup_new"),
	WAKEUP("sched_waking"),
	{ "sched", "sched_migrate_task", "text comm; int pid; int prio; int orig_cpu; int dest_cpu",
	  "\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", __get_str(comm), REC->pid,"
	  " REC->prio, REC->orig_cpu, REC->dest_cpu" },
	{ "sched", "sched_process_fork",
	  "text parent_comm; int parent_pid; text child_comm; int child_pid",
	  "\"comm=%s pid=%d child_comm=%s child_pid=%d\", __get_str(parent_comm), REC->parent_pid,"
	  " __get_str(child_comm), REC->child_pid" },
	{ "sched", "sched_process_exec", "text filename; int pid; int old_pid",
	  "\"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid" },
	{ "sched", "sched_process_exit", "char comm[16]; int pid; int prio; bool group_dead",
	  "\"comm=%s pid=%d prio=%d group_dead=%s\", REC->comm, REC->pid, REC->prio,"
	  " REC->group_dead ? \"true\" : \"false\"" },
	{ "sched", "sched_process_exit", "char comm[16]; int pid; int prio",
	  "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio" },
	{ "sched", "sched_stat_runtime", "text comm; int pid; u64 runtime",
	  "\"comm=%s pid=%d runtime=%Lu [ns]\", __get_str(comm), REC->pid, REC->runtime" },
	{ "sched", "sched_stat_runtime", "text comm; int pid; u64 runtime; u64 vruntime",
	  "\"comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]\", __get_str(comm), REC->pid,"
	  " REC->runtime, REC->vruntime" },
	DELAY("sched_stat_wait"),
	DELAY("sched_stat_sleep"),
	DELAY("sched_stat_iowait"),
	DELAY("sched_stat_blocked"),
	{ "task", "task_newtask", "int pid; char comm[16]; u64 clone_flags; short oom_score_adj",
	  "\"pid=%d comm=%s clone_flags=%llx oom_score_adj=%hd\", REC->pid, REC->comm,"
	  " REC->clone_flags, REC->oom_score_adj" },
	{ "task", "task_rename", "int pid; char oldcomm[16]; char newcomm[16]; short oom_score_adj",
	  "\"pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd\", REC->pid, REC->oldcomm,"
	  " REC->newcomm, REC->oom_score_adj" },
	{ "task", "task_rename", "char oldcomm[16]; char newcomm[16]; short oom_score_adj",
	  "\"oldcomm=%s newcomm=%s oom_score_adj=%hd\", REC->oldcomm, REC->newcomm,"
	  " REC->oom_score_adj" },
	{ "signal", "signal_generate",
	  "int sig; int errno; int code; char comm[16]; int pid; int group; int result",
	  "\"sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d\", REC->sig, REC->errno,"
	  " REC->code, REC->comm, REC->pid, REC->group, REC->result" },
	{ "signal", "signal_deliver",
	  "int sig; int errno; int code; unsigned long sa_handler; unsigned long sa_flags",
	  "\"sig=%d errno=%d code=%d sa_handler=%lx sa_flags=%lx\", REC->sig, REC->errno,"
	  " REC->code, REC->sa_handler, REC->sa_flags" },
	{ "raw_syscalls", "sys_enter", "long id; unsigned long args[6]",
	  "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1],"
	  " REC->args[2], REC->args[3], REC->args[4], REC->args[5]" },
	{ "raw_syscalls", "sys_exit", "long id; long ret", "\"NR %ld = %ld\", REC->id, REC->ret" },
	{ "irq", "irq_handler_entry", "int irq; text name",
	  "\"irq=%d name=%s\", REC->irq, __get_str(name)" },
	{ "irq", "irq_handler_exit", "int irq; int ret",
	  "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\"" },
	SOFTIRQ("softirq_entry"),
	SOFTIRQ("softirq_exit"),
	SOFTIRQ("softirq_raise"),
	REQUEST("block_rq_insert"),
	REQUEST("block_rq_issue"),
	REQUEST("block_rq_merge"),
	DONE("block_rq_complete"),
	DONE("block_rq_error"),
	DONE("block_rq_requeue"),
	BIO("block_bio_queue"),
	BIO("block_bio_backmerge"),
	BIO("block_bio_frontmerge"),
	BIO("block_bio_bounce"),
	BIO("block_getrq"),
	{ "block", "block_bio_complete",
	  "u32 dev; u64 sector; unsigned int nr_sector; int error; char rwbs[10]",
	  "\"%d,%d %s %llu + %u [%d]\", " DEV(
		  "dev") ", REC->rwbs, REC->sector, REC->nr_sector, REC->error" },
	{ "jbd2", "jbd2_start_commit", "u32 dev; char sync_commit; unsigned int transaction",
	  "\"dev %d,%d transaction %u sync %d\", " DEV(
		  "dev") ", REC->transaction, REC->sync_commit" },
	{ "jbd2", "jbd2_end_commit",
	  "u32 dev; char sync_commit; unsigned int transaction; unsigned int head",
	  "\"dev %d,%d transaction %u sync %d head %u\", " DEV(
		  "dev") ", REC->transaction, REC->sync_commit, REC->head" },
	PAGE_CACHE("mm_filemap_add_to_page_cache"),
	PAGE_CACHE("mm_filemap_delete_from_page_cache"),
	{ "kmem", "mm_page_alloc",
	  "unsigned long page; unsigned long pfn; unsigned int order; int migratetype;"
	  " text gfp_flags",
	  "\"page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s\", REC->page, REC->pfn,"
	  " REC->order, REC->migratetype, __get_str(gfp_flags)" },
	{ "kmem", "mm_page_alloc",
	  "unsigned long page; unsigned long pfn; unsigned int order; int migratetype;"
	  " text gfp_flags",
	  "\"page=%p pfn=%lu order=%d migratetype=%d gfp_flags=%s\", REC->page, REC->pfn,"
	  " REC->order, REC->migratetype, __get_str(gfp_flags)" },
	{ "kmem", "mm_page_free", "unsigned long page; unsigned long pfn; unsigned int order",
	  "\"page=%p pfn=0x%lx order=%d\", REC->page, REC->pfn, REC->order" },
	{ "kmem", "mm_page_free", "unsigned long page; unsigned long pfn; unsigned int order",
	  "\"page=%p pfn=%lu order=%d\", REC->page, REC->pfn, REC->order" },
	SKB("netif_receive_skb"),
	SKB("netif_rx"),
	SKB("net_dev_queue"),
	{ "net", "net_dev_xmit", SKB_FIELDS "; int rc",
	  "\"dev=%s skbaddr=%p len=%u rc=%d\", __get_str(name), REC->skbaddr, REC->len, REC->rc" },
	WORK("workqueue_execute_start"),
	WORK("workqueue_execute_end"),
	TIMER("hrtimer_cancel", "hrtimer"),
	TIMER("hrtimer_expire_exit", "hrtimer"),
	TIMER("timer_init", "timer"),
	TIMER("timer_cancel", "timer"),
	TIMER("timer_expire_exit", "timer"),
	POWER("cpu_idle"),
	POWER("cpu_frequency"),
	{ "sunrpc", "svc_process", "u32 xid; u32 vers; text service; text procedure; text addr",
	  "\"addr=%s xid=0x%08x service=%s vers=%u proc=%s\", __get_str(addr), REC->xid,"
	  " __get_str(service), REC->vers, __get_str(procedure)" },
	{ "sunrpc", "svc_stats_latency",
	  "u32 xid; unsigned long execute; text procedure; text addr",
	  "\"addr=%s xid=0x%08x proc=%s execute-us=%lu\", __get_str(addr), REC->xid,"
	  " __get_str(procedure), REC->execute" },
};

const struct dkt__text_known *dkt__text_known(const char *name, size_t i)
{
	for (size_t k = 0; k < ARRAY_SIZE(table); k++)
		if (!strcmp(table[k].name, name) && !i--)
			return &table[k];
	return NULL;
}

/* ---- their formats ---- */

static uint32_t size_of(const char *type, size_t len)
{
	static const struct {
		const char *type;
		uint32_t size;
	} sizes[] = {
		{ "char", 1 },         { "bool", 1 }, { "unsigned char", 1 },
		{ "short", 2 },        { "int", 4 },  { "unsigned short", 2 },
		{ "unsigned int", 4 }, { "u32", 4 },  { "text", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (strlen(sizes[i].type) == len && !memcmp(sizes[i].type, type, len))
			return sizes[i].size;
	return 8;
}

/* Appends the field in "TYPE NAME" or "TYPE NAME[N]". Returns the offset after it. */
static uint32_t put_field(const char *field, size_t len, uint32_t at, struct dkt_buf *buf)
{
	const char *name = (const char *)memrchr(field, ' ', len) + 1;
	size_t type = (size_t)(name - 1 - field), name_len = len - type - 1;
	const char *bracket = memchr(name, '[', name_len);
	uint32_t size = size_of(field, type);
	uint64_t n = 1;

	if (bracket) {
		bracket++;
		if (dkt__take_u64(&bracket, field + len, DKT__DEC, &n))
			n = 1;
	}
	at = (at + size - 1) / size * size;
	dkt_buf_str(buf, "\tfield:");
	if (*field == 't')
		dkt_buf_str(buf, "__data_loc char[]");
	else
		dkt__buf_add(buf, field, type);
	dkt_buf_str(buf, " ");
	dkt__buf_add(buf, name, name_len);
	dkt_buf_printf(buf, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", at, size * (uint32_t)n,
		       strchr("ils", *field) != NULL);
	return at + size * (uint32_t)n;
}

void dkt__text_known_format(const struct dkt__text_known *known, int id, struct dkt_buf *buf)
{
	const char *field = known->fields;
	uint32_t at = 8;
	size_t len;

	dkt_buf_printf(buf, "name: %s\nID: %d\n" DKT__FORMAT_COMMON, known->name, id);
	for (; *field; field += len + strspn(field + len, "; ")) {
		len = strcspn(field, ";");
		at = put_field(field, len, at, buf);
	}
	dkt_buf_printf(buf, "\nprint fmt: %s\n", known->print);
}
