/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace event with the fields that builds of Lustre with tracepoints give theirs. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lustre_debug

#if !defined(TEST_LIBCFS_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define TEST_LIBCFS_EVENT_H

#include <linux/tracepoint.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define ASSIGN(field, from) __assign_str(field)
#else
#define ASSIGN(field, from) __assign_str(field, from)
#endif

/* clang-format off */
TRACE_EVENT(lustre_debug_msg,
	TP_PROTO(const char *file, const char *fn, int subsys, int line, int mask, const char *text),
	TP_ARGS(file, fn, subsys, line, mask, text),
	TP_STRUCT__entry(
		__string(msg_file, file)
		__string(msg_fn, fn)
		__field(int, msg_subsys)
		__field(int, msg_line)
		__field(int, msg_mask)
		__string(msg, text)
	),
	TP_fast_assign(
		ASSIGN(msg_file, file);
		ASSIGN(msg_fn, fn);
		__entry->msg_subsys = subsys;
		__entry->msg_line = line;
		__entry->msg_mask = mask;
		ASSIGN(msg, text);
	),
	TP_printk("subsys=0x%x mask=0x%x %s:%d %s() %s", __entry->msg_subsys, __entry->msg_mask,
		  __get_str(msg_file), __entry->msg_line, __get_str(msg_fn), __get_str(msg))
);
/* clang-format on */

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE event
#include <trace/define_trace.h>
