/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options by the names that they had, or have in other commands. */
#include "ctl/app/old_options.h"

#include <string.h>

/* The commands that make groups. */
#define CMD_GROUPS (CMD_HIST | CMD_LATENCY | CMD_ANALYZE | CMD_LUSTRE)

const struct old_option old_options[] = {
	{ "by", CMD_GROUPS, "keys", NULL },
	{ "group-by", CMD_GROUPS, "keys", NULL },
	{ "key", CMD_LATENCY, "match", NULL },
	{ "time", CMD_TIMED, "duration", NULL },
	{ "duration", CMD_LAMI, "took", NULL },
	{ "duration", CMD_ANALYZE | CMD_STRACE, "took", "<>=" },
	{ .name = NULL },
};

const struct old_option *old_option_find(const struct command *command, const char *name,
					 const char *value)
{
	for (const struct old_option *row = old_options; command && row->name; row++)
		if (row->commands & command->flags && !strcmp(row->name, name) &&
		    (!row->first || (value && *value && strchr(row->first, *value))))
			return row;
	return NULL;
}

void old_option_say(const struct old_option *old)
{
	if (old->first)
		app_say("--%s with a sign is --%s now; without one it stops after a time",
			old->name, old->now);
	else
		app_say("--%s is --%s now", old->name, old->now);
}
