// SPDX-License-Identifier: GPL-2.0-only
/* The buffer: for each CPU and context a list of pages filled with Lustre's binary records. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/version.h>

#include "log.h"

/* Its name before 5.11. */
#ifndef in_hardirq
#define in_hardirq in_irq
#endif

struct record {
	u32 len;
	u32 flags;
	u32 subsys;
	u32 mask;
	u16 cpu;
	u16 type;
	u32 sec;
	u64 usec;
	u32 stack;
	u32 pid;
	u32 extern_pid;
	u32 line;
} __packed;

/* In memory these are as Lustre's are, by whose layout they are found in the dump of a kernel. */
struct page_of {
	struct page *page;
	struct list_head list;
	unsigned int used;
	unsigned short cpu;
	unsigned short type;
};

struct buffer {
	spinlock_t lock;
	unsigned long flags;
	struct list_head pages;
	unsigned long n;
#ifdef LIBCFS_2_12
	/* Pages that the daemon has written to its file. */
	struct list_head written;
	unsigned long n_written;
#endif
	unsigned long most;
	struct list_head stock;
	unsigned long n_stock;
	unsigned short ending, cpu, type, factor;
};

union line_of_buffer {
	struct buffer buffer;
	char line[L1_CACHE_ALIGN(sizeof(struct buffer))];
};

/* For processes, soft and hard interrupts; each has one for each CPU. */
static union line_of_buffer *cfs_trace_data[3];

/* Lustre's lctl reads no longer records. */
#define ROOM (PAGE_SIZE - 24)

static struct buffer *buffer_of(int cpu, int type)
{
	return &cfs_trace_data[type][cpu].buffer;
}

static libcfs_hook_fn hook_fn;

unsigned int libcfs_debug = 0x130E0580, libcfs_subsystem_debug = ~0u, libcfs_printk = D_CANTMASK;
unsigned int libcfs_debug_mb = 8;
module_param(libcfs_debug, uint, 0644);
module_param(libcfs_subsystem_debug, uint, 0644);
module_param(libcfs_debug_mb, uint, 0644);

/* Between a message's call and its record, as if the process were preempted. */
static unsigned int delay_ms;
module_param(delay_ms, uint, 0644);

void libcfs_set_hook(libcfs_hook_fn hook)
{
	WRITE_ONCE(hook_fn, hook);
	synchronize_rcu();
}
EXPORT_SYMBOL(libcfs_set_hook);

static struct page_of *new_page(const struct buffer *buffer)
{
	struct page_of *page = kmalloc(sizeof(*page), GFP_ATOMIC | __GFP_NOWARN);

	if (!page)
		return NULL;
	page->page = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
	page->cpu = buffer->cpu;
	page->type = buffer->type;
	if (page->page)
		return page;
	kfree(page);
	return NULL;
}

static void free_page_of(struct page_of *page)
{
	__free_page(page->page);
	kfree(page);
}

/* Full: the oldest page is emptied and used again, in silence. */
static struct page_of *page_for(struct buffer *buffer, unsigned int need)
{
	unsigned int most = (libcfs_debug_mb << (20 - PAGE_SHIFT)) / num_possible_cpus();
	struct page_of *page = NULL;

	if (!list_empty(&buffer->pages)) {
		page = list_last_entry(&buffer->pages, struct page_of, list);
		if (page->used + need <= ROOM)
			return page;
		page = NULL;
	}
	if (buffer->n < most)
		page = new_page(buffer);
	if (page)
		buffer->n++;
	else if (list_empty(&buffer->pages))
		return NULL;
	else {
		page = list_first_entry(&buffer->pages, struct page_of, list);
		list_del(&page->list);
	}
	page->used = 0;
	list_add_tail(&page->list, &buffer->pages);
	return page;
}

static unsigned int put_name(char *p, const char *name)
{
	unsigned int n = strlen(name) + 1;

	memcpy(p, name, n);
	return n;
}

static void fill_record(struct record *rec, const struct libcfs_debug_msg_data *data, int type)
{
	struct timespec64 ts;

	ktime_get_real_ts64(&ts);
	*rec = (struct record){
		.subsys = data->msg_subsys,
		.mask = data->msg_mask,
		.cpu = smp_processor_id(),
		.type = type,
		.sec = ts.tv_sec,
		.usec = ts.tv_nsec / 1000,
		.pid = current->pid,
		.line = data->msg_line,
	};
}

static void put_message(struct buffer *buffer, struct record *rec,
			const struct libcfs_debug_msg_data *data, const char *fmt, va_list ap)
{
	const char *file = strrchr(data->msg_file, '/');
	struct page_of *page;
	unsigned int known;
	va_list again;
	char *start, *p;
	int text;

	file = file ? file + 1 : data->msg_file;
	known = sizeof(*rec) + strlen(file) + 1 + strlen(data->msg_fn) + 1;
	va_copy(again, ap);
	text = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (text > (int)(ROOM - known - 1))
		text = ROOM - known - 1;
	page = page_for(buffer, known + text + 1);
	if (!page)
		return;
	rec->len = known + text;
	rec->flags = page->used || buffer->n > 1 ? 0 : 1;
	start = p = (char *)page_address(page->page) + page->used;
	p += sizeof(*rec);
	p += put_name(p, file);
	p += put_name(p, data->msg_fn);
	vsnprintf(p, text + 1, fmt, ap);
	memcpy(start, rec, sizeof(*rec));
	page->used += rec->len;
}

static void call_hook(const struct libcfs_debug_msg_data *data, const char *fmt, va_list ap)
{
	libcfs_hook_fn hook = READ_ONCE(hook_fn);
	va_list again;
	char *text;

	if (!hook)
		return;
	va_copy(again, ap);
	text = kvasprintf(GFP_ATOMIC, fmt, again);
	va_end(again);
	if (text)
		hook(data, text);
	kfree(text);
}

/* By the clock: mdelay() is not to be relied on in an emulated machine. */
static void wait_before_record(void)
{
	u64 until = ktime_get_ns() + delay_ms * NSEC_PER_MSEC;

	while (delay_ms && ktime_get_ns() < until)
		cpu_relax();
}

static void log_message(struct libcfs_debug_msg_data *data, const char *fmt, va_list ap)
{
	int type = in_hardirq() ? 2 : in_softirq() ? 1 : 0;
	struct buffer *buffer;
	struct record rec;
	unsigned long flags;

	wait_before_record();
	preempt_disable();
	call_hook(data, fmt, ap);
	buffer = buffer_of(smp_processor_id(), type);
	spin_lock_irqsave(&buffer->lock, flags);
	fill_record(&rec, data, type);
	put_message(buffer, &rec, data, fmt, ap);
	spin_unlock_irqrestore(&buffer->lock, flags);
	preempt_enable();
}

#ifdef LIBCFS_2_12
static void log_both(struct libcfs_debug_msg_data *data, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_message(data, fmt, ap);
	va_end(ap);
}

noinline void libcfs_debug_vmsg2(struct libcfs_debug_msg_data *data, const char *fmt, va_list args,
				 const char *fmt2, ...)
{
	struct va_format first = { .fmt = fmt }, second = { .fmt = fmt2 };
	va_list ap, again;

	if (!fmt2) {
		log_message(data, fmt, args);
		return;
	}
	va_copy(again, args);
	va_start(ap, fmt2);
	first.va = &again;
	second.va = &ap;
	log_both(data, "%pV%pV", &first, &second);
	va_end(ap);
	va_end(again);
}
EXPORT_SYMBOL(libcfs_debug_vmsg2);

noinline void libcfs_debug_msg(struct libcfs_debug_msg_data *data, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	libcfs_debug_vmsg2(data, fmt, ap, NULL);
	va_end(ap);
}
#else
noinline void libcfs_debug_msg(struct libcfs_debug_msg_data *data, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_message(data, fmt, ap);
	va_end(ap);
}
#endif
EXPORT_SYMBOL(libcfs_debug_msg);

/* ---- taking it out ---- */

static void free_pages_of(struct list_head *pages)
{
	struct page_of *page, *next;

	list_for_each_entry_safe(page, next, pages, list) free_page_of(page);
}

/* The last CPU first; of each CPU hard interrupts, soft ones, then processes. */
static void take(struct list_head *all)
{
	int cpu, type;

	for_each_possible_cpu(cpu)
	{
		for (type = 0; type < 3; type++) {
			struct buffer *buffer = buffer_of(cpu, type);
			unsigned long flags;

			spin_lock_irqsave(&buffer->lock, flags);
			list_splice_init(&buffer->pages, all);
			buffer->n = 0;
			spin_unlock_irqrestore(&buffer->lock, flags);
		}
	}
}

int libcfs_dump(const char *path)
{
	LIST_HEAD(all);
	struct page_of *page;
	struct file *file;
	loff_t pos = 0;
	ssize_t n = 0;

	file = filp_open(path, O_CREAT | O_EXCL | O_WRONLY | O_LARGEFILE, 0600);
	if (IS_ERR(file))
		return PTR_ERR(file);
	take(&all);
	list_for_each_entry(page, &all, list)
	{
		n = kernel_write(file, page_address(page->page), page->used, &pos);
		if (n < 0)
			break;
	}
	filp_close(file, NULL);
	free_pages_of(&all);
	return n < 0 ? n : 0;
}

static void show_page(struct seq_file *m, const struct page_of *page)
{
	const char *data = page_address(page->page);
	unsigned int at = 0;

	while (at < page->used) {
		const char *file = data + at + sizeof(struct record), *fn, *text;
		struct record rec;

		memcpy(&rec, data + at, sizeof(rec));
		fn = file + strlen(file) + 1;
		text = fn + strlen(fn) + 1;
		seq_printf(m, "%08x:%08x:%u.%u%s:%u.%06llu:%u:%u:%u:(%s:%u:%s()) %.*s", rec.subsys,
			   rec.mask, rec.cpu, rec.type, rec.flags ? "F" : "", rec.sec, rec.usec,
			   rec.stack, rec.pid, rec.extern_pid, file, rec.line, fn,
			   (int)(data + at + rec.len - text), text);
		at += rec.len;
	}
}

int libcfs_show(struct seq_file *m, void *unused)
{
	int cpu, type;

	for_each_possible_cpu(cpu)
	{
		for (type = 0; type < 3; type++) {
			struct buffer *buffer = buffer_of(cpu, type);
			struct page_of *page;
			unsigned long flags;

			spin_lock_irqsave(&buffer->lock, flags);
			list_for_each_entry(page, &buffer->pages, list) show_page(m, page);
			spin_unlock_irqrestore(&buffer->lock, flags);
		}
	}
	return 0;
}

void libcfs_clear(void)
{
	LIST_HEAD(all);

	take(&all);
	free_pages_of(&all);
}

static void free_buffers(void)
{
	int type;

	for (type = 0; type < 3; type++)
		kfree(cfs_trace_data[type]);
}

int libcfs_log_init(void)
{
	int cpu, type;

	for (type = 0; type < 3; type++) {
		cfs_trace_data[type] =
			kcalloc(nr_cpu_ids, sizeof(*cfs_trace_data[type]), GFP_KERNEL);
		if (!cfs_trace_data[type]) {
			free_buffers();
			return -ENOMEM;
		}
		for_each_possible_cpu(cpu)
		{
			struct buffer *buffer = buffer_of(cpu, type);

			spin_lock_init(&buffer->lock);
			INIT_LIST_HEAD(&buffer->pages);
			INIT_LIST_HEAD(&buffer->stock);
#ifdef LIBCFS_2_12
			INIT_LIST_HEAD(&buffer->written);
#endif
			buffer->cpu = cpu;
			buffer->type = type;
		}
	}
	return 0;
}

void libcfs_log_exit(void)
{
	libcfs_clear();
	free_buffers();
}
