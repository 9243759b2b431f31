/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes standard input a file that can be read at any offset. */
#pragma once

#include "app/app.h"

#define STDIN_NAME "standard input"

/*
 * Its descriptor, the same as often as it is asked for. What comes through a pipe is kept, up to its
 * end, in a file without a name in $TMPDIR or /tmp. The words of a failure are in the app's context.
 */
int stdin_file(struct app *app);
