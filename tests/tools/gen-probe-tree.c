/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a made-up kernel with functions and types: gen-probe-tree DIRECTORY */
#include "tests/helper/probe_tree.h"

int main(int argc, char **argv)
{
	if (argc != 2 || probe_tree_make(argv[1])) {
		fprintf(stderr, "usage: gen-probe-tree DIRECTORY\n");
		return 1;
	}
	return 0;
}
