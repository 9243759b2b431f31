/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that a just-in-time compiler made, such as Java's or Node's. It writes their addresses and names
 * into /tmp/perf-PID.map: tools/perf/Documentation/jit-interface.txt. Anyone can create that file, so it is
 * read only if it belongs to root, to the reader, or to the user of the process.
 */
#include <fcntl.h>
#include <search.h>
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/base/parse.h"
#include "lib/perfdata.h"

/* Java writes some ten megabytes. */
#define MAX_BYTES (64u << 20)

struct function {
	uint64_t start, size;
	const char *name; /* in the text */
	uint32_t len;
};

struct jit {
	int32_t pid; /* first: they are compared by it */
	char *text; /* NULL: there is none */
	struct function *functions; /* sorted */
	size_t n;
};

static int jit_cmp(const void *a, const void *b)
{
	const struct jit *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void free_jit(void *data)
{
	struct jit *jit = data;

	free(jit->functions);
	free(jit->text);
	free(jit);
}

/* ---- the file ---- */

static bool is_trusted(const struct stat *st, int32_t pid)
{
	char path[32];
	struct stat process;

	if (!S_ISREG(st->st_mode) || st->st_nlink != 1 || (uint64_t)st->st_size > MAX_BYTES)
		return false;
	if (!st->st_uid || st->st_uid == geteuid())
		return true;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &process) && process.st_uid == st->st_uid;
}

static char *read_text(int32_t pid)
{
	char path[40];
	int fd __cleanup(close) = -1;
	struct stat st;
	char *text;
	ssize_t n;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !is_trusted(&st, pid))
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	n = text ? dkt__pread_all(fd, (uint8_t *)text, (size_t)st.st_size, 0) : -1;
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* "7f2a4c001000 1c0 java.lang.String::hashCode" */
static bool take_line(const char *line, const char *end, struct function *function)
{
	const char *at = line;

	if (dkt__take_u64(&at, NULL, DKT__HEX, &function->start) || *at++ != ' ' ||
	    dkt__take_u64(&at, NULL, DKT__HEX, &function->size) || *at++ != ' ' || at >= end)
		return false;
	function->name = at;
	function->len = (uint32_t)(end - at);
	return true;
}

/* Where code was replaced by other code, the later line of the file comes last: it is valid. */
static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static void read_functions(struct jit *jit)
{
	const char *end;

	for (const char *line = jit->text; line && *line; line = *end ? end + 1 : end) {
		struct function function;

		end = strchrnul(line, '\n');
		if (take_line(line, end, &function) &&
		    dkt__append(jit->functions, jit->n, function))
			break;
	}
	if (jit->n)
		qsort(jit->functions, jit->n, sizeof(*jit->functions), by_start);
}

/* ---- names ---- */

static struct jit *find(struct dkt__perf *perf, int32_t pid)
{
	struct jit key = { .pid = pid }, *jit, **found = tfind(&key, &perf->jits, jit_cmp);

	if (found)
		return *found;
	jit = calloc(1, sizeof(*jit));
	if (!jit)
		return NULL;
	jit->pid = pid;
	if (!tsearch(jit, &perf->jits, jit_cmp)) {
		free(jit);
		return NULL;
	}
	/* A file of another machine would give its names to this one's. */
	jit->text = dkt__perf_is_here(perf) ? read_text(pid) : NULL;
	read_functions(jit);
	return jit;
}

const char *dkt__perf_jit_function(struct dkt__perf *perf, int32_t pid, uint64_t address,
				   size_t *len, uint64_t *offset)
{
	const struct jit *jit = find(perf, pid);
	size_t low = 0, high = jit ? jit->n : 0;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (jit->functions[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || address - jit->functions[low - 1].start >= jit->functions[low - 1].size)
		return NULL;
	*len = jit->functions[low - 1].len;
	*offset = address - jit->functions[low - 1].start;
	return jit->functions[low - 1].name;
}

void dkt__perf_jits_clear(struct dkt__perf *perf)
{
	tdestroy(perf->jits, free_jit);
	perf->jits = NULL;
}
