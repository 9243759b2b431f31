// SPDX-License-Identifier: GPL-2.0-only
/* Emits messages on request: a catalogue of conversions, contexts, floods. */
#include <linux/completion.h>
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uuid.h>
#include <linux/workqueue.h>

#include "log.h"

#define CDEBUG(mask, fmt, ...) CDEBUG_IN(S_RPC, mask, fmt, ##__VA_ARGS__)

/*
 * ---- nested formats: as requests, locks and quota print themselves ----
 *
 * These functions have the names of Lustre's own, where dktrace looks for them.
 */

#ifdef LIBCFS_2_12
#define NESTED_MSG(data, vaf, more, ...)                                                           \
	libcfs_debug_vmsg2(data, (vaf)->fmt, *(vaf)->va, " " more, ##__VA_ARGS__)
#else
#define NESTED_MSG(data, vaf, more, ...) libcfs_debug_msg(data, "%pV " more, vaf, ##__VA_ARGS__)
#endif

__printf(2, 3) void _debug_req(struct libcfs_debug_msg_data *data, const char *fmt, ...);
__printf(4, 5) void _ldlm_lock_debug(struct libcfs_debug_msg_data *data, void *lock, u64 cookie,
				     const char *fmt, ...);

noinline void _debug_req(struct libcfs_debug_msg_data *data, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	const char *none = "", *on = "I";
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	NESTED_MSG(
		data, &vaf,
		"req@%p x%llu/t%lld(%llu) o%d->%s@%s:%d/%d lens %d/%d e %d to %lld dl %lld ref %d fl %s:%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s/%x/%x rc %d/%d job:'%s' uid:%u gid:%u projid:%u\n",
		data, 1845032718239872ULL, -1LL, 4294967299ULL, 400, "lustre-OST0000-osc-ffff9b",
		"192.168.1.20@tcp", 12, 10, 224, 368, 0, 7LL, 1763639820LL, 2, "Rpc", on, none,
		none, "R", none, none, "Q", none, none, on, none, none, none, "S", none, none, "X",
		0xc0, ~0u, 0, -107, "dd.0", 0, 1000, ~0u);
	va_end(args);
}

noinline void _ldlm_lock_debug(struct libcfs_debug_msg_data *data, void *lock, u64 cookie,
			       const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	NESTED_MSG(
		data, &vaf,
		"ns: %s lock: %p/%#llx lrc: %d/%d,%d mode: %s/%s res: [%#llx:%#llx:%#llx.%#llx] rrc: %d type: %s flags: %#llx nid: %s remote: %#llx expref: %d pid: %u timeout: %lld lvb_type: %d\n",
		"mdt-lustre-MDT0000_UUID", lock, cookie, 2, 0, 1, "PR", "PR", 0x200000401ULL,
		0x1ULL, 0x0ULL, 0x0ULL, 3, "IBT", 0x40000000000000ULL, "local", 0x0ULL, -99, 4711,
		0LL, 0);
	va_end(args);
}

#ifndef LIBCFS_2_12
__printf(3, 4) void llcrypt_msg(const char *device, int mask, const char *fmt, ...);

noinline void llcrypt_msg(const char *device, int mask, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	if (device)
		CDEBUG(mask, "llcrypt (%s, inode %lu): %pV\n", device, 4711UL, &vaf);
	else
		CDEBUG(mask, "llcrypt: %pV\n", &vaf);
	va_end(args);
}

__printf(2, 3) void __nrs_tbf_cli_debug(struct libcfs_debug_msg_data *data, const char *fmt, ...);

noinline void __nrs_tbf_cli_debug(struct libcfs_debug_msg_data *data, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	libcfs_debug_msg(
		data,
		"%s.%d NRS: %pV: class@%p key %s rule@0x%p gen %llu rate %llu depth %llu token %llu deadline %llu time %llu state 0x%lx ref %u\n",
		"ost_io", 1, &vaf, data, "dd.0", data, 3ULL, 10000ULL, 3ULL, 2ULL, 1763639820ULL,
		1763639819ULL, 5UL, 2);
	va_end(args);
}

static void emit_nested_later(void)
{
	static struct libcfs_debug_msg_data data = { __FILE__, "emit_nested_later", S_RPC,
						     __LINE__, D_RPCTRACE,          NULL };
	static const char *volatile name = "aes-256-xts";

	llcrypt_msg("sda1", D_HA, "Allocated %s (priority %d)", name, 300);
	llcrypt_msg(NULL, D_HA, "Missing crypto API support for %s", name);
	if (libcfs_debug & D_RPCTRACE)
		__nrs_tbf_cli_debug(&data, "class %s after %llu of %d", name, 1ULL << 40, 12);
}
#else
static void emit_nested_later(void)
{
}
#endif

#define REQ(mask, fmt, ...)                                                                        \
	do {                                                                                       \
		static struct libcfs_debug_msg_data data_;                                         \
                                                                                                   \
		if (!(libcfs_debug & (mask)))                                                      \
			break;                                                                     \
		data_ = (struct libcfs_debug_msg_data){ __FILE__, __func__, S_RPC,                 \
							__LINE__, (mask),   NULL };                \
		_debug_req(&data_, "@@@ " fmt " ", ##__VA_ARGS__);                                 \
	} while (0)

#define LOCK(mask, fmt, ...)                                                                       \
	do {                                                                                       \
		static struct libcfs_debug_msg_data data_;                                         \
                                                                                                   \
		if (!(libcfs_debug & (mask)))                                                      \
			break;                                                                     \
		data_ = (struct libcfs_debug_msg_data){ __FILE__, __func__, S_LDLM,                \
							__LINE__, (mask),   NULL };                \
		_ldlm_lock_debug(&data_, &data_, 0x5d1f2a3b4c5d6e7fULL, "### " fmt,                \
				 ##__VA_ARGS__);                                                   \
	} while (0)

static void emit_nested(void)
{
	REQ(D_RPCTRACE, "Request sent");
	REQ(D_RPCTRACE, "(re)connect request (timeout %d)", 5);
	REQ(D_HA, "%s: %d of %llu failed: %s", "lustre-OST0001", 3, 1ULL << 40, "timed out");
	REQ(D_RPCTRACE, "%d %d %d %d %d %d %d %d %s", 1, 2, 3, 4, 5, 6, 7, 8, "nine");
	emit_nested_later();
	LOCK(D_DLMTRACE, "client blocking callback");
	LOCK(D_DLMTRACE, "%s granted after %d.%03d s", "lock", 12, 7);
	CDEBUG_IN(S_LDLM, D_DLMTRACE, "%pV\n", NULL);
}

/* ---- conversions ---- */

static void emit_numbers(void)
{
	CDEBUG(D_INFO, "no argument\n");
	CDEBUG(D_INFO, "int %d %i %u %x %X %o\n", -7, 7, 4000000000u, 0xbeef, 0xbeef, 0755);
	CDEBUG(D_INFO, "long %ld %lu %lx %lX %lo\n", LONG_MIN, ULONG_MAX, 1UL << 63, 0xabcUL, 8UL);
	CDEBUG(D_INFO, "long long %lld %llu %llx %Ld\n", LLONG_MIN, ULLONG_MAX, 1ULL << 40, -1LL);
	CDEBUG(D_INFO, "short %hd %hu %hhd %hhu %hx %hhx\n", -2, 65535, -3, 255, 0x1234, 0x56);
	CDEBUG(D_INFO, "size %zd %zu %zx %td\n", (ssize_t)-1, (size_t)77, (size_t)255,
	       (ptrdiff_t)-5);
	CDEBUG(D_INFO, "flags %#x %#o %#x %#X %+d % d %-6d|%06d|%6d|\n", 255, 8, 0, 0xab, 5, 5, 42,
	       42, 42);
	CDEBUG(D_INFO, "precision %.5d %.0d %8.3d %-8.3d| %08.3d %.3x\n", 42, 0, 7, 7, 7, 0xa);
	CDEBUG(D_INFO, "stars %*d %-*d| %.*d %*.*d\n", 6, 42, 6, 42, 4, 42, 8, 4, 42);
	CDEBUG(D_INFO, "negative star %*d| %.*d\n", -6, 42, -4, 42);
	CDEBUG(D_INFO, "char %c%c%c %3c|%-3c| 100%%\n", 'a', 'b', 'c', 'd', 'e');
	CDEBUG(D_INFO,
	       "many %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n",
	       1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
	       24, 25, 26, 27, 28, 29, 30);
}

static void emit_strings(void)
{
	char local[24] = "on the stack";
	char *heap = kstrdup("on the heap", GFP_ATOMIC);
	char not_ended[4] = { 'a', 'b', 'c', 'd' };

	CDEBUG(D_INFO, "string %s|%10s|%-10s|%.3s|%10.3s|%-10.3s|\n", "text", "text", "text",
	       "text", "text", "text");
	CDEBUG(D_INFO, "empty '%s' '%5s'\n", "", "");
	CDEBUG(D_INFO, "places %s, %s, %s\n", local, heap, __func__);
	CDEBUG(D_INFO, "counted %.*s %.*s\n", 4, not_ended, 2, "xyz");
	CDEBUG(D_INFO, "none %s %10s| %.3s\n", (char *)NULL, (char *)NULL, (char *)NULL);
	CDEBUG(D_INFO, "bad %s %s %s\n", (char *)1, (char *)4095, (char *)ERR_PTR(-EIO));
	CDEBUG(D_INFO, "tab\tin %s\n", "a\tb");
	CDEBUG(D_INFO, "strings %s %s %s %s %s %s %s %s %s %s %s %s\n", "a", "bb", "ccc", "dddd",
	       "e", "ff", "ggg", "hhhh", "i", "jj", "kkk", "llll");
	CDEBUG(D_INFO, "mixed %s %d %s %llu %s %c %s\n", "one", 2, "three", 4ULL, "five", '6', "7");
	CDEBUG(D_INFO, "two lines\nof %s\n", "text");
	CDEBUG(D_INFO, "%s", "a newline of the argument\n");
	kfree(heap);
}

#ifndef LIBCFS_2_12
/* It names a second dentry late, in two versions of Lustre. */
static noinline __noclone void ll_rename(struct dentry *from, struct dentry *to)
{
	CDEBUG(D_NET,
	       "VFS Op:oldname=%pd, src_dir=[%#llx:0x%x:0x%x](%d), newname=%pd, tgt_dir=%d\n", from,
	       0x200000401ULL, 1, 0, 2, to, 7);
	CDEBUG(D_NET,
	       "VFS Op:oldname=%.*s, src_dir=[%#llx:0x%x:0x%x](%d), newname=%pd, tgt_dir=%d\n", 3,
	       from->d_name.name, 0x200000401ULL, 1, 0, 2, to, 7);
}

/* Another one names it later still. */
static noinline __noclone void ll_link(struct dentry *to)
{
	CDEBUG(D_NET,
	       "VFS Op: inode=[%#llx:0x%x:0x%x](%d), dir=[%#llx:0x%x:0x%x](%d), target=%pd\n",
	       0x200000401ULL, 1, 0, 2, 0x200000402ULL, 1, 0, 2, to);
}

/* The store in memory of Lustre 2.17 names them in between. */
static noinline __noclone void osd_index_dir_insert(struct dentry *entry)
{
	CDEBUG(D_NET, "%s: Insert dirent [%#llx:0x%x:0x%x]/%pd@%pK inode@%pK nlink=%d\n",
	       "lustre-MDT0000", 0x200000401ULL, 1, 0, entry, NULL, NULL, 1);
}

static noinline __noclone void osd_index_dir_delete(struct dentry *dir)
{
	CDEBUG(D_NET, "%s: Delete %s from dir@%pK %pd inode@%pK nlink=%d %d: rc=%d.\n",
	       "lustre-MDT0000", "a file's name", NULL, dir, NULL, 1, 2, 0);
}
#endif

/* Since 6.15 the name is for the kernel's own code to write only. */
static void name_entry(struct dentry *entry, const char *name)
{
	((struct qstr *)&entry->d_name)->name = name;
}

static void emit_pointers(void)
{
	/* Not static: an address whose first bytes are no string of any length. */
	u8 bytes[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	struct sockaddr_in sa = { .sin_family = AF_INET,
				  .sin_port = htons(988),
				  .sin_addr.s_addr = htonl(0x0a00020f) };
	u32 ip = 0x0a00020f;

	static struct dentry entry, newer;

	name_entry(&entry, "a file's name");
	name_entry(&newer, "its new name");
	CDEBUG(D_NET, "VFS Op:name=%pd, flags=%u\n", &entry, 5);
#ifndef LIBCFS_2_12
	/* The single probe on Lustre 2.12 records only the name of the first argument. */
	CDEBUG(D_NET, "%s: stale dentry %pd and %pd\n", "lustre", &entry, &entry);
	ll_rename(&entry, &newer);
	ll_link(&newer);
	osd_index_dir_insert(&entry);
	osd_index_dir_delete(&newer);
#endif
	CDEBUG(D_NET, "cut %.4pd|\n", &entry);
	CDEBUG(D_NET, "wide %20pd|\n", &entry);
	CDEBUG(D_NET, "pointer %p %px %pK\n", bytes, bytes, bytes);
	CDEBUG(D_NET, "null pointer %px\n", NULL);
	CDEBUG(D_NET, "error %pe %pe\n", ERR_PTR(-ENOENT), ERR_PTR(-ETIMEDOUT));
	CDEBUG(D_NET, "function %ps %pS\n", msleep, msleep);
	CDEBUG(D_NET, "function %ps %pS\n", libcfs_debug_msg, libcfs_debug_msg);
	CDEBUG(D_NET, "bytes %8phN %6ph %4phC %4phD %*phN\n", bytes, bytes, bytes, bytes, 3, bytes);
	CDEBUG(D_NET, "addresses %pI4 %pI4h %pM\n", bytes, bytes, bytes);
	CDEBUG(D_NET, "sockets %pIS %pISc %pISpc %pI4h\n", &sa, &sa, &sa, &ip);
	CDEBUG(D_NET, "zeros %pM %8phN\n", &sa, &sa);
	CDEBUG(D_NET, "bad ones %pd %pI4 %4ph\n", NULL, NULL, (void *)2);
}

static void emit_catalogue(void)
{
	emit_numbers();
	emit_strings();
	emit_pointers();
	emit_nested();
	CDEBUG_IN(S_LNET, D_CONSOLE | D_WARNING, "cannot be masked: %d\n", 1);
	CDEBUG_IN(S_LNET, D_ERROR, "an error: rc = %d\n", -110);
	CDEBUG(D_TRACE, "Process entered\n");
	CDEBUG(D_TRACE, "Process leaving (rc=%lu : %ld : %lx)\n", -5L, -5L, -5L);
}

/* A probe cannot record the memory to which these pointers point. */
static void emit_unknown(void)
{
	static const u8 ip6[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };

	CDEBUG(D_OTHER, "unknown %pI6c\n", ip6);
	CDEBUG(D_OTHER, "known after it %pUb %d\n", ip6, 7);
}

static void emit_flood(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		CDEBUG(D_INFO, "flood %u of %u, %s\n", i, n, "some text");
}

static void emit_long(unsigned int n)
{
	char *text = kmalloc(n + 1, GFP_KERNEL);

	if (!text)
		return;
	memset(text, 'l', n);
	text[n] = '\0';
	CDEBUG(D_INFO, "long %s end\n", text);
	CDEBUG(D_INFO, "twice %s and %s end\n", text, text);
	kfree(text);
}

/* ---- incidents: the messages that recipes look for, by the formats of Lustre 2.15 to 2.17 ---- */

static noinline void ptlrpc_expire_one_request(bool sent)
{
	/* Not on the stack, where what is behind the arguments of other messages would show it. */
	static const char *volatile slow = "timed out for slow reply";
	static const char *volatile delay = "timed out for sent delay";
	const char *why = sent ? slow : delay;

	REQ(D_WARNING, "Request sent has %s: [sent %lld/real %lld]", why, 1763639820LL,
	    1763639821LL);
}

static noinline void ldlm_expired_completion_wait(void)
{
	LOCK(D_ERROR,
	     "lock timed out (enqueued at %lld, %llds ago); not entering recovery in server code, just going back to sleep",
	     1763639720LL, 100LL);
}

/* No attribute checks this format. */
static noinline void with_left_over(const char *fmt, ...)
{
	static struct libcfs_debug_msg_data data = { __FILE__, "with_left_over",
						     S_RPC,    __LINE__,
						     D_HA,     NULL };
	const char *args[6];
	va_list list;
	int i;

	va_start(list, fmt);
	for (i = 0; i < 6; i++)
		args[i] = va_arg(list, const char *);
	va_end(list);
	libcfs_debug_msg(&data, fmt, args[0], args[1], args[2], args[3], args[4], args[5]);
}

static void emit_incident(const char *which)
{
	static const char *volatile then = "wait for recovery to complete";
	static const char *volatile client = "client of before";
	static char nid[24];

	/* No constant of the module has it. */
	snprintf(nid, sizeof(nid), "%d.168.1.%d@tcp", 192, 30);
	if (!strcmp(which, "expire"))
		ptlrpc_expire_one_request(true);
	else if (!strcmp(which, "delay"))
		ptlrpc_expire_one_request(false);
	else if (!strcmp(which, "evict"))
		LOCK(D_ERROR, "lock callback timer expired after %llds: evicting client at %s ",
		     100LL, nid);
	else if (!strcmp(which, "wait"))
		ldlm_expired_completion_wait();
	else if (!strcmp(which, "lost"))
		CDEBUG(D_WARNING | D_CONSOLE,
		       "%s: Connection to %s (at %s) was lost; in progress operations using this service will %s\n",
		       "lustre-OST0001-osc-ffff9b", "lustre-OST0001", "192.168.1.20@tcp", then);
	else if (!strcmp(which, "client"))
		CDEBUG(D_HA, "%s: type %s is known\n", "lustre", client);
	else if (!strcmp(which, "admin"))
		CDEBUG(D_HA, "%s: evicting %s at administrative request\n", "lustre", client);
	else if (!strcmp(which, "left"))
		/* More words than the format takes, as if they were left in the registers and on the stack. */
		with_left_over("%s: type %s\n", "evicting ", "x", client, client, client, client);
	else if (!strcmp(which, "quiet"))
		CDEBUG(D_WARNING, "%s: there are no stripes for fid 0x%x\n", "lustre", 7);
}

/* ---- RPCs: a client's and a server's messages, by the formats of Lustre 2.15 and 2.12 ---- */

static void emit_rpc(unsigned int ms)
{
	static const char *volatile client = "lustre-OST0000-osc-ffff9b";
	static char req[8];
	const unsigned long long xid = 1845032718239872ULL;

	CDEBUG(D_RPCTRACE,
	       "Sending RPC req@%p pname:cluuid:pid:xid:nid:opc:job %s:%s:%d:%llu:%s:%d:%s\n", req,
	       current->comm, client, current->pid, xid, "192.168.1.20@tcp", 4, "dd.0");
	CDEBUG(D_RPCTRACE,
	       "Handling RPC pname:cluuid+ref:pid:xid:nid:opc %s:%s+%d:%d:x%llu:%s:%d\n",
	       current->comm, client, 7, current->pid, xid, "12345-192.168.1.20@tcp", 4);
	CDEBUG(D_RPCTRACE,
	       "Handled RPC pname:cluuid+ref:pid:xid:nid:opc %s:%s+%d:%d:x%llu:%s:%d Request processed in %ldus (%ldus total) trans %llu rc %d/%d\n",
	       current->comm, client, 6, current->pid, xid, "12345-192.168.1.20@tcp", 4, 12L, 20L,
	       0ULL, 0, 0);
	msleep(ms);
	CDEBUG(D_RPCTRACE,
	       "Completed RPC req@%p pname:cluuid:pid:xid:nid:opc:job %s:%s:%d:%llu:%s:%d:%s\n",
	       req, "ptlrpcd_00_01", client, current->pid, xid, "192.168.1.20@tcp", 4, "dd.0");
}

/* Locks and memory as the server of an eviction sees them. */
static void emit_lock(void)
{
	static const char *volatile name = "lock";
	static char memory[8];

	CDEBUG(D_MALLOC, "kmalloced '(%s)': %d at %p (tot %d).\n", name, 512, memory, 512);
	LOCK(D_DLMTRACE, "server-side enqueue handler, new lock created");
	LOCK(D_DLMTRACE, "server preparing blocking AST");
	emit_incident("evict");
	LOCK(D_DLMTRACE, "server cancels blocked lock after %llds", 0LL);
	CDEBUG(D_MALLOC, "kmalloced '(%s)': %d at %p (tot %d).\n", "kept", 64, memory + 4, 576);
	CDEBUG(D_MALLOC, "kfreed '(%s)': %d at %p (tot %d).\n", name, 512, memory, 64);
}

/* ---- contexts ---- */

static DECLARE_COMPLETION(done);

static void in_tasklet(struct tasklet_struct *tasklet)
{
	CDEBUG(D_NET, "in softirq %d\n", 1);
	complete(&done);
}

static void in_irq_work(struct irq_work *work)
{
	CDEBUG(D_NET, "in hardirq %d\n", 2);
	complete(&done);
}

/* Before 5.9 it took a number for the function. */
#ifdef DECLARE_TASKLET_OLD
static DECLARE_TASKLET(tasklet, in_tasklet);
#else
static DECLARE_TASKLET(tasklet, (void (*)(unsigned long))in_tasklet, 0);
#endif
static struct irq_work irq_work = { .func = in_irq_work };
static unsigned int per_cpu_messages;

static void on_cpu(struct work_struct *work)
{
	emit_flood(per_cpu_messages);
}

/* All of them at once; who asks waits for all. */
static int emit_on_cpus(unsigned int n)
{
	struct work_struct *works = kcalloc(nr_cpu_ids, sizeof(*works), GFP_KERNEL);
	int cpu;

	if (!works)
		return -ENOMEM;
	per_cpu_messages = n;
	for_each_online_cpu(cpu)
	{
		INIT_WORK(&works[cpu], on_cpu);
		queue_work_on(cpu, system_wq, &works[cpu]);
	}
	for_each_online_cpu(cpu) flush_work(&works[cpu]);
	kfree(works);
	return 0;
}

/* By an interrupt it would be now and then; a breakpoint whose handler emits comes when it is asked for. */
static noinline notrace void breakpoint(void)
{
	asm volatile("nop");
}

static int at_breakpoint(struct kprobe *kprobe, struct pt_regs *regs)
{
	CDEBUG(D_NET, "while a probe is at work %d\n", 4);
	return 0;
}

/* The kernel calls no other probe from one that is at work. */
static int emit_in_probe(void)
{
	struct kprobe kprobe = { .addr = (kprobe_opcode_t *)breakpoint,
				 .pre_handler = at_breakpoint };
	int err = register_kprobe(&kprobe);

	if (err)
		return err;
	breakpoint();
	unregister_kprobe(&kprobe);
	return 0;
}

int libcfs_emit(char *words)
{
	unsigned int n = 0;
	char what[16], which[16] = "";

	if (sscanf(words, "%15s %u", what, &n) < 1)
		return -EINVAL;
	sscanf(words, "%*s %15s", which);
	reinit_completion(&done);
	if (!strcmp(what, "catalogue")) {
		emit_catalogue();
	} else if (!strcmp(what, "incident")) {
		emit_incident(which);
	} else if (!strcmp(what, "unknown")) {
		emit_unknown();
	} else if (!strcmp(what, "flood")) {
		emit_flood(n);
	} else if (!strcmp(what, "rpc")) {
		emit_rpc(n);
	} else if (!strcmp(what, "lock")) {
		emit_lock();
	} else if (!strcmp(what, "long")) {
		emit_long(n);
	} else if (!strcmp(what, "softirq")) {
		tasklet_schedule(&tasklet);
		wait_for_completion(&done);
	} else if (!strcmp(what, "hardirq")) {
		irq_work_queue(&irq_work);
		wait_for_completion(&done);
	} else if (!strcmp(what, "bh")) {
		local_bh_disable();
		CDEBUG(D_NET, "with soft interrupts off %d\n", 3);
		local_bh_enable();
	} else if (!strcmp(what, "probe")) {
		return emit_in_probe();
	} else if (!strcmp(what, "cpus")) {
		return emit_on_cpus(n);
	} else {
		return -EINVAL;
	}
	return 0;
}

static int __init libcfs_init(void)
{
	int err = libcfs_log_init();

	return err ? err : libcfs_files_init();
}

static void __exit libcfs_exit(void)
{
	libcfs_files_exit();
	tasklet_kill(&tasklet);
	irq_work_sync(&irq_work);
	libcfs_log_exit();
}

module_init(libcfs_init);
module_exit(libcfs_exit);
MODULE_DESCRIPTION("A stand-in for Lustre's libcfs, for tests");
MODULE_LICENSE("GPL");
