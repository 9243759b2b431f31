/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options by the names that they had, or have in other commands. */
#pragma once

#include "ctl/app/app.h"

/* An old name: not offered, not in the help, but understood. */
struct old_option {
	const char *name;
	uint64_t commands; /* flags of the commands that take it */
	const char *now; /* the name of the option that it stands for */
	const char *first; /* only for values that begin with one of these; NULL: for all values */
};

/* Ends with a row without a name. */
extern const struct old_option old_options[];

/* Returns the row for the command's option of that name with that value, which may be NULL, or NULL. */
const struct old_option *old_option_find(const struct command *command, const char *name,
					 const char *value);

/* Tells the user the name to use. */
void old_option_say(const struct old_option *old);
