// SPDX-License-Identifier: GPL-2.0-only
/* Has trace_printk() write a catalogue of conversions when it is loaded. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>

static const char *volatile some = "some";
static const u8 bytes[16] = { 1, 2, 3, 4, 0xfe, 0xdc, 'a', 'b' };

static noinline void write_numbers(void)
{
	trace_printk("int %d %i %u %x %X %o\n", -1, 2, 3u, 255, 255, 8);
	trace_printk("char %c short %hd %hu byte %hhd %hhu\n", 'c', (short)-2,
		     (unsigned short)65535, (signed char)-3, (unsigned char)250);
	trace_printk("long %ld %lu %lx long long %lld %llx size %zu %zd\n", -4L, 5UL, ~0UL,
		     -6LL << 40, 7ULL << 40, (size_t)8, (ssize_t)-9);
	trace_printk("form %5d|%-5d|%05d|%+d|% d|%#x|%#o|%08lx\n", 1, 2, 3, 4, 5, 6, 7, 8UL);
	trace_printk("star %*d|%-*d|%0*d|%.*s|%*s|\n", 5, 1, 5, 2, 5, 3, 2, some, 7, some);
	trace_printk("mixed %c%lld%c%hd%s%d%s%llx%hhu\n", 'a', 1LL << 33, 'b', (short)7, some, 9,
		     some, 1ULL << 35, (unsigned char)1);
}

static noinline void write_texts(void)
{
	trace_printk("only words\n");
	trace_puts("put\n");
	trace_printk(some);
	trace_printk("strings %s %10s %-10s| %.3s|\n", "one", some, "three", some);
	trace_printk("percent %d%% end\n", 50);
	trace_printk("null %s\n", (char *)(unsigned long)!some);
}

static noinline void write_pointers(void)
{
	trace_printk("function %ps %pS %pB\n", schedule, schedule, schedule);
	trace_printk("plain %px\n", bytes);
	trace_printk("hashed %p\n", bytes);
	trace_printk("ip %pI4 mac %pM %pMF uuid %pUb hex %*ph end %d\n", bytes, bytes, bytes, bytes,
		     6, bytes, 10);
	trace_printk("error %pe end %d\n", ERR_PTR(-EIO), 11);
}

static int __init texts_init(void)
{
	write_numbers();
	write_texts();
	write_pointers();
	return 0;
}

static void __exit texts_exit(void)
{
}

module_init(texts_init);
module_exit(texts_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("messages of trace_printk");
