/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of parameters that get_param, list_param and find_param found and will print, and their options. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
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

struct param_value {
	char *name; /* printed unless -b joins several parameters */
	char *text;
	size_t len;
	size_t count; /* parameters with this value */
};

/* All parameters of one name; with -b, those of all targets. */
struct param_entry {
	char *name;
	mode_t mode;
	bool link;
	struct param_value *values; /* at least one; "" if the value was not read */
	size_t n;
};

/* The root starts as all zeroes. */
struct param_dir {
	char *path; /* "" or with a slash at its end */
	struct param_entry *entries;
	size_t n;
	struct param_dir **dirs;
	size_t n_dirs;
};

/* Takes ownership of text, even if it fails. */
int dkl_param_dir_add(struct param_dir *dir, const struct param_opts *opts, const char *name,
		      mode_t mode, bool link, char *text, size_t len);

/* Finds or creates the directory below root; with -b, one for all targets. */
int dkl_param_dir_below(struct param_dir *root, const struct param_opts *opts, const char *path,
			struct param_dir **dir);

void dkl_param_dir_print(const struct param_dir *dir, const struct param_opts *opts);
void dkl_param_dir_clear(struct param_dir *dir);
