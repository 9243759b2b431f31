/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dk, debug_kernel: the log as text, which empties it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dk.h"
#include "lctl_cmd.h"
#include "util.h"

static int print_log(struct lctl *lctl, const struct dk_opts *opts, int fd,
		     struct dk_result *result)
{
	struct debuglog *log;
	int err;

	if (lctl->input)
		return dk_print_saved(lctl->ctx, opts, fd, result);
	err = debuglog_open(lctl->ctx, lctl->instance, 0, &log);
	if (err)
		return err;
	err = dk_print(log, opts, fd, result);
	debuglog_close(log);
	return err;
}

int lctl_cmd_dk(struct lctl *lctl, int argc, char **argv)
{
	struct dk_opts opts = DK_OPTS_INIT;
	struct dk_result result = { 0 };
	int fd __cleanup(close) = -1;
	int err;

	opts.hidden_types = lctl->hidden_types;
	opts.hidden_subsystems = lctl->hidden_subsystems;
	if (argc > 3) {
		fprintf(stderr, "usage: %s [file] [raw]\n", argv[0]);
		return 0;
	}
	if (argc == 3 && strcmp(argv[2], "0")) {
		fprintf(stderr, "%s: raw dumps are of Lustre's own buffer, which is not there\n",
			lctl->self);
		return 1;
	}
	/* Before anything is taken out of the kernel. */
	if (argc > 1)
		fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (argc > 1 && fd < 0) {
		fprintf(stderr, "fopen(%s) failed: %s\n", argv[1], strerror(errno));
		return 1;
	}
	fflush(stdout);
	opts.escape = argc == 1 && isatty(STDOUT_FILENO);
	err = print_log(lctl, &opts, argc > 1 ? fd : STDOUT_FILENO, &result);
	if (err && !result.closed)
		lctl_say(lctl);
	if (!err)
		dk_result_print(&result, lctl->self, stdout);
	dk_result_clear(&result);
	return err ? 1 : 0;
}
