/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files whose records are printed in one order, as one thread reads them. */
#ifndef CTL_REPORT_FILES_H
#define CTL_REPORT_FILES_H

#include "input/inputs.h"

struct report_files {
	struct inputs in;
	bool joined; /* the source is that of all files together */
	struct dkt_source *source;
	struct report_opts each, all; /* of what chooses records, and of what prints all of them */
	struct report **parts; /* by file */
	struct report *report; /* what prints; NULL before report_files_style() */
};

/*
 * Opens those of files->in that are not open yet, all of their records; flags are added to those of
 * args->source. joined: lines name the files. To be closed in either case; the words of a failure
 * are in the app's context.
 */
int report_files_open(struct report_files *files, const struct report_args *args, bool joined,
		      unsigned int flags);

/* Makes what chooses and prints records, in the window that args->source has. */
int report_files_style(struct report_files *files, const struct report_args *args);
void report_files_close(struct report_files *files);

#endif
