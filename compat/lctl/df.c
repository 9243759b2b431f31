/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* df, debug_file: converts a binary debug log to text. */

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "compat/io/output.h"
#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lustre/binary/sort.h"
#include "lib/base/cage.h"
#include "lib/base/own_dir.h"
#include "lib/base/servant.h"
#include "lib/base/util.h"
#include "lib/inside.h"

/* ---- damage ---- */

void dkl_lctl_print_bad(void *data, uint64_t offset, const struct record_head *head)
{
	char text[512];
	int n = snprintf(
		text, sizeof(text),
		"badly-formed record at offset = %" PRIu64 "\n"
		"  len = %" PRIu32 "\n  flags = %" PRIx32 "\n  subsystem = %" PRIx32 "\n"
		"  mask = %" PRIx32 "\n  cpu_id = %u\n  type = %u\n  seconds = %" PRIu32 "\n"
		"  microseconds = %" PRIu64 "\n  stack = %" PRIu32 "\n  pid = %" PRIu32 "\n"
		"  host pid = %" PRIu32 "\n  line number = %" PRIu32 "\n",
		offset, head->len, head->flags, head->subsystem, head->mask, head->cpu, head->type,
		head->sec, head->usec, head->stack, head->pid, head->extern_pid, head->line);

	(void)data;
	if (n > 0)
		fwrite(text, 1, (size_t)n, stderr);
}

void dkl_lctl_print_damage(const struct lctl *lctl, const char *name,
			   const struct record_counts *counts)
{
	if (counts->empty)
		dkl_say_line(stderr,
			     "%s: %s: skipped headers with length 0: %" PRIu64
			     ", the first at offset %" PRIu64,
			     lctl->self, name, counts->empty, counts->empty_at);
	if (counts->big)
		dkl_say_line(stderr,
			     "%s: %s: longer than %d bytes, which Lustre's lctl calls bad: %" PRIu64
			     " records",
			     lctl->self, name, RECORD_LUSTRE_MAX, counts->big);
	if (counts->end == RECORD_END_SHORT)
		dkl_say_line(stderr,
			     "%s: %s: the record at offset %" PRIu64
			     " is too short; the conversion stops there",
			     lctl->self, name, counts->end_at);
	if (counts->end == RECORD_END_TORN)
		dkl_say_line(stderr,
			     "%s: %s: the record at offset %" PRIu64 " is incomplete: its %" PRIu64
			     " bytes are not printed",
			     lctl->self, name, counts->end_at, counts->end_len);
	/* lctl converts a directory to nothing, without an error. */
	if (counts->read_err && counts->read_err != -EISDIR)
		dkl_say_line(stderr, "%s: read(%s) failed: %s", lctl->self, name,
			     strerror(-counts->read_err));
}

/* ---- the command ---- */

/* Truncates the output, and refuses the input file as the output. */
static int open_output(const struct lctl *lctl, const char *name, int in)
{
	struct stat a, b;
	int fd;

	if (!stat(name, &a) && S_ISREG(a.st_mode) && !fstat(in, &b) && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino) {
		dkl_say_line(stderr, "%s: %s is the input", lctl->self, name);
		return -1;
	}
	fd = dkl_output_open(lctl->ctx, name, OUTPUT_EMPTY);
	if (fd < 0)
		dkl_say_line(stderr, "open(%s) failed: %s", name, dkt_error(lctl->ctx));
	return fd;
}

static int convert(struct lctl *lctl, const char *name, int in, int out)
{
	struct record_sort_opts opts = { .fd = in,
					 .name = name,
					 .show = { .subsystems = ~lctl->hidden_subsystems,
						   .classes = ~lctl->hidden_classes },
					 .report_bad = dkl_lctl_print_bad };
	const struct record_counts *counts;
	struct record_sort *sort;
	int err;

	fflush(stdout);
	err = dkl_record_sort_new(lctl->ctx, &opts, &sort);
	if (err)
		return err;
	/* Control characters in the log must not reach a terminal. */
	if (isatty(out))
		err = dkl_record_print_escaped(lctl->ctx, sort, out);
	else
		err = dkl_record_print(lctl->ctx, sort, out);
	counts = dkl_record_sort_counts(sort);
	dkl_lctl_print_damage(lctl, name, counts);
	if (!err)
		printf("Debug log: %" PRIu64 " lines, %" PRIu64 " kept, %" PRIu64
		       " dropped, %" PRIu64 " bad.\n",
		       counts->kept + counts->dropped + counts->bad, counts->kept, counts->dropped,
		       counts->bad);
	dkl_record_sort_free(sort);
	return err;
}

static int confine(struct lctl *lctl, struct dkt__own_dir *temporary)
{
	struct dkt__cage cage __cleanup(cage_end) = DKT__CAGE_INIT;
	int err = dkt__cage_begin(&cage, DKT__CAGE_REMOVE);

	if (!err)
		err = dkt__cage_allow_system(&cage);
	if (!err)
		err = dkt__own_dir_make(temporary, &cage);
	if (!err)
		err = dkt__cage_enter(&cage);
	return err ? dkt_fail(lctl->ctx, err, "confine the process to its files: %s",
			      strerror(-err)) :
		     0;
}

/* All files are open, except for temporary files of the sort. */
static int drop_privileges(struct lctl *lctl, struct dkt__own_dir *temporary)
{
	unsigned int keep = 0;
	int err = dkl_output_keep(lctl->ctx, NULL, &keep);

	if (!err)
		err = dkt__caps_limit(lctl->ctx, keep);
	return err ? err : confine(lctl, temporary);
}

/* Returns the exit status. */
static int convert_confined(struct lctl *lctl, const char *name, int in, int out)
{
	struct dkt__own_dir temporary = { 0 };
	int err = drop_privileges(lctl, &temporary);

	if (!err)
		err = convert(lctl, name, in, out);
	dkt__own_dir_remove(&temporary);
	if (err == -ENOMEM)
		dkt_fail(lctl->ctx, err, "%s: %s", name, strerror(ENOMEM));
	lctl->closed |= err == -EPIPE;
	if (err && err != -EPIPE)
		dkl_lctl_print_error(lctl);
	return err ? 1 : 0;
}

/* The exit status of the process if the reader of its output has gone. */
#define STATUS_CLOSED 2

/* The next command of the session needs its rights, so that a process of its own converts. */
static int convert_apart(struct lctl *lctl, const char *name, int in, int out)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		int rc = convert_confined(lctl, name, in, out);

		if (fflush(stdout))
			rc = 1;
		_exit(lctl->closed ? STATUS_CLOSED : rc);
	}
	if (pid < 0) {
		dkt_fail(lctl->ctx, -errno, "start a process: %s", strerror(errno));
		dkl_lctl_print_error(lctl);
		return 1;
	}
	dkt__wait(pid, &status, 0);
	lctl->closed |= WIFSIGNALED(status) ? WTERMSIG(status) == SIGPIPE :
					      WEXITSTATUS(status) == STATUS_CLOSED;
	return status ? 1 : 0;
}

int dkl_lctl_cmd_df(struct lctl *lctl, int argc, char **argv)
{
	int in __cleanup(close) = -1, out __cleanup(close) = -1, to = STDOUT_FILENO;

	if (argc < 2 || argc > 3) {
		dkl_say_line(stderr, "usage: %s <input> [output]", argv[0]);
		return 0;
	}
	in = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (in < 0) {
		dkl_say_line(stderr, "open(%s) failed: %s", argv[1], strerror(errno));
		return 1;
	}
	if (argc > 2) {
		to = out = open_output(lctl, argv[2], in);
		if (out < 0)
			return 1;
	}
	return lctl->session ? convert_apart(lctl, argv[1], in, to) :
			       convert_confined(lctl, argv[1], in, to);
}
