/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds descriptions of kernel types: the kernel's BTF, and files with its debug information. */
#include <fts.h>
#include <sys/utsname.h>

#include "probe/define.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void keep_words(struct probe_define *define, char **words)
{
	free(*words);
	*words = strdup(dkt_error(define->ctx));
}

struct dkt__btf *dkt__probe_btf(struct probe_define *define, const char *module)
{
	if ((define->btf || define->no_btf) && same_text(define->btf_module, module))
		return define->btf;
	dkt__btf_free(define->btf);
	free(define->btf_module);
	free(define->no_btf);
	define->no_btf = NULL;
	define->btf_module = module ? strdup(module) : NULL;
	if (dkt__btf_load(define->ctx, module, &define->btf))
		keep_words(define, &define->no_btf);
	return define->btf;
}

/* ---- files ---- */

/* The file name of a module may have - where its name has _. */
static bool is_module_file(const char *file, const char *module)
{
	for (; *module; file++, module++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	return !strncmp(file, ".ko", 3);
}

/* Looks through a directory of modules; the caller frees it. NULL: it is not there. */
static char *find_module(const char *dir, const char *module)
{
	char *dirs[] = { (char *)(uintptr_t)dir, NULL };
	FTS *fts = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (fts && !found && (entry = fts_read(fts))) {
		/* The sources that a module is built with. */
		if (entry->fts_level == 1 &&
		    (!strcmp(entry->fts_name, "build") || !strcmp(entry->fts_name, "source")))
			fts_set(fts, entry, FTS_SKIP);
		else if (entry->fts_info != FTS_D && is_module_file(entry->fts_name, module))
			found = strdup(entry->fts_path);
	}
	if (fts)
		fts_close(fts);
	return found;
}

static char *find_vmlinux(const char *release)
{
	static const char *const places[] = { "/usr/lib/debug/boot/vmlinux-%s",
					      "/usr/lib/debug/lib/modules/%s/vmlinux",
					      "/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s",
					      NULL };

	for (size_t i = 0; places[i]; i++) {
		const char *percent = strstr(places[i], "%s");
		char *path;

		if (asprintf(&path, "%.*s%s%s", (int)(percent - places[i]), places[i], release,
			     percent + 2) < 0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

static char *find_file(struct probe_define *define, const char *module)
{
	char *dir __cleanup(free) = NULL;
	struct utsname name;

	if (define->opts->debug_file)
		return strdup(define->opts->debug_file);
	if (define->ctx->root || uname(&name))
		return NULL;
	if (!module)
		return find_vmlinux(name.release);
	if (asprintf(&dir, "/lib/modules/%s", name.release) < 0) {
		dir = NULL;
		return NULL;
	}
	return find_module(dir, module);
}

struct dkt__binary *dkt__probe_kernel_binary(struct probe_define *define, const char *module)
{
	char *path __cleanup(free) = NULL;

	if ((define->binary || define->no_binary) && same_text(define->binary_module, module))
		return define->binary;
	dkt__binary_close(define->binary);
	free(define->binary_module);
	free(define->no_binary);
	define->binary = NULL;
	define->no_binary = NULL;
	define->binary_module = module ? strdup(module) : NULL;
	path = find_file(define, module);
	if (path) {
		if (dkt__binary_open(define->ctx, path, NULL, NULL, &define->binary))
			keep_words(define, &define->no_binary);
	} else if (asprintf(&define->no_binary, "no file with debug information of %s was found",
			    module ? module : "the kernel") < 0) {
		define->no_binary = NULL;
	}
	return define->binary;
}
