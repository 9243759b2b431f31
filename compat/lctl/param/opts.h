/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options that get_param, list_param and find_param share. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct param_opts {
	bool collapse; /* -b: the same value of several targets once */
	bool color;
	bool only_dirs;
	bool type; /* a mark of the type behind the name */
	bool header; /* the name in front of every line */
	bool links; /* symbolic links too */
	bool merge; /* the same value of the same name once */
	bool name;
	bool only_name;
	bool modules;
	bool path; /* the path in place of the name */
	bool recursive;
	bool tunable;
	bool yaml;
	mode_t mode; /* bits that the file must have */
};

/*
 * Reads options into what has the command's defaults; letters is what getopt() takes. Returns the
 * index of the first argument, or -1 for a bad option, which is told.
 */
int param_opts_parse(int argc, char **argv, const char *letters, struct param_opts *opts);
