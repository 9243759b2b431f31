/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds descriptions of kernel types: the kernel's BTF, and files with its debug information. */
#include <fts.h>
#include <sys/utsname.h>

#include "lib/debuginfo/vmlinux.h"
#include "lib/probe/define.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
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
		define->no_btf = dkt__error_take(define->ctx);
	return define->btf;
}

/* ---- files ---- */

/* True if the file is the module's; its name can have - in place of _. */
static bool is_module_file(const char *file, const char *module)
{
	for (; *module; file++, module++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	return !strncmp(file, ".ko", 3);
}

/* Finds the file of a module in the directory; the caller frees the path. NULL: not found. */
static char *find_module(const char *dir, const char *module)
{
	char *dirs[] = { (char *)(uintptr_t)dir, NULL };
	FTS *fts = fts_open(dirs, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (fts && !found && (entry = fts_read(fts))) {
		/* Do not search the kernel's sources. */
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

static char *find_file(struct probe_define *define, const char *module)
{
	char *dir __cleanup(free) = NULL;
	struct utsname name;

	if (define->opts->debug_file)
		return strdup(define->opts->debug_file);
	if (define->ctx->root || uname(&name))
		return NULL;
	if (!module)
		return dkt__vmlinux_path(name.release);
	dir = dkt__format("/lib/modules/%s", name.release);
	return dir ? find_module(dir, module) : NULL;
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
			define->no_binary = dkt__error_take(define->ctx);
	} else {
		define->no_binary = dkt__format("no file with debug information of %s was found",
						module ? module : "the kernel");
	}
	return define->binary;
}
