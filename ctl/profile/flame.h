/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws a tree of call stacks as a flame graph. */
#pragma once

#include <stdio.h>

#include "answers/profile/names.h"
#include "answers/profile/tree.h"

struct flame_picture {
	const struct profile_tree *tree; /* with its lists of children */
	const struct profile_names *names;
	const char *title, *desc;
	const char *unit; /* of the weights, for the texts beside the pointer */
	bool down; /* the root is at the top, as in an icicle */
	bool compares; /* the colours show how shares have changed */
};

/* Returns 0, -ENOMEM, or -EIO: the file has an error. */
int flame_draw(const struct flame_picture *picture, FILE *f);
