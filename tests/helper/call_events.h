/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of system calls as kernels have them, and records of them. */
#ifndef DKT_CALL_EVENTS_H
#define DKT_CALL_EVENTS_H

#include <string.h>

#include "lib/base/util.h"
#include "lib/inside.h"

#define CALL_COMMON                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define CALL_NR "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
#define CALL_STACK                                                                                 \
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"                                       \
	"\tfield:unsigned long caller[];\toffset:16;\tsize:0;\tsigned:0;\n" CALL_END

#define CALL_END "\nprint fmt: \"\"\n"

enum call_made {
	RAW_ENTER,
	RAW_EXIT,
	ENTER_OPENAT, /* as kernel 7.2 has it, with the path */
	EXIT_OPENAT,
	TEXT_OPENAT, /* of an event probe */
	NEWTASK,
	EXITED,
	SWITCHED,
	KERNEL_STACK,
	USER_STACK,
	SENT,
	DELIVERED,
	PROBED,
	CALL_EVENTS,
};

static const struct {
	const char *system, *name, *format;
} call_made[CALL_EVENTS] = {
	[RAW_ENTER] = { "raw_syscalls", "sys_enter",
			"name: sys_enter\nID: 901\nformat:\n" CALL_COMMON
			"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
			"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n" CALL_END },
	[RAW_EXIT] = { "raw_syscalls", "sys_exit",
		       "name: sys_exit\nID: 902\nformat:\n" CALL_COMMON
		       "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		       "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n" CALL_END },
	[ENTER_OPENAT] = { "syscalls", "sys_enter_openat",
			   "name: sys_enter_openat\nID: 903\nformat:\n" CALL_COMMON CALL_NR
			   "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
			   "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
			   "\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
			   "\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
			   "\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;"
			   "\tsigned:0;\n" CALL_END },
	[EXIT_OPENAT] = { "syscalls", "sys_exit_openat",
			  "name: sys_exit_openat\nID: 904\nformat:\n" CALL_COMMON CALL_NR
			  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n" CALL_END },
	[TEXT_OPENAT] = { "dktrace_text_1", "openat",
			  "name: openat\nID: 905\nformat:\n" CALL_COMMON
			  "\tfield:s32 nr;\toffset:8;\tsize:4;\tsigned:1;\n"
			  "\tfield:__data_loc char[] arg1;\toffset:12;\tsize:4;"
			  "\tsigned:1;\n" CALL_END },
	[NEWTASK] = { "task", "task_newtask",
		      "name: task_newtask\nID: 906\nformat:\n" CALL_COMMON
		      "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
		      "\tfield:unsigned long clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n"
		      "\tfield:short oom_score_adj;\toffset:40;\tsize:2;\tsigned:1;\n" CALL_END },
	[EXITED] = { "sched", "sched_process_exit",
		     "name: sched_process_exit\nID: 907\nformat:\n" CALL_COMMON
		     "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		     "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n" CALL_END },
	[SWITCHED] = { "sched", "sched_switch",
		       "name: sched_switch\nID: 908\nformat:\n" CALL_COMMON
		       "\tfield:long prev_state;\toffset:8;\tsize:8;\tsigned:1;\n"
		       "\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n" CALL_END },
	[KERNEL_STACK] = { "ftrace", "kernel_stack",
			   "name: kernel_stack\nID: 909\nformat:\n" CALL_COMMON CALL_STACK },
	[USER_STACK] = { "ftrace", "user_stack",
			 "name: user_stack\nID: 910\nformat:\n" CALL_COMMON CALL_STACK },
	[SENT] = { "signal", "signal_generate",
		   "name: signal_generate\nID: 911\nformat:\n" CALL_COMMON
		   "\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		   "\tfield:int result;\toffset:16;\tsize:4;\tsigned:1;\n" CALL_END },
	[DELIVERED] = { "signal", "signal_deliver",
			"name: signal_deliver\nID: 912\nformat:\n" CALL_COMMON
			"\tfield:int sig;\toffset:8;\tsize:4;\tsigned:1;\n"
			"\tfield:unsigned long sa_handler;\toffset:16;\tsize:8;\tsigned:0;\n" CALL_END },
	[PROBED] = { "kprobes", "do_sys_openat2",
		     "name: do_sys_openat2\nID: 913\nformat:\n" CALL_COMMON
		     "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		     "\tfield:__data_loc char[] arg1;\toffset:16;\tsize:4;"
		     "\tsigned:1;\n" CALL_END },
};

/* A record as the kernel lays it out. */
union call_bytes {
	struct {
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		union {
			struct {
				int64_t id;
				uint64_t args[6];
			} raw_enter;
			struct {
				int64_t id, ret;
			} raw_exit;
			struct {
				int32_t nr, pad;
				uint64_t args[4];
				uint32_t text;
				char bytes[40];
			} enter;
			struct {
				int32_t nr, pad;
				int64_t ret;
			} exit;
			struct {
				int32_t nr;
				uint32_t text;
				char bytes[40];
			} text;
			struct {
				int32_t tid;
				char comm[16];
				uint32_t pad;
				uint64_t flags;
				uint16_t score;
			} newtask;
			struct {
				char comm[16];
				int32_t tid;
			} exited;
			struct {
				int64_t state;
				int32_t next;
			} switched;
			struct {
				int32_t size, pad;
				uint64_t caller[4];
			} stack;
		};
	} it;
	uint8_t all[128];
};

/* Defines the events in the context. */
static inline int call_events_define(struct dkt_ctx *ctx, struct dkt_event *events[CALL_EVENTS])
{
	int err = 0;

	for (size_t i = 0; !err && i < CALL_EVENTS; i++)
		err = dkt__event_define(ctx, call_made[i].system, call_made[i].name,
					call_made[i].format, &events[i]);
	return err;
}

#endif
