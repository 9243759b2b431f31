/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class map object that a caller of libdktrace-lustre holds. */
#pragma once

#include <dktrace/lustre.h>

#include "lustre/class.h"

struct legacy_style;

struct dkt_lustre_map {
	struct dkt_ctx *ctx;
	struct class_map *files; /* of a caller's directories, which classes shares; else NULL */
	struct class_map *classes;
	struct legacy_style *lines; /* knows classes of records; NULL: nobody asked yet */
};
