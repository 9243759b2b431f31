/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A database in an open file, which may have no name, so that a kill leaves nothing behind. */
#pragma once

#include <sqlite3.h>

/* SQLite's way to that file. Zero: not opened. */
struct open_file {
	sqlite3_vfs vfs;
	sqlite3_vfs *usual; /* for temporary files */
	int fd;
	int err; /* why the last write to it failed; 0: none did */
};

/*
 * Opens a connection to the database in fd, an empty file that nobody else writes. file must live until the
 * connection is closed. Returns a code of SQLite, as sqlite3_open_v2().
 */
int open_file_connect(struct open_file *file, int fd, sqlite3 **sqlite);
