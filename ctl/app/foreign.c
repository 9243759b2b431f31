/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of other programs that users type by habit, and what has their place. */
#include "ctl/app/foreign.h"

/* Letters of strace(1) that mean something else in strace, or nothing. */
static const struct {
	char letter;
	const char *here;
} of_strace[] = {
	{ 'c', "--summary counts and measures the calls" },
	{ 'C', "--summary counts and measures the calls" },
	{ 'f',
	  "the processes that a command starts are shown without it; with --pid use --children" },
	{ 'k', "--stack prints where calls waited, and who called them" },
	{ 'P', "choose calls with -e; grep chooses paths" },
	{ 'q', "there is nothing that it would leave out" },
	{ 'r', "each line begins with its time" },
	{ 'S', "--summary sorts by the total time" },
	{ 't', "each line begins with its time" },
	{ 'T', "each line has the duration" },
	{ 'w', "--summary measures the duration, not the CPU time" },
	{ 'y', "descriptors are shown with their files" },
	{ 'Z', "--errors prints calls that failed" },
};

bool foreign_option(const struct command *command, char letter)
{
	for (size_t i = 0; command && command->flags & CMD_STRACE && i < ARRAY_SIZE(of_strace); i++)
		if (of_strace[i].letter == letter) {
			app_say("-%c of strace(1): %s", letter, of_strace[i].here);
			return true;
		}
	return false;
}
