/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has libtracefs translate the statement, in a child process. It parses WHERE, checks the types of
 * what is compared, matched and cast, finds the types of the synthetic event's fields, and writes
 * both triggers with their variables: that would be as many lines here as it takes to call it.
 *
 * tracefs_sql() looks for a tracefs, reads its README, mounts one if there is none, and keeps
 * the result in global variables; the child sets /dev/null as its tracefs. If the parser crashes on
 * a fault that dkt__sql_bind() does not know, the caller gets an error and survives.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tracefs/tracefs.h>

#include "lib/base/io.h"
#include "lib/base/servant.h"
#include "lib/event.h"
#include "lib/expr.h"
#include "lib/synth_sql/sql.h"

/* Since libtracefs 1.4. An older one reads the tracefs of this machine. */
__attribute__((weak)) int tracefs_set_tracing_dir(char *dir);

/* In seconds of CPU time; a statement takes about a millisecond. */
#define CPU_MAX 10

/* The first byte of the answer. */
#define IS_TEXT  'T'
#define IS_ERROR 'E'
#define IS_ALONE 'A' /* tracefs_synth_echo_cmd() prints the path of a tracefs and found none */

/* ---- in the child process ---- */

/* Returns the commands for the kernel, or NULL. */
static char *commands(struct tracefs_synth *synth)
{
	struct tracefs_hist *hist = NULL;
	struct trace_seq seq;
	int err;

	trace_seq_init(&seq);
	if (tracefs_synth_complete(synth)) {
		err = tracefs_synth_echo_cmd(&seq, synth);
	} else {
		hist = tracefs_synth_get_start_hist(synth);
		err = hist ? tracefs_hist_echo_cmd(&seq, NULL, hist, TRACEFS_HIST_CMD_START) : -1;
	}
	trace_seq_terminate(&seq);
	return err ? NULL : seq.buffer;
}

static void answer(int fd, char kind, const char *text)
{
	if (dprintf(fd, "%c%s", kind, text) < 0)
		_exit(1);
}

static void run(struct tep_handle *tep, const char *name, const char *statement, int fd)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU };
	const struct rlimit none = { 0 }, cpu = { CPU_MAX, CPU_MAX };
	char nothing[] = "/dev/null", *error = NULL, *text;
	struct tracefs_synth *synth;

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		signal(faults[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &cpu);
	if (tracefs_set_tracing_dir)
		tracefs_set_tracing_dir(nothing);
	synth = tracefs_sql(tep, name, statement, &error);
	text = synth ? commands(synth) : NULL;
	if (text)
		answer(fd, IS_TEXT, text);
	else if (synth && tracefs_synth_complete(synth))
		answer(fd, IS_ALONE, "");
	else
		answer(fd, IS_ERROR, error ? error : "");
	_exit(0);
}

/* ---- its answer ---- */

/*
 * Reports the error "SELECT ...\n      ^\nERROR: 'token'\nwords\n". libtracefs puts the caret at or
 * after the end of a name, so the name's place is the last one before the caret.
 */
static int refused(struct sql *sql, const char *error)
{
	const char *caret = strstr(error, "^\nERROR: '"), *line = strchr(error, '\n');
	const char *token = caret ? strchr(caret, '\'') + 1 : NULL;
	const char *words = token ? strstr(token, "'\n") : NULL;
	size_t at, n, len = strlen(sql->text);

	if (!words || !line)
		return dkt_fail(
			sql->ctx, -EINVAL,
			"sql: libtracefs cannot make an event or histogram of this statement");
	n = (size_t)(words - token);
	words += 2;
	at = DKT__MIN((size_t)(caret - line - 1), len);
	while (at && (n > len - at || strncmp(sql->text + at, token, n) != 0))
		at--;
	return dkt__fail_at(sql->ctx, -EINVAL, "sql", sql->text, at, "%.*s",
			    (int)strcspn(words, "\n"), words);
}

/* Returns 0 if the child exited normally, or if another thread has already waited for it. */
static int wait_for(pid_t pid)
{
	int status;

	return dkt__wait(pid, &status, 0) < 0 || (WIFEXITED(status) && !WEXITSTATUS(status)) ?
		       0 :
		       -EFAULT;
}

/* Returns the statement with the names of fields that libtracefs knows. */
static char *renamed(const struct sql *sql)
{
	const char *from = sql->text;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; f && i < sql->n_renames; i++) {
		const struct sql_rename *change = &sql->renames[i];

		fwrite(from, 1, (size_t)(sql->text + change->at - from), f);
		if (change->event)
			fprintf(f, "%.*s.", SQL_TEXT(sql, change->event));
		fputs(change->name, f);
		from = sql->text + change->at + change->len;
	}
	if (f)
		fputs(from, f);
	return f && !fclose(f) ? text : NULL;
}

int dkt__sql_translate(struct sql *sql, const char *name, char **text)
{
	char *statement __cleanup(free) = renamed(sql);
	struct tep_handle *tep = dkt__tep(sql->ctx);
	char *got __cleanup(free) = NULL;
	int ends[2], err, fault;
	size_t len;
	pid_t pid;

	*text = NULL;
	if (!tep || !statement)
		return dkt__no_memory(sql->ctx);
	if (pipe2(ends, O_CLOEXEC))
		return dkt_fail(sql->ctx, -errno, "sql: make a pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		run(tep, name, statement, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return dkt_fail(sql->ctx, -EAGAIN, "sql: make a process: %s", strerror(errno));
	}
	err = dkt__read_fd(ends[0], SIZE_MAX, &got, &len);
	close(ends[0]);
	fault = wait_for(pid);
	if (err)
		return err;
	if (got[0] == IS_ALONE)
		return dkt_fail(sql->ctx, -ENODEV,
				"sql: for JOIN, libtracefs needs a mounted tracefs or debugfs");
	if (fault || (got[0] != IS_TEXT && got[0] != IS_ERROR))
		return dkt_fail(sql->ctx, -EFAULT, "sql: libtracefs failed on this statement");
	if (got[0] == IS_ERROR)
		return refused(sql, got + 1);
	*text = strdup(got + 1);
	return *text ? 0 : dkt__no_memory(sql->ctx);
}
