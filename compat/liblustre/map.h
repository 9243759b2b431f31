/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class map object that a caller of libdktrace-lustre holds. */
#pragma once

#include <dktrace/lustre.h>

#include "compat/lustre/class.h"

struct legacy_style;

struct dkt_lustre_map {
	struct dkt_ctx *ctx;
	/* Read from the caller's directories and shared by classes; or NULL. */
	struct class_map *files;
	struct class_map *classes;
	struct legacy_style *lines; /* finds the classes of records; NULL: not needed yet */
};
