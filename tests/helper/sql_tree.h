/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events for SQL statements: numbers of each size and strings of each kind. */
#ifndef TESTS_SQL_TREE_H
#define TESTS_SQL_TREE_H

#include "tests/helper/tree.h"

static inline int sql_tree_make(char root[TREE_NAME])
{
	static const char begin[] =
		"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:int prio;\toffset:12;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 count;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
		"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 from;\toffset:44;\tsize:4;\tsigned:0;\n";
	static const char end[] = "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
				  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
				  "\tfield:char next_comm[16];\toffset:24;\tsize:16;\tsigned:0;\n";

	return tree_make(root) || tree_event(root, "made", "begin", 7, begin, "\"%d\", REC->pid") ||
	       tree_event(root, "made", "end", 8, end, "\"%d\", REC->next_pid") ||
	       tree_event(root, "made", "twice", 9, begin, "\"%d\", REC->pid") ||
	       tree_event(root, "other", "twice", 10, begin, "\"%d\", REC->pid") ||
	       tree_text(root, "available_events",
			 "made:begin\nmade:end\nmade:twice\nother:twice\n");
}

#endif
