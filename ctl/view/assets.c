/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes the files of the page into the program, so that it needs none of them when it runs. */
#include "ctl/view/assets.h"

/* The assembler finds the files from the top of the tree. */
#define INCLUDE(path) ".incbin \"" path "\"\n"
#define ASSET(name, files)                                                                         \
	__asm__(".section .rodata\n"                                                               \
		".global asset_" #name ", asset_" #name "_end\n"                                   \
		"asset_" #name ":\n" files "asset_" #name "_end:\n"                                \
		".byte 0\n"                                                                        \
		".previous\n")

ASSET(page, INCLUDE("share/view/page.html"));
ASSET(style, INCLUDE("share/view/page.css"));
ASSET(script,
      INCLUDE("share/view/base.js") INCLUDE("share/view/chart.js")
	      INCLUDE("share/view/multiples.js") INCLUDE("share/view/rates.js")
		      INCLUDE("share/view/latency.js") INCLUDE("share/view/heat.js")
			      INCLUDE("share/view/stacks.js") INCLUDE("share/view/tasks.js")
				      INCLUDE("share/view/lustre.js") INCLUDE("share/view/paths.js")
					      INCLUDE("share/view/hosts.js")
						      INCLUDE("share/view/page.js"));
/* The license of d3 asks to be wherever its code is. */
ASSET(d3, INCLUDE(D3_LICENSE) INCLUDE(D3));

extern const char asset_page[], asset_page_end[], asset_style[], asset_style_end[], asset_script[],
	asset_script_end[], asset_d3[], asset_d3_end[];

struct view_asset view_asset(enum view_asset_nr nr)
{
	static const char *const ends[][2] = {
		[VIEW_PAGE] = { asset_page, asset_page_end },
		[VIEW_STYLE] = { asset_style, asset_style_end },
		[VIEW_SCRIPT] = { asset_script, asset_script_end },
		[VIEW_D3] = { asset_d3, asset_d3_end },
	};

	return (struct view_asset){ ends[nr][0], (size_t)(ends[nr][1] - ends[nr][0]) };
}
