/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes one of Lustre's parameters to its file, and reads the value back. */
#pragma once

#include "compat/set/param.h"

/* Enough for a mask or a size. */
#define PARAM_FILE_MAX 4096

/* With command, prints an error as Lustre's lctl does for that command. */
int dkl_param_file_write(const char *path, const char *value, const char *command);

/*
 * Reads the text that restores the current value if it is written: the first line, or for a mask
 * Lustre's complete value, because not every bit has a name.
 */
int dkl_param_file_read(const struct param *param, const char *path, char value[PARAM_FILE_MAX]);
