/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of the page, which are in the program. */
#pragma once

#include <stddef.h>

enum view_asset_nr { VIEW_PAGE, VIEW_STYLE, VIEW_SCRIPT, VIEW_D3 };

struct view_asset {
	const char *text; /* not terminated */
	size_t len;
};

struct view_asset view_asset(enum view_asset_nr nr);
