/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories for files that last until the next boot. Commands trust what is in them. */
#pragma once

#include "lib/base/run_dir.h"

struct dkt_ctx;

/*
 * Creates RUN_DIR, and the directory in it unless path is NULL. They belong to root, also if a user with
 * capabilities creates them: root refuses a directory of another user. Returns 1, or 0 if the last one was
 * there, or -errno with an error message.
 */
int dkl_run_dir_create(struct dkt_ctx *ctx, const char *path);

/*
 * -EPERM with an error message if others than root and this user can write to the directory; 0 also
 * if it is not there.
 */
int dkl_run_dir_check(struct dkt_ctx *ctx, const char *path);
