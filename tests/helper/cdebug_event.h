/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of the probes on Lustre's messages, as the kernel creates them. */
#ifndef TESTS_CDEBUG_EVENT_H
#define TESTS_CDEBUG_EVENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/lustre/message/cdebug.h"
#include "lib/inside.h"

/* The format file that the kernel makes of the fields: packed, strings as an offset and a length. */
static inline void put_format(FILE *f, const char *name, unsigned int id, char *fields)
{
	unsigned int at = 16;
	char *save = NULL, *word;

	fprintf(f,
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		name, id);
	for (word = strtok_r(fields, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		const char *type = strrchr(word, ':');
		bool is_string = type && !strcmp(type, ":string");
		unsigned int size = type && (is_string || !strcmp(type + 2, "32")) ? 4 : 8;

		fprintf(f, "\tfield:%s %.*s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			is_string ? "__data_loc char[]" :
			size == 4 ? "s32" :
				    "u64",
			(int)strcspn(word, "="), word, at, size, is_string || size == 4);
		at += size;
	}
	fprintf(f, "\nprint fmt: \"\"\n");
}

/* Ends the program if that cannot be. */
static inline struct dkt_event *cdebug_event(struct dkt_ctx *ctx, const char *group,
					     unsigned int id, const char *name,
					     enum cdebug_place place)
{
	char *fields = NULL, *format = NULL;
	struct dkt_event *event;
	size_t len;
	FILE *f;

	if (dkl_cdebug_fields(CDEBUG_X86_64, place, 0, 40, &fields))
		abort();
	f = open_memstream(&format, &len);
	if (!f)
		abort();
	put_format(f, name, id, fields);
	fclose(f);
	if (dkt__event_define(ctx, group, name, format, &event))
		abort();
	free(fields);
	free(format);
	return event;
}

#endif
