/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats of the tracer's own events, for files that have such records without the formats. */
#pragma once

#define DKT__FORMAT_COMMON                                                                         \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define DKT__FORMAT_STACK                                                                          \
	DKT__FORMAT_COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"                    \
			   "\tfield:unsigned long caller[];\toffset:16;\tsize:0;\tsigned:0;\n\n"

/* trace-cmd prints kernel stacks without a print format, and user stacks by theirs. */
#define DKT__FORMAT_KERNEL_STACK "name: kernel_stack\nID: 4\n" DKT__FORMAT_STACK "print fmt: \"\"\n"

/* Like the kernel's print format, this shows eight callers, however many the record has. */
#define DKT__FORMAT_CALLER(i) ", REC->size > " #i " ? REC->caller[" #i "] : 0"
#define DKT__FORMAT_USER_STACK                                                                                \
	"name: user_stack\nID: 13\n" DKT__FORMAT_STACK "print fmt: \"<user stack trace>\\n"                   \
	" => %ps\\n => %ps\\n => %ps\\n => %ps\\n => %ps\\n => %ps\\n => %ps\\n => %ps\"" DKT__FORMAT_CALLER( \
		0) DKT__FORMAT_CALLER(1) DKT__FORMAT_CALLER(2) DKT__FORMAT_CALLER(3)                          \
		DKT__FORMAT_CALLER(4) DKT__FORMAT_CALLER(5) DKT__FORMAT_CALLER(6)                             \
			DKT__FORMAT_CALLER(7) "\n"

/* The events of function_graph; newer kernels also record the return value. */
#define DKT__FORMAT_GRAPH_ENTRY                                                                    \
	"name: funcgraph_entry\nID: 11\n" DKT__FORMAT_COMMON                                       \
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"                             \
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"                                   \
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n"

#define DKT__FORMAT_GRAPH_EXIT_OF(retval)                                                          \
	"name: funcgraph_exit\nID: 10\n" DKT__FORMAT_COMMON                                        \
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"                             \
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"                                     \
	"\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"                          \
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"                   \
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n" retval "\n"        \
	"print fmt: \"<-- %ps (%d)\", (void *)REC->func, REC->depth\n"
#define DKT__FORMAT_GRAPH_EXIT DKT__FORMAT_GRAPH_EXIT_OF("")
#define DKT__FORMAT_GRAPH_RETVAL                                                                   \
	DKT__FORMAT_GRAPH_EXIT_OF("\tfield:unsigned long retval;\toffset:40;\tsize:8;\tsigned:0;\n")

#define DKT__GRAPH_ENTRY_SIZE  20
#define DKT__GRAPH_EXIT_SIZE   40
#define DKT__GRAPH_RETVAL_SIZE 48

/* The offset of the callers in a stack's record. */
#define DKT__STACK_CALLERS 16
