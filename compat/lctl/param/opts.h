/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options that get_param, list_param and find_param share. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct param_opts {
	bool collapse; /* -b: print a value that several targets share once */
	bool color;
	bool only_dirs;
	bool type; /* append a mark for the file type to the name */
	bool header; /* print the name before every line */
	bool links; /* include symbolic links */
	bool merge; /* print equal values of the same name once */
	bool name;
	bool only_name;
	bool modules;
	bool path; /* print the path instead of the name */
	bool recursive;
	bool tunable;
	bool yaml;
	mode_t mode; /* permission bits that the file must have */
};

/*
 * Reads options into opts, which has the command's defaults; letters is for getopt(). Returns the
 * index of the first argument, or -1 after reporting an invalid option.
 */
int dkl_param_opts_parse(int argc, char **argv, const char *letters, struct param_opts *opts);
