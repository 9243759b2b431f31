/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes one of Lustre's parameters to its file, and reads the value back. */
#pragma once

#include "set/param.h"

/* More than a mask or a size is never read back. */
#define PARAM_FILE_MAX 4096

/* tell is the command that says on stderr what went wrong, as lctl does; NULL: nobody does. */
int param_file_write(const char *path, const char *value, const char *tell);

/*
 * The text to write to restore the current value: the first line, or for a mask Lustre's
 * whole value, because not every bit has a name.
 */
int param_file_read(const struct param *param, const char *path, char value[PARAM_FILE_MAX]);
