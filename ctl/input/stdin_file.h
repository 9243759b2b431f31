/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes standard input a file that can be read at any offset. */
#pragma once

#include "app/app.h"

#define STDIN_NAME "standard input"

/*
 * Returns a descriptor, the same one for each call. The content of a pipe is first copied to a file
 * without a name in $TMPDIR or /tmp. An error message is in the app's context.
 */
int stdin_file(struct app *app);
