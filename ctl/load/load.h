/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* load: shared by its files. */
#pragma once

#include "app/app.h"

/* Sets a number that tells the contents of a file, or of the files of a directory. */
int load_digest(const struct app *app, const char *path, uint64_t *digest);
