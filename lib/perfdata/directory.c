/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories that perf record writes: with --threads the file data, which has the header, and a file data.N
 * with the records of each buffer; with --kcore data alone, beside a copy of the kernel's code.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "lib/base/parse.h"
#include "lib/perfdata.h"

#define MAIN "data"

bool dkt__perf_directory_is(const char *path)
{
	char *name __cleanup(free) = dkt__format("%s/" MAIN, path);
	struct stat st;

	return name && !stat(name, &st) && S_ISREG(st.st_mode);
}

/* Reads N of "data.N". */
static bool read_number(const char *name, uint64_t *n)
{
	return !strncmp(name, MAIN ".", strlen(MAIN ".")) &&
	       !dkt__parse_u64(name + strlen(MAIN "."), 10, n) && *n < DKT__PERF_CPUS;
}

/* Finds how many files with records there should be, by the highest number. */
static int count_files(struct dkt_ctx *ctx, const char *path, uint64_t *n)
{
	DIR *dir __cleanup(closedir) = opendir(path);
	struct dirent *entry;
	uint64_t number;

	*n = 0;
	if (!dir)
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		if (read_number(entry->d_name, &number))
			*n = DKT__MAX(*n, number + 1);
	return 0;
}

/* Opens data.N. A thread that has seen nothing has left it empty. */
static int open_part(struct dkt_ctx *ctx, const char *path, uint64_t nr,
		     struct dkt__perf_part *part)
{
	char *name __cleanup(free) = dkt__format("%s/" MAIN ".%llu", path, (unsigned long long)nr);
	char *label __cleanup(free) = dkt__format(MAIN ".%llu: ", (unsigned long long)nr);
	int err = name && label ? dkt__file_open(ctx, name, name, 0, &part->file) : -ENOMEM;

	if (err == -ENODATA || err == -ENOENT) {
		part->missing = err == -ENOENT;
		err = 0;
	}
	if (!err)
		part->label = dkt__ctx_strndup(ctx, label, strlen(label));
	part->tape = (struct dkt__perf_tape){ .data = part->file.data, .size = part->file.size };
	return err || part->label ? err : dkt__no_memory(ctx);
}

int dkt__perf_directory_open(struct dkt_ctx *ctx, const char *path,
			     const struct dkt_source_opts *opts, struct dkt_source **source)
{
	char *name __cleanup(free) = dkt__format("%s/" MAIN, path);
	struct dkt__perf_part *parts __cleanup(free) = NULL;
	uint64_t n;
	int err = count_files(ctx, path, &n);

	if (err)
		return err;
	parts = calloc(n + 1, sizeof(*parts));
	if (!name || !parts)
		return dkt__no_memory(ctx);
	parts[0].label = MAIN ": ";
	err = dkt__file_open(ctx, name, name, 0, &parts[0].file);
	if (!err && !dkt__reader_perfdata.is(parts[0].file.data, parts[0].file.size))
		err = dkt_fail(ctx, -EINVAL, "open %s: it is not a perf.data file", name);
	for (uint64_t i = 0; !err && i < n; i++)
		err = open_part(ctx, path, i, &parts[i + 1]);
	return err ? err : dkt__with_words(ctx, dkt__perf_open(ctx, parts, n + 1, opts, source));
}
