/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of other programs that users type by habit. */
#pragma once

#include "ctl/app/app.h"

/* Says what has the place of an option of the program that the command stands in for. False: nothing. */
bool foreign_option(const struct command *command, char letter);
